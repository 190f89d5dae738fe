import type { ChildMillrace } from './child-millrace.ts';
import type { Figure } from './drift.ts';
import { percentile } from './percentile.ts';
import type { LoadTally } from './soak-load.ts';
import {
  countPending,
  countRows,
  readStoreUsage,
  readTableSizes,
  type Stores,
  type StoreUsage,
} from './stores.ts';
import type { WebhookReceivers } from './webhook-receivers.ts';

const MB = 1024 * 1024;
/** Smaller tables are not followed. */
const LEAST_TABLE_BYTES = MB / 2;
const JUDGED_TABLES = 12;

interface TableState {
  bytes: number;
  rows: number;
  deadRows: number;
}

/** What one minute was like. */
export interface SoakMinute {
  load: LoadTally;
  seconds: number;
  pending: number;
  webhooks: number;
  rssMb: number;
  cpuSeconds: number;
  stores: StoreUsage;
  tables: Map<string, TableState>;
}

export async function readMinute(
  { target, stores, receivers }: SoakSources,
  load: LoadTally,
  seconds: number,
): Promise<SoakMinute> {
  const tables = new Map<string, TableState>();
  for (const [name, size] of await readTableSizes(stores, LEAST_TABLE_BYTES)) {
    tables.set(name, {
      bytes: size.tableBytes + size.indexBytes,
      rows: await countRows(stores, name),
      deadRows: size.deadRows,
    });
  }
  const { rssMb, cpuSeconds } = await target.usage();
  return {
    load,
    seconds,
    pending: await countPending(stores),
    webhooks: (await receivers.take()).arrivals.length,
    rssMb,
    cpuSeconds,
    stores: await readStoreUsage(stores),
    tables,
  };
}

export interface SoakSources {
  target: ChildMillrace;
  stores: Stores;
  receivers: WebhookReceivers;
}

/** A row of the table by minute. */
export function rowOf(minute: SoakMinute): Record<string, number> {
  const { load, stores, tables } = minute;
  const sum = (of: (table: TableState) => number) =>
    [...tables.values()].reduce((total, table) => total + of(table), 0);
  return {
    'documents/s': rounded(load.pushed / minute.seconds),
    'deleted/s': rounded(load.deleted / minute.seconds),
    waiting: minute.pending,
    failed: load.failed,
    webhooks: minute.webhooks,
    'search p50': rounded(percentile(load.searchMs, 0.5)),
    'search p99': rounded(percentile(load.searchMs, 0.99)),
    'accept p50': rounded(percentile(load.acceptMs, 0.5)),
    'accept p99': rounded(percentile(load.acceptMs, 0.99)),
    'chat p50': rounded(percentile(load.chatMs, 0.5)),
    'RSS MB': Math.round(minute.rssMb),
    'Postgres MB': Math.round(stores.postgresMb),
    'Postgres connections': stores.postgresConnections,
    'Redis MB': rounded(stores.redisMb),
    'Redis keys': stores.redisKeys,
    'Redis connections': stores.redisConnections,
    'tables MB': rounded(sum(({ bytes }) => bytes) / MB),
    'dead rows': sum(({ deadRows }) => deadRows),
  };
}

/** A share of the figure in the middle third, and a change too small to matter. */
const LIMITS = {
  // A memory that grows by a tenth within a third of ten minutes has doubled within the half hour.
  space: { worse: 'higher', threshold: 0.1 },
  // The load is steady by design, so that less of it means that something came too late.
  pace: { worse: 'lower', threshold: 0.1, floor: 1 },
  // Half of some 240 searches a minute: other work on the machine moves it by some tenths.
  middle: { worse: 'higher', threshold: 0.25, floor: 2 },
  // Rests on the two or three slowest of a minute.
  tail: { worse: 'higher', threshold: 0.5, floor: 10 },
  // Grows until autovacuum comes, which is when a fifth of a table is dead.
  dead: { worse: 'higher', threshold: 0.5, floor: 2_000 },
} as const;

/** The figures by minute, of which each drifts or does not. */
export function figuresOf(minutes: readonly SoakMinute[]): Figure[] {
  const figure = (
    name: string,
    limits: Pick<Figure, 'worse' | 'threshold' | 'floor'>,
    of: (minute: SoakMinute) => number,
  ): Figure => ({ name, ...limits, values: minutes.map(of) });
  const space = (name: string, floor: number, of: (minute: SoakMinute) => number) =>
    figure(name, { ...LIMITS.space, floor }, of);
  return [
    figure('documents/s', LIMITS.pace, ({ load, seconds }) => load.pushed / seconds),
    space('requests that failed', 0, ({ load }) => load.failed),
    space('documents that wait', 100, ({ pending }) => pending),
    figure('search p50 ms', LIMITS.middle, ({ load }) => percentile(load.searchMs, 0.5)),
    figure('search p99 ms', LIMITS.tail, ({ load }) => percentile(load.searchMs, 0.99)),
    figure('accept p50 ms', LIMITS.middle, ({ load }) => percentile(load.acceptMs, 0.5)),
    figure('accept p99 ms', LIMITS.tail, ({ load }) => percentile(load.acceptMs, 0.99)),
    figure('chat p50 ms', LIMITS.middle, ({ load }) => percentile(load.chatMs, 0.5)),
    space('RSS MB', 10, ({ rssMb }) => rssMb),
    space('Postgres MB', 10, ({ stores }) => stores.postgresMb),
    space('Postgres connections', 1, ({ stores }) => stores.postgresConnections),
    space('Redis MB', 1, ({ stores }) => stores.redisMb),
    space('Redis keys', 20, ({ stores }) => stores.redisKeys),
    space('Redis connections', 1, ({ stores }) => stores.redisConnections),
    ...tableFigures(minutes),
  ];
}

/** Of the tables that are the largest in the end. */
function tableFigures(minutes: readonly SoakMinute[]): Figure[] {
  return largestOf(minutes).flatMap((name) => {
    const states = minutes.map(({ tables }) => tables.get(name));
    const firstRows = states.find((state) => state !== undefined)?.rows ?? 0;
    return [
      {
        name: `${name}, MB without its growth in rows`,
        ...LIMITS.space,
        floor: 1,
        values: states.map((state) => (state ? withoutGrowth(state, firstRows) / MB : 0)),
      },
      {
        name: `${name}, dead rows`,
        ...LIMITS.dead,
        values: states.map((state) => state?.deadRows ?? 0),
      },
    ];
  });
}

/** The largest tables, in the first minute and in the last. */
export function tableRows(minutes: readonly SoakMinute[]): Record<string, Record<string, number>> {
  const [first, last] = [minutes[0]?.tables, minutes.at(-1)?.tables];
  return Object.fromEntries(
    largestOf(minutes).map((name) => {
      const [before, after] = [first?.get(name), last?.get(name)];
      return [
        name,
        {
          'MB, first': rounded((before?.bytes ?? 0) / MB),
          'MB, last': rounded((after?.bytes ?? 0) / MB),
          'rows, first': before?.rows ?? 0,
          'rows, last': after?.rows ?? 0,
          'dead rows, last': after?.deadRows ?? 0,
        },
      ];
    }),
  );
}

function largestOf(minutes: readonly SoakMinute[]): string[] {
  return [...(minutes.at(-1)?.tables.keys() ?? [])].slice(0, JUDGED_TABLES);
}

/** A table that keeps what happened has more rows every minute, as it should; its bytes a row should not grow. */
export function withoutGrowth({ bytes, rows }: TableState, firstRows: number): number {
  return bytes / Math.max(1, rows / Math.max(1, firstRows));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
