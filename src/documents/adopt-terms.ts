import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { writePostings } from './write-postings.ts';

/** Rows per transaction: some tens of milliseconds on the embedded database, which has a single session. */
export const ADOPTED_PER_STEP = 250;

interface LooseRow {
  chunk_id: number;
  workspace_id: WorkspaceId;
  terms: number[];
  weights: string;
}

/**
 * Writes the postings of chunks that have none: the version before wrote them, or still does beside this one. Until
 * then, searches read their rows.
 * @returns how many; fewer than `ADOPTED_PER_STEP` when none are left
 */
export async function adoptTerms(db: Database): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<LooseRow>`
      select chunk_id, workspace_id, terms, weights::text as weights from chunk_terms
      where not in_postings limit ${ADOPTED_PER_STEP} for update skip locked`.execute(trx);
    if (rows.length === 0) return 0;
    const chunks = rows.map((row) => ({
      id: row.chunk_id,
      workspaceId: row.workspace_id,
      termIds: Int32Array.from(row.terms),
      termWeights: weightsOf(row.weights),
    }));
    await writePostings(trx, chunks);
    await sql`update chunk_terms set in_postings = true
      where chunk_id = any(${chunks.map(({ id }) => id)}::bigint[])`.execute(trx);
    return rows.length;
  });
}

/** Of a `sparsevec` as text, `{7:0.5,264:1.25}/536870912`: in the order of `terms`. */
function weightsOf(sparse: string): Float32Array {
  const elements = sparse.slice(1, sparse.indexOf('}'));
  if (elements === '') return new Float32Array();
  return Float32Array.from(elements.split(','), (one) => Number(one.slice(one.indexOf(':') + 1)));
}
