import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentServices } from './document-services.ts';
import { CHUNKS_BUCKET } from './term-counts.ts';
import {
  type BuildShare,
  createVectorIndex,
  dropRemains,
  readVectorIndex,
  underBuildLock,
  type VectorIndexState,
} from './vector-index.ts';

const ROWS_PER_STEP = 500;
/**
 * A run that inserts into the index stops after this time; the next one begins every 30 seconds. An insertion takes
 * milliseconds of a core, a scan of a staged vector a fifth of a microsecond. So while documents wait for indexing, they
 * come first.
 */
const RUN_BUDGET_MS = 25_000;
const BUSY_RUN_BUDGET_MS = 5_000;

type PromoteServices = Pick<DocumentServices, 'db' | 'directDb' | 'config' | 'clock'>;

/**
 * Moves staged vectors of large workspaces into the HNSW index, a few at a time. Inserting into the graph is the slow
 * part of loading, so it happens here and not while documents are indexed. If the index is missing or unsound, it is
 * built first; meanwhile, searches do without it. PGlite keeps scanning sign bits: building the graph in WASM takes
 * longer than the scans it would save.
 * @returns how many vectors were moved
 */
export async function promoteVectors(
  { db, directDb, config, clock }: PromoteServices,
  signal: AbortSignal,
): Promise<number> {
  if (config.size === 'embedded') return 0;
  const workspaceIds = await largeWorkspaces(db, config.VECTOR_PROMOTE_THRESHOLD);
  if (workspaceIds.length === 0) return 0;
  if (isSound(await readVectorIndex(db))) {
    const budgetMs = (await areDocumentsWaiting(db)) ? BUSY_RUN_BUDGET_MS : RUN_BUDGET_MS;
    const stopAt = clock().getTime() + budgetMs;
    return promoteAll(db, workspaceIds, signal, () => clock().getTime() < stopAt);
  }
  const share = { workers: config.VECTOR_INDEX_WORKERS, megabytes: config.VECTOR_INDEX_MEMORY_MB };
  const moved = await underBuildLock(directDb, signal, (connection) =>
    mendIndex(connection, workspaceIds, share, signal),
  );
  return moved ?? 0;
}

async function areDocumentsWaiting(db: Database): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    select exists (select 1 from document where status in ('accepted', 'indexing')) as waiting`.execute(
    db,
  );
  return rows[0]?.waiting === true;
}

async function largeWorkspaces(db: Database, threshold: number): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select workspace_id from term_count where bucket = ${CHUNKS_BUCKET} and chunks[1] > ${threshold}`.execute(
    db,
  );
  return rows.map((row) => row.workspace_id);
}

function isSound({ serves, remains }: VectorIndexState): boolean {
  return serves && remains.length === 0;
}

/**
 * Drops the remains of an interrupted build, and builds the index if it is not usable. The rows are marked first: no
 * search takes them from an unusable index, and building it over them is faster than inserting them.
 */
async function mendIndex(
  connection: Database,
  workspaceIds: WorkspaceId[],
  share: BuildShare,
  signal: AbortSignal,
): Promise<number> {
  // Read again under the lock: another process may have built the index since.
  const state = await readVectorIndex(connection);
  if (isSound(state) || state.isBeingBuilt) return 0;
  await dropRemains(connection, state.remains);
  if (state.serves) return 0;
  const moved = await promoteAll(connection, workspaceIds, signal, () => true);
  signal.throwIfAborted();
  await createVectorIndex(connection, share);
  return moved;
}

async function promoteAll(
  db: Database,
  workspaceIds: WorkspaceId[],
  signal: AbortSignal,
  isTimeLeft: () => boolean,
): Promise<number> {
  let moved = 0;
  for (const workspaceId of workspaceIds) {
    let step = ROWS_PER_STEP;
    while (step === ROWS_PER_STEP && isTimeLeft()) {
      signal.throwIfAborted();
      step = await promoteSome(db, workspaceId);
      moved += step;
    }
  }
  return moved;
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
