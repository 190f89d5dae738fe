import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';

const ROWS_PER_STEP = 500;
/** One run stops here; the next scheduled one goes on. */
const RUN_BUDGET_MS = 25_000;

type PromoteServices = Pick<Services, 'db' | 'config' | 'clock'>;

/**
 * Moves staged vectors of large workspaces into the HNSW index, a few at a time: inserting into the
 * graph is the slow part of loading, so it happens here and not while documents are indexed.
 * PGlite keeps scanning bits: building the graph in WASM is slower than the scan it would save.
 * @returns how many vectors were moved
 */
export async function promoteVectors(
  { db, config, clock }: PromoteServices,
  signal: AbortSignal,
): Promise<number> {
  if (config.size === 'embedded') return 0;
  const stopAt = clock().getTime() + RUN_BUDGET_MS;
  let moved = 0;
  const workspaceIds = await largeWorkspaces(db, config.VECTOR_PROMOTE_THRESHOLD);
  for (const workspaceId of workspaceIds) {
    let step = ROWS_PER_STEP;
    while (step === ROWS_PER_STEP && clock().getTime() < stopAt) {
      signal.throwIfAborted();
      step = await promoteSome(db, workspaceId);
      moved += step;
    }
  }
  if (workspaceIds.length > 0) await ensureIndex(db);
  return moved;
}

async function largeWorkspaces(db: Database, threshold: number): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select workspace_id from term_count where term = -1 and chunks > ${threshold}`.execute(db);
  return rows.map((row) => row.workspace_id);
}

async function promoteSome(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    with staged as (
      select chunk_id from chunk_vector where workspace_id = ${workspaceId} and not promoted
      limit ${ROWS_PER_STEP} for update skip locked
    ), moved as (
      update chunk_vector v set promoted = true from staged where v.chunk_id = staged.chunk_id
      returning 1
    ) select count(*)::int as moved from moved`.execute(db);
  return rows[0]?.moved ?? 0;
}

/**
 * Built after the first load, which is ten times faster than growing it; concurrently, so that
 * writes go on. A build that died leaves an invalid index, which is dropped and built again.
 * Until it is there, searches compare promoted vectors one by one: slower, never wrong.
 */
async function ensureIndex(db: Database): Promise<void> {
  const { rows } = await sql<{ valid: boolean; building: boolean }>`
    select i.indisvalid as valid, exists (
      select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as building
    from pg_index i where i.indexrelid = to_regclass('public.chunk_vector_promoted')`.execute(db);
  const [index] = rows;
  if (index?.valid === true || index?.building === true) return;
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      if (index)
        await sql`drop index concurrently if exists chunk_vector_promoted`.execute(connection);
      await sql`create index concurrently if not exists chunk_vector_promoted on chunk_vector
        using hnsw (embedding halfvec_ip_ops) where promoted`.execute(connection);
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}
