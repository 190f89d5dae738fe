import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { BASIS_VERSION, decodeBasis, type LatentBasis } from '#src/documents/latent-basis.ts';

/** Of 1.4 MB at most: those asked for longest ago leave first. */
const MAX_KEPT = 32;

interface Kept {
  id: string;
  basis: LatentBasis;
}

const kept = new Map<WorkspaceId, Kept>();

export interface BasisRow {
  id: string;
  /** Null when the process knows it. */
  basis: Uint8Array | null;
}

/**
 * The basis of a workspace, as it is now; null when it has none of this version. The process keeps some, so that most
 * searches read no more than an id.
 */
export function askForBasis(workspaceId: WorkspaceId): {
  /** One row, or none. */
  rows: RawBuilder<BasisRow>;
  take(row: BasisRow | null): LatentBasis | null;
} {
  const known = kept.get(workspaceId) ?? null;
  const rows = sql<BasisRow>`
    select id, case when id is distinct from ${known?.id ?? null}::uuid then basis end as basis
    from latent_basis where workspace_id = ${workspaceId} and version = ${BASIS_VERSION}`;
  return { rows, take: (row) => takeBasis(workspaceId, row, known) };
}

function takeBasis(
  workspaceId: WorkspaceId,
  row: BasisRow | null,
  known: Kept | null,
): LatentBasis | null {
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
