import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { CHUNKS_BUCKET } from '#src/documents/term-counts.ts';
import { readVectorIndex } from '#src/documents/vector-index.ts';
import { type Database, openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import type { ChildMillrace } from './child-millrace.ts';
import { processUsage } from './process-usage.ts';

const MB = 1024 * 1024;

/** Connections of the bench itself to the stores of the Millrace that it measures. */
export interface Stores extends AsyncDisposable {
  readonly db: Database;
  readonly redis: Redis;
}

/** @throws when it has no Postgres and Redis */
export async function openStores({ databaseUrl, redisUrl }: ChildMillrace): Promise<Stores> {
  if (databaseUrl === null || redisUrl === null) {
    throw new Error('This needs servers: set TEST_DATABASE_URL and TEST_REDIS_URL.');
  }
  const database = await openDatabase(
    { databaseUrl, poolSize: 2, directory: null },
    createLog('error'),
  );
  const redis = new Redis(redisUrl);
  return {
    db: database.db,
    redis,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await database.close();
    },
  };
}

/** Documents that wait or are being indexed or deleted, of all workspaces. */
export async function countPending({ db }: Stores): Promise<number> {
  return one(
    db,
    sql<{ value: number }>`select count(*)::float8 as value from document
      where status in ('accepted', 'indexing', 'deleting')`,
  );
}

/** Of all workspaces, as the product counts them: rows of a million chunks take seconds to count. */
export async function countChunks({ db }: Stores): Promise<number> {
  return one(
    db,
    sql<{ value: number }>`select coalesce(sum(n), 0)::float8 as value from (
      select chunks[1] as n from term_count where bucket = ${CHUNKS_BUCKET}
      union all select deltas[1] from term_delta where bucket = ${CHUNKS_BUCKET}) counted`,
  );
}

export async function countFailed({ db }: Stores): Promise<number> {
  return one(
    db,
    sql<{ value: number }>`select count(*)::float8 as value from document where status = 'failed'`,
  );
}

export interface IndexProgress {
  /** Segments with an index that serves. */
  segments: number;
  isBeingBuilt: boolean;
  /** Done of the build's present phase, 0 to 1; null when nothing is built. */
  done: number | null;
}

export async function readIndexProgress({ db }: Stores): Promise<IndexProgress> {
  const { segments, isBeingBuilt } = await readVectorIndex(db);
  const { rows } = await sql<{ done: number | null }>`
    select coalesce(tuples_done::float8 / nullif(tuples_total, 0),
      blocks_done::float8 / nullif(blocks_total, 0)) as done
    from pg_stat_progress_create_index where datname = current_database()`.execute(db);
  return { segments: segments.length, isBeingBuilt, done: rows[0]?.done ?? null };
}

/** How many segments there are, with the share of a build that is done. */
export function describeIndex({ segments, isBeingBuilt, done }: IndexProgress): string {
  const building = isBeingBuilt
    ? `, one being built${done === null ? '' : `, ${Math.round(100 * done)} %`}`
    : '';
  return `${segments} segments${building}`;
}

/** The workspace with the most chunks. */
const LARGEST = sql`(select workspace_id from term_count where bucket = ${CHUNKS_BUCKET}
  order by chunks[1] desc limit 1)`;

/** Whether any vector of the largest workspace is marked for the vector index. */
export async function hasPromoted({ db }: Stores): Promise<boolean> {
  const { rows } = await sql`select 1 from chunk_vector
    where workspace_id = ${LARGEST} and promoted limit 1`.execute(db);
  return rows.length > 0;
}

/** Vectors of the largest workspace that no segment of the vector index has. */
export async function countStaged({ db }: Stores): Promise<number> {
  const end = (await readVectorIndex(db)).segments.at(-1)?.to ?? 0;
  return one(
    db,
    sql<{ value: number }>`select count(*)::float8 as value from chunk_vector
      where workspace_id = ${LARGEST} and (not promoted or segment >= ${end})`,
  );
}

export interface TableSize {
  /** With what is stored out of line, without indexes. */
  tableBytes: number;
  indexBytes: number;
  deadRows: number;
}

/** Every table of at least `minBytes` with its indexes, the largest first. */
export async function readTableSizes(
  { db }: Stores,
  minBytes: number,
): Promise<Map<string, TableSize>> {
  const { rows } = await sql<TableSize & { name: string }>`
    select relname::text as name, pg_table_size(relid)::float8 as "tableBytes",
      pg_indexes_size(relid)::float8 as "indexBytes", n_dead_tup::float8 as "deadRows"
    from pg_stat_user_tables where pg_total_relation_size(relid) >= ${minBytes}::float8
    order by pg_total_relation_size(relid) desc`.execute(db);
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

export async function countRows({ db }: Stores, table: string): Promise<number> {
  return one(db, sql<{ value: number }>`select count(*)::float8 as value from ${sql.table(table)}`);
}

export async function readDatabaseBytes({ db }: Stores): Promise<number> {
  return one(
    db,
    sql<{ value: number }>`select pg_database_size(current_database())::float8 as value`,
  );
}

export interface StoreUsage {
  postgresConnections: number;
  /** Of all processes of the server without shared buffers; NaN when it is elsewhere. */
  postgresMb: number;
  redisConnections: number;
  redisMb: number;
  redisKeys: number;
}

export async function readStoreUsage({ db, redis }: Stores): Promise<StoreUsage> {
  const { rows } = await sql<{ pid: number; is_ours: boolean }>`
    select pid, coalesce(datname = current_database(), false) as is_ours
    from pg_stat_activity`.execute(db);
  const usages = await Promise.all(rows.map(({ pid }) => processUsage(pid)));
  const info = await redis.info();
  const valueOf = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1]);
  return {
    postgresConnections: rows.filter(({ is_ours }) => is_ours).length,
    // A process that ended meanwhile has no memory.
    postgresMb: usages.reduce((sum, { anonymousMb }) => sum + (anonymousMb || 0), 0),
    redisConnections: valueOf('connected_clients'),
    redisMb: valueOf('used_memory') / MB,
    redisKeys: await redis.dbsize(),
  };
}

async function one(
  db: Database,
  query: { execute(db: Database): Promise<{ rows: { value: number }[] }> },
): Promise<number> {
  const { rows } = await query.execute(db);
  return rows[0]?.value ?? NaN;
}
