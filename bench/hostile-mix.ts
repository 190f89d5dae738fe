import { strToU8, zipSync } from 'fflate';
import { inParallel, keyOf, request } from './ask-millrace.ts';
import type { ChildMillrace } from './child-millrace.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const INGESTION = '/service-api/ingestion';
const MEGABYTE = 1_000_000;
/** Documents and files of a round that are on their way at once. */
const AT_ONCE = 4;
/** The most that a document may have. */
const METADATA = { keys: 1_000, valueBytes: 230 };
const METADATA_DOCUMENTS = 20;
/** One level fewer than a body may have, with the levels around it. */
const JSON_DEPTH = 190;
const NESTED_TAGS = 100_000;

/**
 * What costs most for its size: to read, to store, to split and index, and to parse. All kinds come at once. It is built
 * beforehand, since building takes seconds, during which nothing else in this process could be timed.
 */
export function prepareHostile(rounds: number): (target: ChildMillrace) => Promise<void> {
  const refused = refusedBodies();
  const files = hostileFiles();
  const documents = Array.from({ length: rounds }, (_, round) => ({
    single: [
      nestedJson(round),
      ...Object.entries(TEXTS).map(([name, text]) =>
        bodyOf(`hostile-${round}-${name}`, { text: text(round) }),
      ),
    ].map(bytesOf),
    batch: bytesOf(fullMetadata(round)),
  }));
  return async (target) => {
    for (const [round, { single, batch }] of documents.entries()) {
      await Promise.all([
        ...[...refused, ...refused].map((one) => sendRefused(target, one)),
        inParallel(AT_ONCE, single, (body) => request(target, 'POST', INGESTION, body)),
        request(target, 'POST', `${INGESTION}/batch`, batch),
        inParallel(AT_ONCE, files, ([name, content]) =>
          upload(target, `${round}-${name}`, content),
        ),
      ]);
    }
  };
}

/** Most are refused, but only after parsing. */
function refusedBodies(): { path: string; body: Bytes }[] {
  const documentOf = (rest: string): string =>
    `{"document":{"semantic_identifier":"Hostile","sections":[{"text":"a"}],${rest}}}`;
  const keys = (count: number, value: string): string =>
    `"metadata":{${list(count, (n) => `"${n.toString(36)}":${value}`)}}`;
  const blank = `"sections":[${list(100_000, () => '{}')}]`;
  const bodies: [path: string, body: string][] = [
    [INGESTION, documentOf(keys(600_000, '"v"'))],
    [INGESTION, documentOf(keys(900_000, '{}'))],
    [`${INGESTION}/batch`, `{"documents":[${list(990, () => documentOf(keys(990, '1')))}]}`],
    [`${INGESTION}/batch`, `{"documents":[${list(7, () => documentOf(blank))}]}`],
  ];
  return bodies.map(([path, body]) => ({ path, body: bytesOf(body) }));
}

async function sendRefused(
  target: ChildMillrace,
  { path, body }: { path: string; body: Bytes },
): Promise<void> {
  const headers = { ...keyOf(target), 'content-type': 'application/json' };
  await (await fetch(`${target.url}${path}`, { method: 'POST', headers, body })).text();
}

/** Texts that are accepted. Each round has others, so that none is unchanged. */
const TEXTS: Record<string, (round: number) => string> = {
  'nested-html': (round) =>
    `<html><body>${'<div>'.repeat(NESTED_TAGS)}<p>Round ${round}</p>${'</div>'.repeat(NESTED_TAGS)}`,
  'nested-markdown': (round) => `Round ${round}\n\n${'> '.repeat(MEGABYTE / 2)}quoted`,
  'one-word': (round) => `${round}${'x'.repeat(2 * MEGABYTE)}`,
  'one-word-again': (round) => `round${round} `.repeat((5 * MEGABYTE) / 8),
  'new-words': (round) => words(250_000, (n) => `w${round}x${n.toString(36)}`),
  'no-sentence': (round) => words(600_000, (n) => `word${(n * 7 + round) % 5_000}`),
};

function words(count: number, word: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => word(n)).join(' ');
}

/** Fields that nobody knows, as deep as a body may be: read and left out. */
function nestedJson(round: number): string {
  const nest = `${'['.repeat(JSON_DEPTH)}1${']'.repeat(JSON_DEPTH)}`;
  const extra = `[${list(2_000, () => nest)}]`;
  const document = bodyOf(`hostile-${round}-nested-json`, { text: `Round ${round}` });
  return `${document.slice(0, -1)},"extra":${extra}}`;
}

function fullMetadata(round: number): string {
  const documents = Array.from({ length: METADATA_DOCUMENTS }, (_, document) => {
    const metadata = Object.fromEntries(
      Array.from({ length: METADATA.keys }, (_key, n) => [
        `key${n}`,
        `${round}-${n} `.padEnd(METADATA.valueBytes, 'v'),
      ]),
    );
    return bodyOf(`hostile-${round}-metadata-${document}`, { text: 'Metadata.', metadata });
  });
  return `{"documents":[${documents.join(',')}]}`;
}

function bodyOf(id: string, { text, metadata = {} }: { text: string; metadata?: object }): string {
  return JSON.stringify({
    document: { id, semantic_identifier: id, sections: [{ text }], metadata },
  });
}

/** Large when they are unpacked, and deep. */
const hostileFiles = (): [name: string, content: Bytes][] => [
  ['nested.html', bytesOf(`<html>${'<table><tr><td>'.repeat(60_000)}cell`)],
  ['wide.csv', bytesOf(`${words(200_000, (n) => `c${n}`).replaceAll(' ', ',')}\n`.repeat(4))],
  ['many.docx', wordFile(300_000)],
];

/** The least that is a Word file, with so many paragraphs. */
function wordFile(paragraphs: number): Bytes {
  const types = 'http://schemas.openxmlformats.org/package/2006';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return zipSync({
    '[Content_Types].xml': strToU8(
      `<Types xmlns="${types}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    ),
    '_rels/.rels': strToU8(
      `<Relationships xmlns="${types}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    'word/document.xml': strToU8(
      `<w:document xmlns:w="${namespace}"><w:body>${'<w:p><w:r><w:t>a b</w:t></w:r></w:p>'.repeat(paragraphs)}</w:body></w:document>`,
    ),
  });
}

/** A file that is refused for its size or its shape has cost its parser nothing more. */
async function upload(target: ChildMillrace, name: string, content: Bytes): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([content]), name);
  await request(target, 'POST', '/user/projects/file/upload', form);
}

function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function list(count: number, item: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => item(n)).join(',');
}
