import type { SegmentList } from '#src/documents/read-postings.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { openFairGate, throughFairGate } from '#src/platform/fair-gate.ts';
import { takeVisible, scoreByPostings } from './search-postings.ts';
import { type FoundChunk, type SearchScope, searchTerms } from './search-terms.ts';

/**
 * Questions that are scored at the same time in this process: each needs eight bytes for every chunk. The others wait
 * no longer for it, since one processor scores them all.
 */
const AT_ONCE = 16;
const scoring = openFairGate<WorkspaceId>({ places: AT_ONCE });

/**
 * The best chunks by words, by exact BM25 over the postings. Rows are searched for what these do not tell: chunks that
 * have none yet, and filters that few of many chunks pass.
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

async function search(
  db: Database,
  scope: SearchScope,
  queryTerms: ReadonlyMap<number, number>,
  counts: TermCounts,
  maxScored: number,
  listed: SegmentList | null,
): Promise<FoundChunk[]> {
  const inRows = (which: 'all' | 'loose') =>
    searchTerms(db, scope, queryTerms, counts, maxScored, which);
  const scored = await scoreByPostings(db, scope, queryTerms, counts, listed);
  if (scored === null) return inRows('all');
  if (!scored.someAreLoose) return (await takeVisible(db, scope, scored.best)) ?? inRows('all');
  // The rows first: a chunk that gets its postings meanwhile is then in both, and never in neither.
  const loose = await inRows('loose');
  const again = await scoreByPostings(db, scope, queryTerms, counts);
  const found = again && (await takeVisible(db, scope, again.best));
  return found === null ? inRows('all') : bestOfBoth(found, loose, scope.limit);
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
