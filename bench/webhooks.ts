import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import type { BenchOptions } from './bench-options.ts';
import { databaseMeter } from './database-meter.ts';
import { machineTimeMs } from './machine-time.ts';
import { postBare, signPlainly } from './webhook-baseline.ts';
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
  const { costs, connections } = await runInTurn(receivers, urls, deliveries);
  console.table(throughputTable(costs, deliveries, connections));
  console.table(isolationTable(costs, deliveries, count));
  console.table(await measureLatency(receivers, urls));
}

/** Of all deliveries of a run. */
interface Cost {
  seconds: number;
  /** Processor time of this process: the bare loop, or Millrace. */
  nodeSeconds: number;
  /** Processor time of the sessions of the database. */
  databaseSeconds: number;
}

type Subject =
  | 'bare'
  /** With the signatures of Millrace, which take less time. */
  | 'bareSignedAlike'
  /** With as many connections as Millrace had open as well. */
  | 'bareWide'
  | 'healthy'
  /** Includes writing the events. */
  | 'withEvents'
  /** With one receiver that accepts connections but never answers. */
  | 'holed';

/** Medians of the rounds. */
type Costs = Record<Subject, Cost>;

async function runInTurn(
  receivers: WebhookReceivers,
  urls: readonly string[],
  deliveries: number,
): Promise<{ costs: Costs; connections: number }> {
  const holed = [receivers.blackHoleUrl, ...urls.slice(1)];
  await postBare(receivers, WARM_UP_DELIVERIES, BARE_CONNECTIONS);
  await runOnce(receivers, urls, WARM_UP_DELIVERIES);
  const bare = (connections: number, sign?: typeof signPlainly): Promise<Cost> =>
    costOf(null, async () => {
      await postBare(receivers, deliveries, connections, sign);
    });
  const rounds: (Costs & { connections: number })[] = [];
  while (rounds.length < ROUNDS) {
    const { cost: healthy, connections } = await runOnce(receivers, urls, deliveries);
    rounds.push({
      healthy,
      connections,
      bare: await bare(BARE_CONNECTIONS, signPlainly),
      bareSignedAlike: await bare(BARE_CONNECTIONS),
      bareWide: await bare(connections),
      holed: (await runOnce(receivers, holed, deliveries)).cost,
      withEvents: (await runOnce(receivers, urls, deliveries, 'come meanwhile')).cost,
    });
  }
  const costs = (subject: Subject): Cost => ({
    seconds: median(rounds.map((round) => round[subject].seconds)),
    nodeSeconds: median(rounds.map((round) => round[subject].nodeSeconds)),
    databaseSeconds: median(rounds.map((round) => round[subject].databaseSeconds)),
  });
  return {
    costs: {
      bare: costs('bare'),
      bareSignedAlike: costs('bareSignedAlike'),
      bareWide: costs('bareWide'),
      healthy: costs('healthy'),
      withEvents: costs('withEvents'),
      holed: costs('holed'),
    },
    connections: median(rounds.map((round) => round.connections)),
  };
}

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

function throughputTable(costs: Costs, deliveries: number, connections: number): object {
  const { bare, bareSignedAlike, bareWide, healthy, withEvents } = costs;
  const fastest = Math.min(bare.seconds, bareSignedAlike.seconds, bareWide.seconds);
  const microseconds = (seconds: number) => Math.round((seconds * 1e6) / deliveries);
  const rowOf = ({ seconds, nodeSeconds, databaseSeconds }: Cost, used: number) => ({
    'deliveries/s': Math.round(deliveries / seconds),
    connections: used,
    'vs bare loop': rounded(bare.seconds / seconds),
    'vs fastest bare loop': rounded(fastest / seconds),
    'CPU µs Node': microseconds(nodeSeconds),
    'CPU µs database': microseconds(databaseSeconds),
  });
  return {
    'bare undici loop': rowOf(bare, BARE_CONNECTIONS),
    'bare undici loop, signing as Millrace': rowOf(bareSignedAlike, BARE_CONNECTIONS),
    'the same, as wide as Millrace': rowOf(bareWide, connections),
    'Millrace, existing events': rowOf(healthy, connections),
    'Millrace, events written meanwhile': rowOf(withEvents, connections),
  };
}

/** What `work` takes, and the database of these services, if any. */
async function costOf(services: Services | null, work: () => Promise<void>): Promise<Cost> {
  const databaseCpuSeconds = databaseMeter(services && (await databaseUrlOf(services)));
  const databaseBefore = await databaseCpuSeconds();
  const before = process.cpuUsage();
  const seconds = await secondsOf(work);
  const { user, system } = process.cpuUsage(before);
  return {
    seconds,
    nodeSeconds: (user + system) / 1e6,
    databaseSeconds: (await databaseCpuSeconds()) - databaseBefore,
  };
}

async function databaseUrlOf({ db }: Services): Promise<string | null> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined) return null;
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const url = new URL(server);
  url.pathname = `/${rows[0]?.name}`;
  return url.href;
}

function isolationTable({ healthy, holed }: Costs, deliveries: number, endpoints: number): object {
  const others = deliveries - Math.ceil(deliveries / endpoints);
  const rowOf = ({ seconds }: Cost) => ({
    [`deliveries/s to the other ${endpoints - 1}`]: Math.round(others / seconds),
    'share of their healthy rate': rounded(healthy.seconds / seconds),
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
): Promise<{ cost: Cost; connections: number }> {
  await using load = await openWebhookLoad(urls);
  await receivers.take();
  const hole = load.endpoints.find((_, n) => urls[n] === receivers.blackHoleUrl)?.id ?? null;
  if (events === 'are there') await emitAll(load, deliveries);
  const cost = await costOf(load.services, async () => {
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
  return { cost, connections: peakConnections };
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
