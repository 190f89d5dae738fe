import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Candidate, FoundCandidates } from './find-candidates.ts';
import { keepMatching } from './keep-matching.ts';
import { matchWords } from './match-words.ts';
import { needsText } from './query-conditions.ts';
import type { FoundChunk } from './search-scope.ts';

/** All that a search matches, whether or not it is among the results. */
export interface Matches {
  documents: DocumentId[];
  /** False when there may be more: to count them would cost too much. */
  isExact: boolean;
}

/** Chunks whose text is compared with what the query demands. */
const MAX_READ = 4_000;
/** Read at a time: more would hold the event loop for long. */
const READ_STEP = 250;
/** Compared at a time where the index tells. */
const STEP = 2_000;

/**
 * The documents that have a word of the query and all that it demands, and those that the vectors found. Of the
 * vectors, the nearest count: what resembles a query has no natural end.
 */
export async function findMatches(
  db: Database,
  workspaceId: WorkspaceId,
  { candidates, wordSearch }: FoundCandidates,
  signal: AbortSignal,
): Promise<Matches> {
  const documents = new Set(candidates.map(({ documentId }) => documentId));
  if (wordSearch === null) return { documents: [...documents], isExact: true };
  const { chunks, isWhole } = await matchWords(db, wordSearch, signal);
  const { conditions } = wordSearch.scope;
  const others = chunks.filter(({ documentId }) => !documents.has(documentId));
  const isRead = conditions.some(needsText);
  const compared = isRead ? others.slice(0, MAX_READ) : others;
  const step = isRead ? READ_STEP : STEP;
  for (let from = 0; from < compared.length; from += step) {
    signal.throwIfAborted();
    const some = compared.slice(from, from + step).map(candidateOf);
    const kept = await keepMatching(db, workspaceId, conditions, some);
    for (const { documentId } of kept) documents.add(documentId);
  }
  return { documents: [...documents], isExact: isWhole && compared.length === others.length };
}

function candidateOf({ key, documentId, score }: FoundChunk): Candidate {
  return { chunkId: key, documentId, lexical: score, dense: null };
}
