import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkspaceId } from '#src/ids.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import type { Database } from '#src/platform/database.ts';
import { openFairGate, throughFairGate } from '#src/platform/fair-gate.ts';
import { hasFilters } from './search-filters.ts';
import {
  bestPermitted,
  type PostingScores,
  scoreByPostings,
  visibleOf,
} from './search-postings.ts';
import { looseRowsWith } from './search-loose-rows.ts';
import type { FoundChunk, SearchScope } from './search-scope.ts';

/** How words are searched: what they are, and where. */
export interface WordSearch {
  scope: SearchScope;
  queryTerms: ReadonlyMap<number, number>;
  counts: TermCounts;
}

export interface WordMatches {
  chunks: FoundChunk[];
  /** False when there may be more. */
  isWhole: boolean;
}

interface Bounds {
  most: number;
  signal: AbortSignal;
}

/** Chunks looked at for one search, the best first. */
const MAX_MATCHES = 20_000;
/** Looked up by one statement, so that those of others wait no longer than for a search. */
const STEP = 2_000;
/** Fewer than searches, which never wait for them. */
const AT_ONCE = 2;

const matching = openFairGate<WorkspaceId>({ places: AT_ONCE });

/** Every chunk that has a word of the query, as far as the searcher may see it and the filters let it pass. */
export async function matchWords(
  db: Database,
  search: WordSearch,
  signal: AbortSignal,
  most: number = MAX_MATCHES,
): Promise<WordMatches> {
  const { scope, queryTerms } = search;
  if (queryTerms.size === 0) return { chunks: [], isWhole: true };
  return throughFairGate(matching, scope.workspaceId, { signal }, () =>
    match(db, search, { most, signal }),
  );
}

async function match(db: Database, search: WordSearch, bounds: Bounds): Promise<WordMatches> {
  const { scope, queryTerms, counts } = search;
  const scored = await scoreByPostings(db, scope.workspaceId, queryTerms, counts);
  if (!scored.someAreLoose) return matchPostings(db, scope, scored, bounds);
  // The rows first: a chunk that gets its postings meanwhile is then in both, and never in neither.
  const loose = await matchLoose(db, search, bounds);
  const again = await scoreByPostings(db, scope.workspaceId, queryTerms, counts);
  const { chunks, isWhole } = await matchPostings(db, scope, again, bounds);
  return { chunks: [...chunks, ...loose.chunks], isWhole: isWhole && loose.isWhole };
}

async function matchLoose(
  db: Database,
  { scope, queryTerms }: WordSearch,
  { most }: Bounds,
): Promise<WordMatches> {
  const limit = most + 1;
  const chunks = await looseRowsWith(db, { ...scope, limit }, [...queryTerms.keys()]);
  return { chunks, isWhole: chunks.length < limit };
}

async function matchPostings(
  db: Database,
  scope: SearchScope,
  { best, isCut }: PostingScores,
  { most, signal }: Bounds,
): Promise<WordMatches> {
  const isWhole = best.count <= most && !isCut;
  const isNarrowed = hasFilters(scope.filters) || scope.conditions.length > 0;
  if (!isWhole && isNarrowed) {
    const permitted = await bestPermitted(db, scope, best);
    if (permitted !== null) return { chunks: permitted, isWhole: !isCut };
  }
  const wanted = best.takeUnordered(most);
  const chunks: FoundChunk[] = [];
  for (let from = 0; from < wanted.length; from += STEP) {
    signal.throwIfAborted();
    chunks.push(...(await visibleOf(db, scope, wanted.slice(from, from + STEP))));
    await nextTurn();
  }
  return { chunks, isWhole };
}
