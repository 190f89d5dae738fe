import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { until } from '#test/support/until.ts';
import { abortOnSignal } from './abort-on-signal.ts';
import type { BenchOptions } from './bench-options.ts';
import { startChildMillrace } from './child-millrace.ts';
import { findDrifts } from './drift.ts';
import { prepareLoad, type SoakLoad } from './soak-load.ts';
import {
  figuresOf,
  readMinute,
  rowOf,
  type SoakMinute,
  type SoakSources,
  tableRows,
} from './soak-minute.ts';
import { countFailed, countPending, openStores, type Stores } from './stores.ts';
import { startWebhookReceivers } from './webhook-receivers.ts';

const MINUTES = 10;
const MINUTE_MS = 60_000;
/** Thirds of fewer minutes are judged by one or two values. */
const JUDGED_MINUTES = 9;
const DRAIN_MS = 120_000;

/**
 * Mixed load below capacity over Postgres and Redis: documents that come, change and go in eight workspaces that stay as
 * large as they are, searches, webhooks, and answers without a model. Prints each minute, and in the end which figures
 * drift.
 */
export async function soak(options: BenchOptions): Promise<void> {
  const count = options.minutes ?? MINUTES;
  await abortOnSignal(async (signal) => {
    await using receivers = await startWebhookReceivers();
    await using target = await startChildMillrace('src/main.ts', {
      settings: { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: '1000000' },
    });
    await using stores = await openStores(target);
    const load = await prepareLoad(target, {
      bytes: options.bytes,
      webhookUrl: `${receivers.origins[0]}/webhook`,
      signal,
    });
    console.log(
      `soak: ${count} minutes, ${load.pace} documents/s of ${options.bytes} bytes, half of them new, as many deleted; ${target.size}`,
    );
    const minutes = await runMinutes({ target, stores, receivers }, load, { count, signal });
    console.table(Object.fromEntries(minutes.map((minute, n) => [n + 1, rowOf(minute)])));
    console.table(tableRows(minutes));
    await printEnd(stores);
    printDrifts(minutes);
  });
}

async function runMinutes(
  sources: SoakSources,
  load: SoakLoad,
  { count, signal }: { count: number; signal: AbortSignal },
): Promise<SoakMinute[]> {
  const minutes: SoakMinute[] = [];
  let isOver = false;
  const running = load
    .run(() => isOver)
    .finally(() => {
      isOver = true;
    });
  const reading = async () => {
    let takenMs = performance.now();
    while (minutes.length < count && !isOver) {
      await wait(MINUTE_MS, undefined, { signal });
      const nowMs = performance.now();
      minutes.push(await readMinute(sources, load.take(), (nowMs - takenMs) / 1_000));
      takenMs = nowMs;
      console.log(`minute ${minutes.length}`, JSON.stringify(rowOf(minutes.at(-1) as SoakMinute)));
    }
    isOver = true;
  };
  await Promise.all([running, reading()]);
  return minutes;
}

/** Whether what was accepted was done. */
async function printEnd(stores: Stores): Promise<void> {
  const isSettled = async () =>
    (await countPending(stores)) === 0 && (await countUndelivered(stores)) === 0;
  await until(isSettled, DRAIN_MS).catch(() => undefined);
  console.table({
    'documents that still wait': await countPending(stores),
    'documents that failed': await countFailed(stores),
    'webhooks that did not arrive': await countUndelivered(stores),
  });
}

async function countUndelivered({ db }: Stores): Promise<number> {
  const { rows } = await sql<{ value: number }>`select count(*)::float8 as value
    from webhook_delivery where status <> 'delivered'`.execute(db);
  return rows[0]?.value ?? NaN;
}

function printDrifts(minutes: readonly SoakMinute[]): void {
  const drifts = findDrifts(figuresOf(minutes));
  for (const { name, middle, last } of drifts) {
    console.log(`drifts: ${name}, ${middle.toFixed(1)} → ${last.toFixed(1)}`);
  }
  if (drifts.length === 0) console.log('nothing drifts');
  if (minutes.length < JUDGED_MINUTES) {
    console.log(`${minutes.length} minutes are too few to tell: at least ${JUDGED_MINUTES}.`);
  }
}
