import { sql } from 'kysely';
import type { EnqueueOptions, Producer } from '#queues/producer.ts';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';
import { reconcileConnectors } from '#src/connectors/runs/reconcile-connectors.ts';
import { sendSync } from '#src/connectors/runs/send-jobs.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

export interface SimulatedSchedule {
  /** Start times of the runs of each pair, in ms after the beginning. */
  runs: Map<CcPairId, number[]>;
  /** Maximum number of jobs in the queue. */
  longestQueue: number;
  /** Heap at the end of each simulated minute, after garbage collection when that is exposed. */
  heapBytes: number[];
}

const RECONCILE_EVERY_MS = 15_000;

interface Job {
  at: number;
  ccPairId: CcPairId;
}

/**
 * Runs pairs with the real scheduler, real rows and a clock that jumps from job to job. The source is a feed that never
 * changes. `loseQueueAtMs` empties the queue at that time, as a flushed Redis would.
 */
export async function simulateSchedule(
  services: Services,
  options: { pairs: number; refreshSeconds: number; minutes: number; loseQueueAtMs?: number },
): Promise<SimulatedSchedule> {
  const beginning = Date.now();
  const endMs = options.minutes * 60_000;
  let now = 0;
  const queue: Job[] = [];
  const simulated: Services = {
    ...services,
    clock: () => new Date(beginning + now),
    producer: virtualProducer(services.producer, queue, () => now),
    http: unchangedFeed(),
  };
  const pairs = await insertPairs(simulated, options.pairs, options.refreshSeconds);
  for (const pair of pairs) await sendSync(simulated, pair);
  const heapBytes: number[] = [];
  let longestQueue = 0;
  let lose = options.loseQueueAtMs ?? Number.POSITIVE_INFINITY;
  const never = new AbortController().signal;
  for (let tick = RECONCILE_EVERY_MS; tick <= endMs; tick += RECONCILE_EVERY_MS) {
    for (;;) {
      queue.sort((a, b) => a.at - b.at);
      longestQueue = Math.max(longestQueue, queue.length);
      const [next] = queue;
      if (!next || next.at > tick) break;
      queue.shift();
      now = Math.max(now, next.at);
      await syncConnector(simulated, next.ccPairId, never);
    }
    now = tick;
    if (now >= lose) {
      lose = Number.POSITIVE_INFINITY;
      queue.length = 0;
    }
    // In simulated time, jobs sent before the queue was lost are old by now; the rows have real time.
    await sql`update cc_pair set queued_at = now() - interval '1 hour'`.execute(services.db);
    await reconcileConnectors(simulated, never);
    if (now % 60_000 === 0) heapBytes.push(heapInUse());
  }
  return { runs: await readRuns(services, beginning), longestQueue, heapBytes };
}

function heapInUse(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Takes jobs at their simulated time; nothing else of the producer is used here. */
function virtualProducer(real: Producer, queue: Job[], now: () => number): Producer {
  const add = (payload: unknown, { delayMs = 0 }: EnqueueOptions = {}): Promise<void> => {
    // Only connector queues are used here.
    const { ccPairId } = payload as { ccPairId: CcPairId };
    queue.push({ at: now() + delayMs, ccPairId });
    return Promise.resolve();
  };
  return {
    ...real,
    enqueue: (_queue, payload, options) => add(payload, options),
    async enqueueMany(_queue, payloads, options) {
      for (const payload of payloads) await add(payload, options);
    },
    counts: () => Promise.resolve({}),
    oldestWaitingAgeMs: () => Promise.resolve(null),
  };
}

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>One</title><link>https://feed.test/1</link><guid>https://feed.test/1</guid><description>Text.</description></item>
</channel></rss>`;

function unchangedFeed(): HttpClient {
  const { guard } = createHttpClient({ allowCidrs: [], proxyUrl: null });
  return {
    guard,
    send({ url, headers = {} }) {
      const isKnown = new Headers(headers).get('if-none-match') === '"1"';
      const bytes = Buffer.from(isKnown ? '' : FEED);
      return Promise.resolve({
        status: isKnown ? 304 : 200,
        url,
        headers: new Headers({ etag: '"1"', 'content-type': 'application/rss+xml' }),
        bytes,
        isCut: false,
        text: () => bytes.toString(),
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function insertPairs(
  { db, clock }: Services,
  count: number,
  refreshSeconds: number,
): Promise<CcPairId[]> {
  const { rows: workspaces } = await sql<{ id: WorkspaceId }>`
    select id from workspace limit 1`.execute(db);
  const workspaceId = workspaces[0]?.id ?? '';
  const { rows } = await sql<{ id: CcPairId }>`
    with made as (
      insert into connector (workspace_id, name, source, kind, input_type, access_type, settings,
        refresh_freq)
      select ${workspaceId}::uuid, 'Feed ' || n, 'rss', 'rss', 'poll', 'public',
        json_build_object('feed_url', 'https://feed.test/' || n || '.xml'), ${refreshSeconds}
      from generate_series(1, ${count}::int) as n returning id, name
    )
    insert into cc_pair (workspace_id, name, source, connector_id, status, next_run_at)
    select ${workspaceId}::uuid, name, 'rss', id, 'SCHEDULED', ${clock()}::timestamptz from made
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

async function readRuns({ db }: Services, beginning: number): Promise<Map<CcPairId, number[]>> {
  const { rows } = await sql<{ pair: CcPairId; started: Date; status: string }>`
    select cc_pair_id as pair, started_at as started, status from index_attempt
    order by cc_pair_id, started_at`.execute(db);
  const runs = new Map<CcPairId, number[]>();
  for (const { pair, started, status } of rows) {
    if (status !== 'success') throw new Error(`A run of pair ${pair} ended ${status}.`);
    runs.set(pair, [...(runs.get(pair) ?? []), started.getTime() - beginning]);
  }
  return runs;
}
