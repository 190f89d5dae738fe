import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

export const VECTOR_INDEX = 'chunk_vector_promoted';

/** Arbitrary, but different from the keys of Millrace's other locks. */
const BUILD_LOCK = 7_202_604;

/**
 * Whether a search may take promoted vectors from the index: it exists, is complete, has the right definition, and is
 * old enough for the snapshot. The planner checks the same, and otherwise compares every promoted vector.
 */
export const INDEX_SERVES: RawBuilder<boolean> = sql<boolean>`exists (
  select 1 from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am am on am.oid = c.relam
    join pg_opclass o on o.oid = i.indclass[0]
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  where i.indexrelid = to_regclass(${sql.lit(`public.${VECTOR_INDEX}`)})
    and i.indrelid = to_regclass('public.chunk_vector')
    and i.indisvalid and i.indisready
    and (not i.indcheckxmin or age(i.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid))
    and am.amname = 'hnsw' and o.opcname = 'bit_hamming_ops' and a.attname = 'bits'
    and pg_get_expr(i.indpred, i.indrelid) = 'promoted')`;

/** State of the index in the database. */
export interface VectorIndexState {
  serves: boolean;
  /** Unusable indexes of its name, or left by an interrupted reindex. They only slow down writes. */
  remains: string[];
  /** A session is building an index on the table, for Millrace or for an operator. */
  isBeingBuilt: boolean;
}

export async function readVectorIndex(db: Database): Promise<VectorIndexState> {
  const { rows } = await sql<VectorIndexState>`
    with one as materialized (select ${INDEX_SERVES} as serves)
    select one.serves, array(
        select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = to_regclass('public.chunk_vector') and (
          c.relname = ${VECTOR_INDEX} and not one.serves
          or c.relname ~ ${`^${VECTOR_INDEX}_cc(new|old)[0-9]*$`} and not i.indisvalid)
      ) as remains, exists (
        -- Of a build by another role, this view shows only the database.
        select 1 from pg_stat_progress_create_index p where p.datname = current_database()
          and (p.relid is null or p.relid = to_regclass('public.chunk_vector'))
      ) as "isBeingBuilt"
    from one`.execute(db);
  return rows[0] ?? { serves: false, remains: [], isBeingBuilt: false };
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

/** Drops unusable indexes concurrently, so that searches and writes go on. */
export async function dropRemains(connection: Database, remains: string[]): Promise<void> {
  for (const name of remains) {
    await sql`drop index concurrently if exists ${sql.id('public', name)}`.execute(connection);
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
 * Builds the index over all rows promoted so far, which is faster than inserting them one by one. Writes go on.
 * `analyze` comes first: if the planner expects few promoted rows, it sorts them all instead of using the index.
 *
 * It is over the sign bits, of which the best are then compared exactly. For 1,024 dimensions it is a sixth as large as
 * one over the vectors, is built in a tenth of the time, and finds as much.
 */
export async function createVectorIndex(
  connection: Database,
  { workers, megabytes }: BuildShare,
): Promise<void> {
  await sql`analyze public.chunk_vector`.execute(connection);
  // Of the two amounts of memory the larger one counts: the server's own setting is in kB.
  await sql`select set_config('max_parallel_maintenance_workers', ${String(workers)}, false),
    set_config('maintenance_work_mem', greatest(setting::bigint, ${megabytes}::bigint * 1024)::text, false)
    from pg_settings where name = 'maintenance_work_mem'`.execute(connection);
  await sql`create index concurrently ${sql.id(VECTOR_INDEX)} on public.chunk_vector
    using hnsw (bits bit_hamming_ops) where promoted`.execute(connection);
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
