import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { BenchOptions } from './bench-options.ts';
import { machineTimeMs } from './machine-time.ts';
import { postBare } from './webhook-baseline.ts';
import { webhookBody } from './webhook-events.ts';
import {
  countLedger,
  emitAll,
  emitTo,
  openWebhookLoad,
  secondsOf,
  untilDelivered,
  type WebhookLoad,
} from './webhook-load.ts';
import { startWebhookReceivers, type WebhookReceivers } from './webhook-receivers.ts';

const DELIVERIES = { embedded: 5_000, server: 10_000 };
const ENDPOINTS = 100;
const WARM_UP_DELIVERIES = 500;
/** More connections do not speed up a bare loop on loopback. */
const BARE_CONNECTIONS = 64;
/** Latency is measured well below the maximum rate, as on an ordinary day. */
const LATENCY_EVENTS = 1_000;
const LATENCY_EVENTS_PER_SECOND = 50;
/** Subjects take turns, and the median round of each counts: this discards a slow moment of the machine. */
const ROUNDS = 3;

/**
 * Measures how fast events become deliveries with every attempt recorded, beside a bare loop that signs and posts the
 * same bodies; the time from an event to its receiver; and the cost to the others of one receiver that never answers.
 * @throws when a webhook is missing, at its receiver or in the ledger
 */
export async function webhooks(options: BenchOptions): Promise<void> {
  const isServer = Boolean(process.env['TEST_DATABASE_URL']);
  const deliveries = options.deliveries ?? DELIVERIES[isServer ? 'server' : 'embedded'];
  const count = options.endpoints ?? ENDPOINTS;
  if (count < 2)
    throw new Error(
      '--endpoints is 1; write at least 2, because one of them is the dead endpoint.',
    );
  await using receivers = await startWebhookReceivers();
  const urls = Array.from({ length: count }, (_, n) => {
    return `${receivers.origins[n % receivers.origins.length]}/webhook`;
  });
  console.log(
    `webhooks: ${deliveries} deliveries of ${Buffer.byteLength(webhookBody('evt_'.padEnd(36, '0')))} bytes to ${count} endpoints of as many workspaces, ${sizeName()}`,
  );
  const seconds = await runInTurn(receivers, urls, deliveries);
  console.table(throughputTable(seconds, deliveries));
  console.table(isolationTable(seconds, deliveries, count));
  console.table(await measureLatency(receivers, urls));
}

/** Median of the rounds. */
interface Seconds {
  bare: number;
  bareWide: number;
  healthy: number;
  /** Includes writing the events. */
  withEvents: number;
  /** With one receiver that accepts connections but never answers. */
  holed: number;
  /** Peak connections that Millrace had open; `bareWide` uses as many. */
  connections: number;
}

async function runInTurn(
  receivers: WebhookReceivers,
  urls: readonly string[],
  deliveries: number,
): Promise<Seconds> {
  const holed = [receivers.blackHoleUrl, ...urls.slice(1)];
  const rounds: Seconds[] = [];
  await postBare(receivers, WARM_UP_DELIVERIES, BARE_CONNECTIONS);
  await runOnce(receivers, urls, WARM_UP_DELIVERIES);
  while (rounds.length < ROUNDS) {
    const { seconds: healthy, connections } = await runOnce(receivers, urls, deliveries);
    rounds.push({
      healthy,
      connections,
      bare: await postBare(receivers, deliveries, BARE_CONNECTIONS),
      bareWide: await postBare(receivers, deliveries, connections),
      holed: (await runOnce(receivers, holed, deliveries)).seconds,
      withEvents: (await runOnce(receivers, urls, deliveries, 'come meanwhile')).seconds,
    });
  }
  const median = (of: keyof Seconds): number =>
    percentile(
      rounds.map((round) => round[of]).toSorted((one, other) => one - other),
      0.5,
    );
  return {
    bare: median('bare'),
    bareWide: median('bareWide'),
    healthy: median('healthy'),
    withEvents: median('withEvents'),
    holed: median('holed'),
    connections: median('connections'),
  };
}

function throughputTable(seconds: Seconds, deliveries: number): object {
  const { bare, bareWide, healthy, withEvents, connections } = seconds;
  const rowOf = (took: number, used: number) => ({
    'deliveries/s': Math.round(deliveries / took),
    connections: used,
    'vs faster bare loop': rounded(Math.min(bare, bareWide) / took),
  });
  return {
    'bare undici loop': rowOf(bare, BARE_CONNECTIONS),
    'bare undici loop, as wide as Millrace': rowOf(bareWide, connections),
    'Millrace, existing events': rowOf(healthy, connections),
    'Millrace, events written meanwhile': rowOf(withEvents, connections),
  };
}

