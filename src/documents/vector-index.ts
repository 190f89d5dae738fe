import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { type SegmentRange, type VectorSegment, withoutOverlaps } from './vector-segments.ts';

/** The name of the one index of earlier versions, and the beginning of those of its segments. */
const INDEX_NAME = 'chunk_vector_promoted';

/** Arbitrary, but different from the keys of Millrace's other locks. */
const BUILD_LOCK = 7_202_604;

/**
 * The HNSW indexes over sign bits that are complete, with the segment numbers that each is over. `is_seen` says whether
 * one is old enough for the snapshot. The planner checks the same, and otherwise compares every vector of the segment.
 */
const SOUND_INDEXES = sql<CatalogRow>`
  select c.relname::text as name, c.reltuples::float8 as rows, coalesce(range.bounds[1]::int, 0) as "from",
    coalesce(range.bounds[2]::int, 1) as "to", range.predicate = 'promoted' as "takesAll",
    not i.indcheckxmin or age(i.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid) as is_seen
  from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am am on am.oid = c.relam
    join pg_opclass o on o.oid = i.indclass[0]
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    cross join lateral (select predicate, regexp_match(predicate,
        '^\\(promoted AND \\(segment >= (\\d+)\\) AND \\(segment < (\\d+)\\)\\)$') as bounds
      from pg_get_expr(i.indpred, i.indrelid) predicate) range
  where i.indrelid = to_regclass('public.chunk_vector') and i.indisvalid and i.indisready
    and am.amname = 'hnsw' and o.opcname = 'bit_hamming_ops' and a.attname = 'bits'
    and (range.bounds is not null or range.predicate = 'promoted')`;

interface CatalogRow extends VectorSegment {
  is_seen: boolean;
}

/** The segments whose indexes a search may use in its snapshot, in their order and without overlaps. */
export async function readSegments(db: Database): Promise<VectorSegment[]> {
  const { rows } = await SOUND_INDEXES.execute(db);
  return withoutOverlaps(rows.filter((row) => row.is_seen));
}

/** State of the index in the database. */
export interface VectorIndexState {
  /** In their order and without overlaps. */
  segments: VectorSegment[];
  /** Indexes that are unusable, or superseded by one over more segments. They only slow down writes. */
  remains: string[];
  /** A session is building an index on the table, for Millrace or for an operator. */
  isBeingBuilt: boolean;
}

export async function readVectorIndex(db: Database): Promise<VectorIndexState> {
  const sound = await SOUND_INDEXES.execute(db);
  const segments = withoutOverlaps(sound.rows);
  const used = segments.map(({ name }) => name);
  const { rows } = await sql<{ remains: string[]; isBeingBuilt: boolean }>`
    select array(
        select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = to_regclass('public.chunk_vector')
          and c.relname ~ ${`^${INDEX_NAME}(_\\d+_\\d+)?(_cc(new|old)\\d*)?$`}
          and c.relname <> all (${used}::text[])
      ) as remains, exists (
        -- Of a build by another role, this view shows only the database.
        select 1 from pg_stat_progress_create_index p where p.datname = current_database()
          and (p.relid is null or p.relid = to_regclass('public.chunk_vector'))
      ) as "isBeingBuilt"`.execute(db);
  return { segments, remains: [], isBeingBuilt: false, ...rows[0] };
}

/**
 * Runs `work` in at most one Millrace process at a time, on one connection and without a statement timeout. What it sets
 * for the session is reset. An abort cancels the running statement. The lock belongs to the server session: if this
 * process dies while the server goes on building, no other process starts.
 *
 * @param db leads to the server itself: through a pooler, the lock would be in one session and the build in another
 *
 * The lock is tried, never waited for: a waiting session would hold a snapshot, and a concurrent build waits for that.
 * @returns null if another process holds the lock
 */
export async function underBuildLock<T>(
  db: Database,
  signal: AbortSignal,
  work: (connection: Database) => Promise<T>,
): Promise<T | null> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ locked: boolean; pid: number }>`
      select pg_try_advisory_lock(${BUILD_LOCK}) as locked, pg_backend_pid() as pid`.execute(
      connection,
    );
    const [session] = rows;
    if (session?.locked !== true) return null;
    try {
      await sql`set statement_timeout = 0`.execute(connection);
      return await cancelledBy(db, session.pid, signal, () => work(connection));
    } finally {
      await sql`reset all`.execute(connection);
      await sql`select pg_advisory_unlock(${BUILD_LOCK})`.execute(connection);
    }
  });
}

/** Drops indexes concurrently, so that searches and writes go on. */
export async function dropConcurrently(connection: Database, names: string[]): Promise<void> {
  for (const name of names) {
    await sql`drop index concurrently if exists ${sql.id('public', name)}`.execute(connection);
  }
}

/** Drops every index over vectors, within the transaction. */
export async function dropVectorIndexes(trx: DatabaseTransaction): Promise<void> {
  const { segments, remains } = await readVectorIndex(trx);
  for (const name of [...segments.map((segment) => segment.name), ...remains]) {
    await sql`drop index if exists ${sql.id('public', name)}`.execute(trx);
  }
}

/** What a build may take of the server. */
export interface BuildShare {
  /** Parallel workers beside the process that builds. They take shared memory, so memory is theirs at once. */
  workers: number;
  /** For the graph, which takes what it needs of it; beyond that it is written to disk, and the build takes longer. */
  megabytes: number;
}

/**
 * Builds the index over the promoted vectors of some segment numbers, which is faster than inserting them one by one.
 * Writes go on. `analyze` comes first: if the planner expects few rows, it sorts them all instead of using the index.
 *
 * It is over the sign bits, of which the best are then compared exactly. For 1,024 dimensions it is a sixth as large as
 * one over the vectors, is built in a tenth of the time, and finds as much.
 */
export async function createSegment(
  connection: Database,
  { from, to }: SegmentRange,
  { workers, megabytes }: BuildShare,
): Promise<void> {
  await sql`analyze public.chunk_vector (workspace_id, promoted, segment)`.execute(connection);
  // Of the two amounts of memory the larger one counts: the server's own setting is in kB.
  await sql`select set_config('max_parallel_maintenance_workers', ${String(workers)}, false),
    set_config('maintenance_work_mem', greatest(setting::bigint, ${megabytes}::bigint * 1024)::text, false)
    from pg_settings where name = 'maintenance_work_mem'`.execute(connection);
  await sql`create index concurrently ${sql.id(`${INDEX_NAME}_${from}_${to}`)} on public.chunk_vector
    using hnsw (bits bit_hamming_ops)
    where promoted and segment >= ${sql.lit(from)} and segment < ${sql.lit(to)}`.execute(
    connection,
  );
}

async function cancelledBy<T>(
  db: Database,
  pid: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let cancelling: Promise<unknown> = Promise.resolve();
  const cancel = (): void => {
    // If the connection is lost, the work ends anyway.
    cancelling = sql`select pg_cancel_backend(${pid})`.execute(db).catch(() => null);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  }
}
