import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import { countTermIds, idf, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { hasPrivatePairsOfOthers } from '#src/documents/document-access.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { EmbedderFault } from '#src/documents/embed.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { SearchFilters } from './search-filters.ts';
import { type FoundChunk, MAX_SCORED, type SearchScope, searchTerms } from './search-terms.ts';
import { searchVectors } from './search-vectors.ts';

/**
 * Chunks that each half contributes, whatever the limit of the request: enough to include the best chunk of each of a
 * hundred documents.
 */
const CANDIDATES_PER_HALF = 500;
const UNKNOWN_WORD_SHARE = 0.6;

type CandidateServices = Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>;

export interface Question {
  workspaceId: WorkspaceId;
  /** The user who searches. Documents private to others are not found. */
  userId: UserId;
  query: string;
  filters: SearchFilters;
  signal: AbortSignal;
}

/** A chunk that one half of the search found, or both. */
export interface Candidate {
  chunkId: number;
  documentId: DocumentId;
  /** BM25 score; null if not among the best by words. */
  lexical: number | null;
  /** Cosine; null if not among the nearest vectors. */
  dense: number | null;
}

export interface FoundCandidates {
  /** The terms of the question, as `tokenize` gives them. */
  words: string[];
  candidates: Candidate[];
}

/** The candidates by words and by vectors: the same for every limit. */
export async function findCandidates(
  services: CandidateServices,
  question: Question,
): Promise<FoundCandidates> {
  const { db, embedder } = services;
  const salt = workspaceSalt(question.workspaceId);
  const words = tokenize(question.query);
  const queryTerms = countTermIds(words, salt);
  const [counts, someArePrivate] = await Promise.all([
    readTermCounts(db, question.workspaceId, [...queryTerms.keys()]),
    hasPrivatePairsOfOthers(db, question.workspaceId, question.userId),
  ]);
  if (counts.chunks === 0) return { words, candidates: [] };
  const scope: SearchScope = {
    workspaceId: question.workspaceId,
    userId: someArePrivate ? question.userId : null,
    filters: question.filters,
    limit: CANDIDATES_PER_HALF,
  };
  const [lexical, dense] = await Promise.all([
    searchTerms(db, scope, queryTerms, counts, MAX_SCORED[services.config.size]),
    embedQuery(services, question, wordIdf(counts, salt)).then((vector) =>
      vector === null ? [] : searchVectors(services, scope, vector, counts.chunks),
    ),
  ]);
  return { words, candidates: joinHalves(lexical, dense, embedder.noiseFloor) };
}

/** Null while the embedder is unavailable: a search by words alone is better than none. */
async function embedQuery(
  { embedder, log }: CandidateServices,
  { query, signal }: Question,
  wordWeight: (word: string) => number,
): Promise<Float32Array | null> {
  try {
    return await embedder.embedQuery(query, wordWeight, signal);
  } catch (error) {
    if (!(error instanceof RetryLater || error instanceof EmbedderFault)) throw error;
    log.warn({ reason: error.message }, 'searching by words alone');
    return null;
  }
}

/** A word that no chunk contains is probably misspelled: it is rare, but must not outweigh every real word. */
function wordIdf(counts: TermCounts, salt: number): (word: string) => number {
  return (word) => {
    const df = counts.df.get(termId(word, salt)) ?? 0;
    return df === 0 ? UNKNOWN_WORD_SHARE * Math.log(1 + counts.chunks) : idf(df, counts.chunks);
  };
}

/** A vector below the noise floor makes no candidate by itself, but counts for a chunk that has the words. */
function joinHalves(
  lexical: readonly FoundChunk[],
  dense: readonly FoundChunk[],
  noiseFloor: number,
): Candidate[] {
  const byId = new Map<number, Candidate>(
    lexical.map(({ key, documentId, score }) => [
      key,
      { chunkId: key, documentId, lexical: score, dense: null },
    ]),
  );
  for (const { key, documentId, score } of dense) {
    const known = byId.get(key);
    if (known) known.dense = score;
    else if (score >= noiseFloor) {
      byId.set(key, { chunkId: key, documentId, lexical: null, dense: score });
    }
  }
  return [...byId.values()];
}
