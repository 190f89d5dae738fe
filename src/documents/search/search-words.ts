import type { SegmentList } from '#src/documents/read-postings.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { openFairGate, throughFairGate } from '#src/platform/fair-gate.ts';
import { type PostingScores, scoreByPostings, takeVisible } from './search-postings.ts';
import { searchLooseRows } from './search-loose-rows.ts';
import type { FoundChunk, SearchScope } from './search-scope.ts';

/**
 * Questions that are scored at the same time in this process: each needs eight bytes for every chunk. The others wait
 * no longer for it, since one processor scores them all.
 */
const AT_ONCE = 16;
const scoring = openFairGate<WorkspaceId>({ places: AT_ONCE });

/**
 * The best chunks by words, by exact BM25 over the postings, and over the rows of chunks that have none yet.
 * @param maxScored maximum number of rows scored
 * @param listed the segments, if they were read already
 */
export async function searchWords(
  db: Database,
  scope: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  maxScored: number,
  listed: SegmentList | null = null,
): Promise<FoundChunk[]> {
  if (queryTerms.size === 0) return [];
  return throughFairGate(scoring, scope.workspaceId, {}, () =>
    search(db, scope, queryTerms, counts, maxScored, listed),
  );
}

/** The scores alone, when a place is free. */
export async function scoreInTurn(
  db: Database,
  workspaceId: WorkspaceId,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
): Promise<PostingScores> {
  return throughFairGate(scoring, workspaceId, {}, () =>
    scoreByPostings(db, workspaceId, queryTerms, counts),
  );
}

async function search(
  db: Database,
  scope: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  maxScored: number,
  listed: SegmentList | null,
): Promise<FoundChunk[]> {
  const { workspaceId } = scope;
  const scored = await scoreByPostings(db, workspaceId, queryTerms, counts, listed);
  if (!scored.someAreLoose) return takeVisible(db, scope, scored.best);
  // The rows first: a chunk that gets its postings meanwhile is then in both, and never in neither.
  const loose = await searchLooseRows(db, scope, queryTerms, counts, maxScored);
  const again = await scoreByPostings(db, workspaceId, queryTerms, counts);
  return bestOfBoth(await takeVisible(db, scope, again.best), loose, scope.limit);
}

function bestOfBoth(
  found: readonly FoundChunk[],
  loose: readonly FoundChunk[],
  limit: number,
): FoundChunk[] {
  const known = new Set(found.map(({ key }) => key));
  return [...found, ...loose.filter(({ key }) => !known.has(key))]
    .sort((a, b) => b.score - a.score || a.key - b.key)
    .slice(0, limit);
}
