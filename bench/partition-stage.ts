import { sql } from 'kysely';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { assertEmbeddingModel } from '#src/documents/embedding-model.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';
import { copyRows, type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { migrate } from '#src/platform/migrations.ts';
import { createTestDatabase } from '#test/support/test-database.ts';
import { databaseMeter } from './database-meter.ts';
import { DIMENSIONS, FilledRows } from './partition-rows.ts';
import { type Search, searchesOf } from './partition-searches.ts';
import { openSide, type Side } from './partition-sides.ts';
import { DocumentStates } from './partition-states.ts';
import { createTables, type GrowingTable, isKeyed, TABLES } from './partition-tables.ts';
import { workspaceShares } from './workspace-shares.ts';

const PARTITIONS = 16;
const WORKSPACES = 40;
const LARGEST_SHARE = 0.5;
const LARGE = 0;
/** Of the small ones neither the largest nor the smallest. */
const SMALL = WORKSPACES / 2;
const ROWS_AT_ONCE = 5_000;
/** A document has one; a bucket has the postings of five; the changes wait to be folded. */
const ROWS_PER_CHUNK: Record<GrowingTable, number> = {
  document: 1,
  chunk_vector: 1,
  chunk_planes: 1,
  posting_bucket: 0.2,
  term_delta: 0.05,
};

export interface PartitionStage extends AsyncDisposable {
  readonly plain: Side;
  readonly partitioned: Side;
  /** The partitioned vectors beside the other tables as they are. For reading. */
  readonly vectorsOnly: Side;
  readonly rows: FilledRows;
  readonly states: DocumentStates;
  readonly searches: readonly Search[];
  /** Rows of each table in the beginning. */
  readonly filled: Readonly<Record<GrowingTable, number>>;
  /** Seconds of processor time of all sessions. */
  readonly meter: () => Promise<number>;
}

/** The tables on both sides, filled and vacuumed, in a database of their own that is dropped in the end. */
export async function openPartitionStage(
  serverUrl: string,
  { chunks, spare }: { chunks: number; spare: number },
  signal: AbortSignal,
): Promise<PartitionStage> {
  await using opened = new AsyncDisposableStack();
  const log = createLog('error');
  const { url } = await createTestDatabase(serverUrl, opened, null);
  const database = await openDatabase({ databaseUrl: url, poolSize: 2, directory: null }, log);
  opened.defer(() => database.close());
  const { db } = database;
  await migrate(db, log);
  await assertEmbeddingModel(db, { model: 'bench', dimensions: DIMENSIONS });
  const workspaceIds = await createWorkspaces(db);
  const shares = workspaceShares(WORKSPACES, LARGEST_SHARE);
  const rows = new FilledRows(workspaceIds, shares, chunks + spare);
  const segments = [...rows.segments.values()];
  await sql`insert into posting_segment (id, workspace_id, chunks, buckets, directory, ready)
    select id, workspace_id, 0, 0, '', true
    from unnest(${segments.map(({ id }) => id)}::uuid[],
      ${segments.map(({ workspaceId }) => workspaceId)}::uuid[]) as s(id, workspace_id)`.execute(
    db,
  );
  const plain = { schema: 'plain', partitions: null };
  const partitioned = { schema: 'partitioned', partitions: PARTITIONS };
  for (const { schema, partitions } of [plain, partitioned]) {
    await createTables(db, schema, partitions);
  }
  await sql`create schema vectors`.execute(db);
  await sql`create view vectors.chunk_vector as select * from partitioned.chunk_vector`.execute(db);
  const sides = {
    plain: opened.use(openSide(url, plain, log)),
    partitioned: opened.use(openSide(url, partitioned, log)),
    vectorsOnly: opened.use(openSide(url, { schema: 'vectors,plain', partitions: null }, log)),
  };
  const filled = await fill([sides.plain, sides.partitioned], rows, chunks, signal);
  const config = parseConfig({});
  const resources = opened.move();
  return {
    ...sides,
    rows,
    states: new DocumentStates(rows, workspaceIds, filled.document),
    searches: searchesOf({ rows, filled, workspaceIds, large: LARGE, small: SMALL, config }),
    filled,
    meter: databaseMeter(url),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function createWorkspaces(db: Database): Promise<WorkspaceId[]> {
  const ids: WorkspaceId[] = [];
  for (let number = 0; number < WORKSPACES; number += 1) {
    const name = `Workspace ${number}`;
    ids.push((await createWorkspace(db, { name, planTier: 'Agency' })).workspaceId);
  }
  return ids;
}

async function fill(
  sides: readonly Side[],
  rows: FilledRows,
  chunks: number,
  signal: AbortSignal,
): Promise<Record<GrowingTable, number>> {
  const filled = {
    document: 0,
    chunk_vector: 0,
    chunk_planes: 0,
    posting_bucket: 0,
    term_delta: 0,
  };
  for (const table of TABLES) {
    const wanted = Math.round(chunks * ROWS_PER_CHUNK[table]);
    while (filled[table] < wanted) {
      signal.throwIfAborted();
      const range = { from: filled[table], count: Math.min(ROWS_AT_ONCE, wanted - filled[table]) };
      for (const side of sides) await copyTo(side, rows, table, range)();
      filled[table] += range.count;
    }
    for (const { db } of sides) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  }
  return filled;
}

/** @returns what copies these rows, whose payload is then made already */
export function copyTo(
  { db, partitions }: Side,
  rows: FilledRows,
  table: GrowingTable,
  range: { from: number; count: number },
): () => Promise<void> {
  const { columns, payload } = rows.copyOf(table, range, partitions !== null || isKeyed(table));
  return () => copyRows(db, table, columns, payload);
}
