import { inParallel, read, request, type Target } from './ask-millrace.ts';
import { prepareHostile } from './hostile-mix.ts';
import { PUSHES } from './push-documents.ts';
import { changeSome, createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const MEGABYTE = 1_000_000;
const TINY_BYTES = 200;
const DELETES_AT_ONCE = 16;
const FILES_AT_ONCE = 4;
const FILE_BYTES = 600_000;
/** A hostile round costs about as much as so many ordinary documents. */
const DOCUMENTS_PER_ROUND = 1_000;

/** What another workspace sends while the small one is measured. */
export interface Mix {
  name: string;
  /** Indexed before the measurement starts. */
  before: SyntheticItem[];
  send(target: Target): Promise<void>;
  /** Whether any of what was sent is still unfinished. */
  isUnderWay(target: Target): Promise<boolean>;
  /** Size of the small workspace's document, beside its unique word; minimal by default. */
  probeBytes?: number;
}

export interface MixSizes {
  /** For the mixes with thousands of documents. */
  count: number;
  /** Size of an ordinary document. */
  bytes: number;
}

/** In the order of the table. Each is built on demand: some are a quarter of a gigabyte. */
export const MIXES: Record<string, (sizes: MixSizes) => Mix> = {
  many: ({ count, bytes }) => {
    const items = createDocuments(count, bytes, { idPrefix: 'many' });
    return pushing(`${count} documents of ${bytes} bytes`, items);
  },
  tiny: ({ count }) => {
    const items = createDocuments(count * 2, TINY_BYTES, { idPrefix: 'tiny' });
    return pushing(`${count * 2} documents of ${TINY_BYTES} bytes`, items);
  },
  large: () => {
    const items = createDocuments(6, 5 * MEGABYTE, { idPrefix: 'large' });
    return pushing('6 documents of about 5 MB', items);
  },
  'large-many': () => {
    const one = createDocuments(1, 5 * MEGABYTE, { idPrefix: 'more' });
    const items = Array.from({ length: 50 }, (_, n) => renamed(one, `more-${n}`)).flat();
    return pushing('50 documents of about 5 MB', items);
  },
  huge: () => pushing('1 document of 20 MB', [joined('huge', 19 * MEGABYTE, '\n\n')]),
  sentence: () => {
    const items = Array.from({ length: 3 }, (_, n) =>
      joined(`sentence-${n}`, 5 * MEGABYTE, ' ', /[^a-z]+/g),
    );
    return pushing('3 documents of one sentence of 5 MB', items);
  },
  updates: () => {
    const before = createDocuments(3, 5 * MEGABYTE, { idPrefix: 'updated' });
    const after = createDocuments(3, 5 * MEGABYTE, { idPrefix: 'updated', seed: 7 });
    return { ...pushing('3 documents of 5 MB with another text', after), before };
  },
  edits: () => {
    const before = createDocuments(3, 5 * MEGABYTE, { idPrefix: 'edited' });
    return {
      ...pushing('3 documents of 5 MB with another sentence', changeSome(before, 1)),
      before,
    };
  },
  deletes: ({ count, bytes }) => {
    const before = createDocuments(count, bytes, { idPrefix: 'deleted' });
    const send = (target: Target) => deleteAll(target, before);
    return { name: `${count} documents deleted`, before, send, isUnderWay: documentsWait };
  },
  files: () => ({
    name: '24 user files of 600 kB',
    before: [],
    send: (target) => uploadFiles(target, 24),
    isUnderWay: filesWait,
  }),
  hostile: ({ count }) => {
    const rounds = Math.max(1, Math.round(count / DOCUMENTS_PER_ROUND));
    return {
      name: `${rounds} rounds of bodies, documents and files that cost most; probes of 40 kB`,
      before: [],
      send: prepareHostile(rounds),
      isUnderWay: async (target) => (await documentsWait(target)) || filesWait(target),
      // Large enough to be parsed in a thread, like the hostile bodies.
      probeBytes: 40_000,
    };
  },
};

function pushing(name: string, items: SyntheticItem[]): Mix {
  return {
    name,
    before: [],
    send: (target) => pushAll(target, items),
    isUnderWay: documentsWait,
  };
}

/** Sends small documents in batches, large ones one by one. */
export async function pushAll(target: Target, items: readonly SyntheticItem[]): Promise<void> {
  const push = PUSHES['batches of 100'];
  if (items.length >= 100 && push) {
    await push(
      target,
      items.map((item) => JSON.stringify(item)),
    );
    return;
  }
  for (const item of items) {
    await request(target, 'POST', '/service-api/ingestion', JSON.stringify(item));
  }
}

function renamed(items: readonly SyntheticItem[], id: string): SyntheticItem[] {
  return items.map(({ document }) => {
    const [section] = document.sections;
    const text = `About ${id}.\n\n${section?.text ?? ''}`;
    return { document: { ...document, id, sections: [{ text }] } };
  });
}

/** One document of the given size, joined from smaller ones. */
function joined(id: string, bytes: number, separator: string, dropped?: RegExp): SyntheticItem {
  const parts = createDocuments(Math.ceil(bytes / MEGABYTE), MEGABYTE, { idPrefix: id });
  const text = parts
    .map(({ document }) => document.sections[0]?.text ?? '')
    .map((part) => (dropped ? part.toLowerCase().replace(dropped, ' ') : part))
    .join(separator);
  const filled = text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
  return { document: { id, semantic_identifier: id, sections: [{ text: `${id} ${filled}` }] } };
}

async function deleteAll(target: Target, items: readonly SyntheticItem[]): Promise<void> {
  await inParallel(DELETES_AT_ONCE, items, ({ document }) =>
    request(target, 'DELETE', `/service-api/ingestion/${document.id ?? ''}`),
  );
}

async function uploadFiles(target: Target, count: number): Promise<void> {
  const items = createDocuments(count, FILE_BYTES, { idPrefix: 'file' });
  await inParallel(FILES_AT_ONCE, items, ({ document }) => {
    const form = new FormData();
    const text = document.sections[0]?.text ?? '';
    form.append('files', new Blob([text], { type: 'text/markdown' }), `${document.id ?? ''}.md`);
    return request(target, 'POST', '/user/projects/file/upload', form);
  });
}

export async function documentsWait(target: Target): Promise<boolean> {
  const { counts } = (await read(target, '/service-api/ingestion/stats')) as {
    counts: Record<string, number>;
  };
  return ['accepted', 'indexing', 'deleting'].some((status) => (counts[status] ?? 0) > 0);
}

async function filesWait(target: Target): Promise<boolean> {
  const files = (await read(target, '/user/files/recent')) as { status: string }[];
  return files.some(({ status }) => status === 'PROCESSING' || status === 'UPLOADING');
}
