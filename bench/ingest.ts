import type { BenchOptions } from './bench-options.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { timeBaselines } from './ingest-baselines.ts';
import { type Push, PUSHES, type PushTimes, timePush } from './push-documents.ts';
import { changeSome, createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const DOCUMENTS = { embedded: 2_000, server: 5_000 };
const CHANGED_EVERY = 10;
const WARM_UP_DOCUMENTS = 200;

interface Row {
  'accept docs/s': number | null;
  'indexed docs/s': number | null;
  'chunks/s': number | null;
  'MB/s': number | null;
  /** CPU time of the Millrace process, all threads. */
  'CPU s': number | null;
  'peak RSS MB': number | null;
  'vs raw INSERT': number | null;
}

/**
 * Measures how fast documents are accepted and indexed through the HTTP API of a fresh child process, beside bare SQL
 * and bare BullMQ on the same stores. The load generator shares the machine's cores.
 */
export async function ingest(options: BenchOptions): Promise<void> {
  const isServer = Boolean(process.env['TEST_DATABASE_URL']);
  const count = options.documents ?? DOCUMENTS[isServer ? 'server' : 'embedded'];
  const items = createDocuments(count, options.bytes);
  const baselines = await timeBaselines(items);
  const { chunks } = baselines;
  const megabytes = items.reduce((sum, item) => sum + textBytes(item), 0) / 1e6;
  const rowOf = (indexedSeconds: number, rest: Partial<Row>): Row => ({
    'accept docs/s': null,
    'indexed docs/s': Math.round(count / indexedSeconds),
    'chunks/s': Math.round(chunks / indexedSeconds),
    'MB/s': rounded(megabytes / indexedSeconds),
    'CPU s': null,
    'peak RSS MB': null,
    'vs raw INSERT': rounded(baselines.insertSeconds / indexedSeconds),
    ...rest,
  });
  const table: Record<string, Row> = {
    'raw SQL, INSERT 500 rows': rowOf(baselines.insertSeconds, {}),
    'raw SQL, COPY binary': rowOf(baselines.copySeconds, {}),
    'raw BullMQ, a job per document': {
      ...rowOf(baselines.queueSeconds, {}),
      'chunks/s': null,
      'MB/s': null,
    },
    'chunk + embed alone, one core': rowOf(baselines.prepareSeconds, {}),
  };
  for (const [name, push] of Object.entries(PUSHES)) {
    if (isServer) table[`${name}, no workers`] = acceptRow(count, await acceptOnly(items, push));
    await using target = await startWarm(options.bytes);
    table[name] = await measure(target, items, push, rowOf);
    if (name !== Object.keys(PUSHES).at(-1)) continue;
    table['again, unchanged'] = await measure(target, items, push, rowOf);
    const changed = changeSome(items, CHANGED_EVERY);
    table[`again, 1 in ${CHANGED_EVERY} changed`] = await measure(target, changed, push, rowOf);
  }
  console.log(
    `ingest: ${count} documents, ${chunks} chunks, ${megabytes.toFixed(1)} MB, ${sizeName()}`,
  );
  console.table(table);
}

async function measure(
  target: ChildMillrace,
  items: readonly SyntheticItem[],
  push: Push,
  rowOf: (indexedSeconds: number, rest: Partial<Row>) => Row,
): Promise<Row> {
  const before = await target.usage();
  const times = await timePush(target, items, push);
  const after = await target.usage();
  return rowOf(times.indexedSeconds, {
    'accept docs/s': Math.round(items.length / times.acceptSeconds),
    'CPU s': rounded(after.cpuSeconds - before.cpuSeconds),
    'peak RSS MB': Math.round(after.peakRssMb),
  });
}

/** Runs only the API, so that accepting has the machine to itself. */
async function acceptOnly(
  items: readonly SyntheticItem[],
  push: Push,
): Promise<PushTimes['acceptSeconds']> {
  await using target = await startChildMillrace('src/api.ts');
  const bodies = items.map((item) => JSON.stringify(item));
  const warmUp = createDocuments(WARM_UP_DOCUMENTS, 1_000, { idPrefix: 'warm-up' });
  await push(
    target,
    warmUp.map((item) => JSON.stringify(item)),
  );
  const startedMs = performance.now();
  await push(target, bodies);
  return (performance.now() - startedMs) / 1_000;
}

/** Starts a Millrace and warms it up: the first documents start threads and fill caches, which a service does once. */
async function startWarm(bytes: number): Promise<ChildMillrace> {
  const target = await startChildMillrace('src/main.ts');
  const warmUp = createDocuments(WARM_UP_DOCUMENTS, bytes, { idPrefix: 'warm-up', seed: 7 });
  const [push] = Object.values(PUSHES);
  if (push) await timePush(target, warmUp, push);
  return target;
}

function acceptRow(count: number, acceptSeconds: number): Row {
  return {
    'accept docs/s': Math.round(count / acceptSeconds),
    'indexed docs/s': null,
    'chunks/s': null,
    'MB/s': null,
    'CPU s': null,
    'peak RSS MB': null,
    'vs raw INSERT': null,
  };
}

function textBytes(item: SyntheticItem): number {
  return item.document.sections.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ''), 0);
}

function sizeName(): string {
  if (!process.env['TEST_DATABASE_URL']) return 'embedded';
  return process.env['TEST_REDIS_URL'] ? 'Postgres + Redis' : 'Postgres alone';
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
