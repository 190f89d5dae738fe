import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type Database, type DatabaseTransaction } from '#src/platform/database.ts';

/** The pseudo-term that counts a workspace's chunks. */
const CHUNKS_TERM = -1;

/** Document frequencies for the terms of one query. */
export interface TermCounts {
  /** Chunks in the workspace. */
  chunks: number;
  /** Term id → chunks that hold it. */
  df: Map<number, number>;
}

/** Changes of one write, summed per workspace and term before they reach the database. */
export class TermDeltas {
  readonly #sums = new Map<WorkspaceId, Map<number, number>>();

  /** Counts one chunk with these distinct terms: `by` is 1 when it comes, −1 when it goes. */
  add(workspaceId: WorkspaceId, terms: Iterable<number>, by: 1 | -1): void {
    const sums = this.#sums.get(workspaceId) ?? new Map<number, number>();
    this.#sums.set(workspaceId, sums);
    sums.set(CHUNKS_TERM, (sums.get(CHUNKS_TERM) ?? 0) + by);
    for (const term of terms) sums.set(term, (sums.get(term) ?? 0) + by);
  }

  async write(trx: DatabaseTransaction): Promise<void> {
    const copy = new BinaryCopy();
    for (const [workspaceId, sums] of this.#sums) {
      // In the order of the index, so that neighbouring rows touch the same pages.
      for (const [term, delta] of [...sums].sort(([a], [b]) => a - b)) {
        if (delta !== 0) copy.row(3).uuid(workspaceId).int4(term).int4(delta);
      }
    }
    if (copy.rowCount === 0) return;
    await copyRows(trx, 'term_delta', ['workspace_id', 'term', 'delta'], copy.finish());
  }
}

/** How many chunks hold each term, folded and not yet folded changes together. */
export async function readTermCounts(
  db: Database,
  workspaceId: WorkspaceId,
  terms: readonly number[],
): Promise<TermCounts> {
  const wanted = [CHUNKS_TERM, ...terms];
  const { rows } = await sql<{ term: number; chunks: number }>`
    select term, sum(chunks)::float8 as chunks from (
      select term, chunks from term_count
        where workspace_id = ${workspaceId} and term = any(${wanted}::int[])
      union all
      select term, delta from term_delta
        where workspace_id = ${workspaceId} and term = any(${wanted}::int[])
    ) parts group by term`.execute(db);
  const df = new Map(rows.map((row) => [row.term, Math.max(0, row.chunks)]));
  const chunks = df.get(CHUNKS_TERM) ?? 0;
  df.delete(CHUNKS_TERM);
  return { chunks, df };
}

/**
 * Folds appended changes into `term_count`, at most `limit` rows, all those of a term together.
 * @returns how many were folded; fewer than `limit` means that none are left
 */
export async function foldTermDeltas(db: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with taken as (
      delete from term_delta where ctid = any(array(
        select ctid from term_delta order by workspace_id, term
        limit ${limit}::int for update skip locked))
      returning workspace_id, term, delta
    ), summed as (
      insert into term_count as t (workspace_id, term, chunks)
      select workspace_id, term, sum(delta) from taken group by workspace_id, term
      order by workspace_id, term
      on conflict (workspace_id, term) do update set chunks = t.chunks + excluded.chunks
    )
    select count(*)::int as folded from taken`.execute(db);
  return rows[0]?.folded ?? 0;
}
