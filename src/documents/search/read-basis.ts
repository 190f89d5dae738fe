import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { BASIS_VERSION, decodeBasis, type LatentBasis } from '#src/documents/latent-basis.ts';

/** Of 1.4 MB at most: those asked for longest ago leave first. */
const MAX_KEPT = 32;

interface Kept {
  id: string;
  basis: LatentBasis;
}

const kept = new Map<WorkspaceId, Kept>();

/**
 * The basis of a workspace, as it is now; null when it has none of this version. The process keeps some, so that most
 * searches read no more than an id.
 */
export async function readBasis(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<LatentBasis | null> {
  const known = kept.get(workspaceId) ?? null;
  const { rows } = await sql<{ id: string; basis: Uint8Array | null }>`
    select id, case when id is distinct from ${known?.id ?? null}::uuid then basis end as basis
    from latent_basis where workspace_id = ${workspaceId} and version = ${BASIS_VERSION}`.execute(
    db,
  );
  const [row] = rows;
  kept.delete(workspaceId);
  if (!row) return null;
  const found = row.basis === null ? known : { id: row.id, basis: decodeBasis(row.basis) };
  if (found === null) return null;
  kept.set(workspaceId, found);
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return found.basis;
}