function isolationTable(
  { healthy, holed }: Seconds,
  deliveries: number,
  endpoints: number,
): object {
  const others = deliveries - Math.ceil(deliveries / endpoints);
  const rowOf = (took: number) => ({
    [`deliveries/s to the other ${endpoints - 1}`]: Math.round(others / took),
    'share of their healthy rate': rounded(healthy / took),
  });
  return {
    [`all ${endpoints} endpoints answer`]: rowOf(healthy),
    [`1 of ${endpoints} never answers`]: rowOf(holed),
  };
}

/**
 * A fresh Millrace delivers everything, events written before or during the run; then the counts of the receivers and
 * the ledger are checked.
 */
async function runOnce(
  receivers: WebhookReceivers,
  urls: readonly string[],
  deliveries: number,
  events: 'are there' | 'come meanwhile' = 'are there',
): Promise<{ seconds: number; connections: number }> {
  await using load = await openWebhookLoad(urls);
  await receivers.take();
  const hole = load.endpoints.find((_, n) => urls[n] === receivers.blackHoleUrl)?.id ?? null;
  if (events === 'are there') await emitAll(load, deliveries);
  const seconds = await secondsOf(async () => {
    await load.startWorkers();
    if (events === 'come meanwhile') await emitAll(load, deliveries);
    await untilDelivered(load.services, hole);
  });
  const { peakConnections, blackHoleConnections } = await expectAll(load, receivers, {
    // Events cycle through the endpoints; the first endpoint is the black hole, if there is one.
    deliveries: hole === null ? deliveries : deliveries - Math.ceil(deliveries / urls.length),
    hole,
  });
  if (hole !== null && blackHoleConnections === 0)
    throw new Error('The black hole received no connection.');
  return { seconds, connections: peakConnections };
}

async function expectAll(
  { services }: WebhookLoad,
  receivers: WebhookReceivers,
  { deliveries, hole }: { deliveries: number; hole: WebhookEndpointId | null },
) {
  const report = await receivers.take();
  const ledger = await countLedger(services, hole);
  const came = report.arrivals.length;
  const isWhole =
    came === deliveries &&
    ledger.deliveries === deliveries &&
    ledger.delivered === deliveries &&
    ledger.successes === deliveries;
  if (!isWhole) {
    throw new Error(
      `${deliveries} webhooks were emitted, ${came} came; the ledger: ${JSON.stringify(ledger)}`,
    );
  }
  if (report.requests > deliveries || ledger.attempts > deliveries) {
    console.log(`  ${report.requests} requests and ${ledger.attempts} attempts for ${deliveries}`);
  }
  return report;
}

/**
 * Time from the commit of an event to its arrival: one event per commit, at a steady rate regardless of the answers.
 */
async function measureLatency(
  receivers: WebhookReceivers,
  urls: readonly string[],
): Promise<object> {
  await using load = await openWebhookLoad(urls);
  const { services, endpoints } = load;
  await load.startWorkers();
  await receivers.take();
  const startedMs = performance.now();
  const emitted: Promise<[key: string, committedMs: number]>[] = [];
  for (let n = 0; n < LATENCY_EVENTS; n += 1) {
    const endpoint = endpoints[n % endpoints.length];
    if (!endpoint) throw new Error('The bench has no endpoint.');
    const dedupeKey = `latency-${n}`;
    const committed = emitTo(services, [endpoint], { dedupeKey, afterCommit: machineTimeMs });
    emitted.push(committed.then((atMs) => [dedupeKey, atMs]));
    const nextMs = startedMs + ((n + 1) * 1_000) / LATENCY_EVENTS_PER_SECOND;
    await sleep(Math.max(0, nextMs - performance.now()));
  }
  const committedAt = new Map(await Promise.all(emitted));
  await untilDelivered(services, null);
  const { arrivals } = await expectAll(load, receivers, { deliveries: LATENCY_EVENTS, hole: null });
  const { rows } = await sql<{ id: string; dedupe_key: string }>`
    select id, dedupe_key from webhook_event`.execute(services.db);
  const keyOf = new Map(rows.map(({ id, dedupe_key }) => [id, dedupe_key]));
  const latencies = arrivals
    .map(([id, atMs]) => atMs - (committedAt.get(keyOf.get(id) ?? '') ?? NaN))
    .toSorted((a, b) => a - b);
  return {
    [`commit to arrival, ${LATENCY_EVENTS_PER_SECOND} events/s`]: {
      events: latencies.length,
      'p50 ms': rounded(percentile(latencies, 0.5)),
      'p99 ms': rounded(percentile(latencies, 0.99)),
      'worst ms': rounded(latencies.at(-1) ?? NaN),
    },
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function sizeName(): string {
  if (!process.env['TEST_DATABASE_URL']) return 'embedded';
  return process.env['TEST_REDIS_URL'] ? 'Postgres + Redis' : 'Postgres alone';
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
