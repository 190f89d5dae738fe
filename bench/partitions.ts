import { sql } from 'kysely';
import { abortOnSignal } from './abort-on-signal.ts';
import type { BenchOptions } from './bench-options.ts';
import { type Side, timePlanning } from './partition-sides.ts';
import { CHANGED_DOCUMENTS } from './partition-states.ts';
import { copyTo, openPartitionStage, type PartitionStage } from './partition-stage.ts';
import { readBytes, TABLES } from './partition-tables.ts';
import { median } from './percentile.ts';

const CHUNKS = 200_000;
/** Below it a small workspace has fewer documents than are changed. */
const FEWEST_CHUNKS = 10_000;
const ROUNDS = 5;
const COPIED = 5_000;
const PLANNED_TIMES = 15;
const MB = 1024 * 1024;

/** What is timed, `times` in a row. What `begin` does is not. */
interface Measure {
  name: string;
  times: number;
  isRead: boolean;
  begin: (side: Side, round: number) => () => Promise<unknown>;
}

/** Milliseconds. */
interface Took {
  wall: number;
  cpu: number;
}

/** Of one measure, by round. */
interface Compared {
  plain: Took[];
  partitioned: Took[];
  /** Empty where rows are written. */
  vectorsOnly: Took[];
}

/**
 * The tables that grow with the documents, plain and partitioned by hash of their workspace, filled alike: what the
 * statements of the product take on either side, in turns. Processor time is that of the sessions of Postgres.
 */
export async function partitions(options: BenchOptions): Promise<void> {
  const { TEST_DATABASE_URL: serverUrl } = process.env;
  if (!serverUrl) {
    console.log('partitions: this needs a Postgres server; set TEST_DATABASE_URL.');
    return;
  }
  const chunks = Math.max(FEWEST_CHUNKS, options.chunks ?? CHUNKS);
  await abortOnSignal(async (signal) => {
    const size = { chunks, spare: (ROUNDS + 1) * COPIED };
    await using stage = await openPartitionStage(serverUrl, size, signal);
    console.log(
      `partitions: ${chunks} chunks; plain, and in ${stage.partitioned.partitions} partitions by hash of the workspace`,
    );
    const all = await takeTurns(stage, signal);
    console.table(Object.fromEntries(Array.from(all, ([name, one]) => [name, timeRow(one)])));
    const reads = [...all].filter(([, { vectorsOnly }]) => vectorsOnly.length > 0);
    console.log('partitions: chunk_vector alone is partitioned');
    console.table(
      Object.fromEntries(
        reads.map(([name, { plain, vectorsOnly }]) => [
          name,
          timeRow({ plain, partitioned: vectorsOnly }),
        ]),
      ),
    );
    console.table(await planningRows(stage));
    console.table(await sizeRows(stage));
  });
}

/** The first of the rounds warms up, and does not count. */
async function takeTurns(
  stage: PartitionStage,
  signal: AbortSignal,
): Promise<Map<string, Compared>> {
  const all = new Map<string, Compared>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const measure of measuresOf(stage)) {
      signal.throwIfAborted();
      const plain = await timed(stage, measure, stage.plain, round);
      const partitioned = await timed(stage, measure, stage.partitioned, round);
      const vectorsOnly = measure.isRead
        ? [await timed(stage, measure, stage.vectorsOnly, round)]
        : [];
      if (round === 0) continue;
      const compared = all.get(measure.name) ?? { plain: [], partitioned: [], vectorsOnly: [] };
      compared.plain.push(plain);
      compared.partitioned.push(partitioned);
      compared.vectorsOnly.push(...vectorsOnly);
      all.set(measure.name, compared);
    }
  }
  return all;
}

/** In the order of a round: vacuum comes last, when rows are new and dead. */
function measuresOf({ rows, filled, states, searches }: PartitionStage): Measure[] {
  const copies = TABLES.map((table) => ({
    name: `COPY of ${COPIED} rows: ${table}`,
    times: 1,
    isRead: false,
    begin: (side: Side, round: number) =>
      copyTo(side, rows, table, { from: filled[table] + round * COPIED, count: COPIED }),
  }));
  const accepted: Measure = {
    name: `${CHANGED_DOCUMENTS} documents: accepted anew`,
    times: 1,
    isRead: false,
    begin({ db }, round) {
      const contents = states.contentsOf(round);
      return () => states.accept(db, contents);
    },
  };
  return [
    ...copies,
    accepted,
    once(`${CHANGED_DOCUMENTS} documents: claimed`, ({ db }) => states.claimAll(db)),
    once(`${CHANGED_DOCUMENTS} documents: indexed`, ({ db }) => states.markAll(db)),
    ...searches.map(({ ask, ...search }) => ({
      ...search,
      isRead: true,
      begin: (side: Side) => () => ask(side),
    })),
    ...TABLES.map((table) =>
      once(`vacuum (analyze): ${table}`, ({ db }) =>
        sql`vacuum (analyze) ${sql.table(table)}`.execute(db),
      ),
    ),
  ];
}

function once(name: string, work: (side: Side) => Promise<unknown>): Measure {
  return { name, times: 1, isRead: false, begin: (side) => () => work(side) };
}

async function timed(
  { meter }: PartitionStage,
  { times, begin }: Measure,
  side: Side,
  round: number,
): Promise<Took> {
  const work = begin(side, round);
  const usedBefore = await meter();
  const startedMs = performance.now();
  for (let time = 0; time < times; time += 1) await work();
  const wall = (performance.now() - startedMs) / times;
  return { wall, cpu: (1_000 * ((await meter()) - usedBefore)) / times };
}

/** Processor time is that of all rounds together: Linux counts it in ticks of 10 ms. */
function timeRow({ plain, partitioned }: Omit<Compared, 'vectorsOnly'>): object {
  const wallOf = (side: Took[]) => median(side.map(({ wall }) => wall));
  const cpuOf = (side: Took[]) => side.reduce((sum, { cpu }) => sum + cpu, 0) / side.length;
  return {
    ...beside('ms', wallOf(plain), wallOf(partitioned)),
    ...beside('processor ms', cpuOf(plain), cpuOf(partitioned)),
  };
}

/** As EXPLAIN reports it. */
async function planningRows({
  plain,
  partitioned,
  vectorsOnly,
  searches,
}: PartitionStage): Promise<object> {
  const rows: Record<string, object> = {};
  for (const { name, ask } of searches) {
    const timePlan = async (side: Side) => {
      await ask(side);
      return timePlanning(side, side.last(), PLANNED_TIMES);
    };
    const plainMs = await timePlan(plain);
    rows[`planning: ${name}`] = {
      ...beside('ms', plainMs, await timePlan(partitioned)),
      'vectors alone, ms': rounded(await timePlan(vectorsOnly)),
    };
  }
  return rows;
}

async function sizeRows({ plain, partitioned }: PartitionStage): Promise<object> {
  const rows: Record<string, object> = {};
  for (const table of TABLES) {
    const [one, other] = [await readBytes(plain.db, table), await readBytes(partitioned.db, table)];
    rows[`size: ${table}`] = beside('MB', one / MB, other / MB);
  }
  return rows;
}

function beside(unit: string, plain: number, partitioned: number): object {
  return {
    [`plain, ${unit}`]: rounded(plain),
    [`partitioned, ${unit}`]: rounded(partitioned),
    [`${unit}, ratio`]: rounded(partitioned / plain),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
