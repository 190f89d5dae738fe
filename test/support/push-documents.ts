import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from './until.ts';

/** A document with one unique word, which is also its id and its title. */
export interface PushedDocument {
  word: string;
  text: string;
}

/** Outcome of a push. A document in neither set was in progress when its connection broke. */
export interface Push {
  readonly acknowledged: ReadonlySet<string>;
  readonly sent: ReadonlySet<string>;
}

const FILLER = 'The mill grinds what the stream of the valley brings to its wheel every day. ';
const BATCH = 50;
const SINGLE_CLIENTS = 4;
const RETRY_MS = 100;
const MAX_TRIES = 600;

/** Documents of about 4,000 characters, each long enough for several chunks. */
export function makeDocuments(count: number): PushedDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const word = `zq${index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}x${index}`;
    return { word, text: `${FILLER.repeat(50)}\n\nHere stands ${word}.` };
  });
}

/**
 * Pushes the documents as several concurrent clients: four with single posts, one with batches, one with a stream of
 * lines. Refused documents (for example with a 503) are sent again until they are accepted. Interrupted requests are
 * not repeated, so it stays unknown whether they arrived.
 * @param onAcknowledged called with the number of documents acknowledged so far
 */
export async function pushDocuments(
  service: { url: string; key: string },
  documents: readonly PushedDocument[],
  onAcknowledged: (count: number) => void = () => undefined,
): Promise<Push> {
  const acknowledged = new Set<string>();
  const acknowledge = (word: string): void => {
    acknowledged.add(word);
    onAcknowledged(acknowledged.size);
  };
  const third = Math.ceil(documents.length / 3);
  const singles = documents.slice(0, third);
  const clients = Array.from({ length: SINGLE_CLIENTS }, (_, client) =>
    sendGroups(
      service,
      singles.filter((_one, index) => index % SINGLE_CLIENTS === client).map((one) => [one]),
      acknowledge,
    ),
  );
  const batches = groupsOf(documents.slice(third, 2 * third), BATCH);
  const lines = documents.slice(2 * third);
  await Promise.all([
    ...clients,
    sendGroups(service, batches, acknowledge),
    sendStream(service, lines, acknowledge),
  ]);
  return { acknowledged, sent: new Set(documents.map(({ word }) => word)) };
}

type Service = Parameters<typeof pushDocuments>[0];
type Acknowledge = (word: string) => void;

async function sendGroups(
  service: Service,
  groups: PushedDocument[][],
  acknowledge: Acknowledge,
): Promise<void> {
  for (const group of groups) {
    let left = group;
    for (let tries = 0; left.length > 0; tries += 1) {
      if (tries > MAX_TRIES) throw new Error(`${left.length} documents were refused to the end.`);
      const refused = await sendGroup(service, left, acknowledge);
      if (refused === 'broken') {
        await untilHealthy(service.url);
        break;
      }
      left = refused;
      if (left.length > 0) await wait(RETRY_MS);
    }
  }
}

/** Posts one document alone, several as a batch. @returns the refused documents */
async function sendGroup(
  { url, key }: Service,
  group: PushedDocument[],
  acknowledge: Acknowledge,
): Promise<PushedDocument[] | 'broken'> {
  const [first] = group;
  const isBatch = group.length > 1 || first === undefined;
  const body = isBatch ? { documents: group.map(toItem) } : toItem(first);
  let answer: Response;
  let results: { document_id?: string }[];
  try {
    answer = await fetch(`${url}/service-api/ingestion${isBatch ? '/batch' : ''}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const answered: unknown = await answer.json();
    results = isBatch
      ? ((answered as { results?: typeof results }).results ?? [])
      : [answered as { document_id?: string }];
  } catch {
    return 'broken';
  }
  if (answer.status !== 200 && answer.status !== 503) {
    throw new Error(`A document was answered with ${answer.status}: ${JSON.stringify(results)}`);
  }
  const accepted = new Set(
    answer.status === 200 ? results.map((result) => result.document_id) : [],
  );
  for (const { word } of group) if (accepted.has(word)) acknowledge(word);
  return group.filter(({ word }) => !accepted.has(word));
}

/** One request for all lines; refused lines are sent again in batches. */
async function sendStream(
  service: Service,
  documents: PushedDocument[],
  acknowledge: Acknowledge,
): Promise<void> {
  const refused: PushedDocument[] = [];
  const outgoing = request(`${service.url}/service-api/ingestion/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/x-ndjson' },
  });
  const done = new Promise<void>((resolve) => {
    outgoing.on('error', () => resolve());
    outgoing.on('response', (response) => {
      response.on('error', () => resolve());
      response.on('close', () => resolve());
      const answers = createInterface({ input: response });
      answers.on('error', () => resolve());
      answers.on('line', (line) => {
        const result = JSON.parse(line) as { index: number; document_id?: string };
        const document = documents[result.index];
        if (document && result.document_id === document.word) acknowledge(document.word);
        else if (document) refused.push(document);
      });
    });
  });
  for (const document of documents) {
    if (outgoing.destroyed) break;
    outgoing.write(`${JSON.stringify(toItem(document))}\n`);
    // A slow producer keeps the stream open throughout the test.
    await wait(2);
  }
  outgoing.end();
  await done;
  await untilHealthy(service.url);
  await sendGroups(service, groupsOf(refused, BATCH), acknowledge);
}

function toItem({ word, text }: PushedDocument): object {
  return {
    document: { id: word, semantic_identifier: word, sections: [{ text }], metadata: {} },
  };
}

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < items.length; start += size)
    groups.push(items.slice(start, start + size));
  return groups;
}

async function untilHealthy(url: string): Promise<void> {
  await until(
    () =>
      fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) }).then(
        (answer) => answer.ok,
        () => false,
      ),
    60_000,
  );
}
