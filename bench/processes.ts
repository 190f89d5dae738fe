import { setTimeout as wait } from 'node:timers/promises';
import { startProcess, type ServiceProcess } from '#test/support/child-process.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { inParallel, read, type Target } from './ask-millrace.ts';
import type { BenchOptions } from './bench-options.ts';
import { documentsWait } from './fairness-mixes.ts';
import { processUsage } from './process-usage.ts';
import { PUSHES } from './push-documents.ts';
import { createDocuments, type SyntheticItem } from './synthetic-documents.ts';

const DOCUMENTS = 3_000;
const WARM_UP_DOCUMENTS = 500;
const COUNTS = [1, 2, 4];
const POLL_MS = 50;

interface Scenario {
  apis: number;
  workers: number;
}

/**
 * Indexes the same documents with one, two and four processes of each kind over one Postgres and one Redis, each count in
 * an empty database. Beside the pace, the processor time a document shows what more processes cost.
 */
export async function processes(options: BenchOptions): Promise<void> {
  const { TEST_DATABASE_URL: databaseUrl } = process.env;
  if (databaseUrl === undefined) {
    throw new Error('Several processes need a server: set TEST_DATABASE_URL and TEST_REDIS_URL.');
  }
  const count = options.documents ?? DOCUMENTS;
  const scenarios = [
    ...COUNTS.map((workers) => ({ apis: 1, workers })),
    ...COUNTS.slice(1).map((both) => ({ apis: both, workers: both })),
  ];
  const rows: Record<string, object> = {};
  let first: number | null = null;
  for (const scenario of scenarios) {
    const { seconds, acceptSeconds, cpuSeconds } = await measure(scenario, count, options.bytes);
    first ??= seconds;
    rows[`${scenario.apis} API, ${scenario.workers} workers`] = {
      'accepted/s': Math.round(count / acceptSeconds),
      'indexed/s': Math.round(count / seconds),
      'indexed/s, of the first row': Math.round((100 * first) / seconds) / 100,
      'processor ms a document, APIs': milliseconds(cpuSeconds.apis, count),
      'processor ms a document, workers': milliseconds(cpuSeconds.workers, count),
    };
  }
  console.log(`processes: ${count} documents of ${options.bytes} bytes, one NDJSON stream an API`);
  console.table(rows);
}

async function measure(
  { apis, workers }: Scenario,
  count: number,
  bytes: number,
): Promise<{
  seconds: number;
  acceptSeconds: number;
  cpuSeconds: { apis: number; workers: number };
}> {
  await using opened = new AsyncDisposableStack();
  const { settings, adminKey } = opened.use(
    await openTestEnvironment({ MAX_PENDING_DOCUMENTS: '1000000' }),
  );
  await migrateTestDatabase(settings);
  const startAll = async (entry: 'src/api.ts' | 'workers/main.ts', number: number) => {
    const started: ServiceProcess[] = [];
    while (started.length < number) started.push(opened.use(await startProcess(entry, settings)));
    return started;
  };
  const api = await startAll('src/api.ts', apis);
  const worker = await startAll('workers/main.ts', workers);
  const targets = api.map((started) => ({ url: urlOf(started), adminKey }));
  await pushAndWait(targets, createDocuments(WARM_UP_DOCUMENTS, bytes, { idPrefix: 'warm-up' }));
  const before = { apis: await cpuOf(api), workers: await cpuOf(worker) };
  const items = createDocuments(count, bytes);
  const { seconds, acceptSeconds } = await pushAndWait(targets, items);
  const { counts } = (await read(targets[0] ?? none(), '/service-api/ingestion/stats')) as {
    counts: Record<string, number>;
  };
  if (counts['indexed'] !== count + WARM_UP_DOCUMENTS) {
    throw new Error(`Not all are indexed: ${JSON.stringify(counts)}`);
  }
  return {
    seconds,
    acceptSeconds,
    cpuSeconds: {
      apis: (await cpuOf(api)) - before.apis,
      workers: (await cpuOf(worker)) - before.workers,
    },
  };
}

/** A stream for each API, all at once. */
async function pushAndWait(
  targets: readonly Target[],
  items: readonly SyntheticItem[],
): Promise<{ seconds: number; acceptSeconds: number }> {
  const push = PUSHES['one NDJSON stream'] ?? none();
  const bodies = items.map((item) => JSON.stringify(item));
  const share = Math.ceil(bodies.length / targets.length);
  const startedMs = performance.now();
  await inParallel(targets.length, [...targets.entries()], ([index, target]) =>
    push(target, bodies.slice(index * share, (index + 1) * share)),
  );
  const acceptSeconds = (performance.now() - startedMs) / 1_000;
  while (await documentsWait(targets[0] ?? none())) await wait(POLL_MS);
  return { seconds: (performance.now() - startedMs) / 1_000, acceptSeconds };
}

async function cpuOf(started: readonly ServiceProcess[]): Promise<number> {
  const usages = await Promise.all(started.map(({ pid }) => processUsage(pid)));
  return usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** From the log line that reports it ready. */
function urlOf({ lines }: ServiceProcess): string {
  const line = lines.find((one) => one.includes('"msg":"listening"')) ?? none();
  return (JSON.parse(line) as { url: string }).url; // our own log line
}

function milliseconds(seconds: number, count: number): number {
  return Math.round((10_000 * seconds) / count) / 10;
}

function none(): never {
  throw new Error('Nothing was started.');
}
