import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import { idf, termId, workspaceSalt } from '#src/documents/bm25.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { EmbedderFault } from '#src/documents/embed.ts';
import type { TermCounts } from '#src/documents/term-counts.ts';
import { askForCompounds } from './ask-for-compounds.ts';
import { type AskedTerms, askedTerms } from './asked-terms.ts';
import {
  correctQuery,
  type Corrections,
  findCorrections,
  NO_CORRECTIONS,
} from './correct-query.ts';
import { findCompounds } from './find-compounds.ts';
import type { SearchQuery } from './parse-query.ts';
import { looseWords } from './query-words.ts';
import type { ReadAhead } from './read-ahead.ts';
import { keepMatching } from './keep-matching.ts';
import type { SearchFilters } from './search-filters.ts';
import { MAX_SCORED } from './search-loose-rows.ts';
import type { FoundChunk, SearchScope } from './search-scope.ts';
import type { WordSearch } from './match-words.ts';
import { searchVectors } from './search-vectors.ts';
import { searchWords } from './search-words.ts';
import { WORD_WEIGHTS } from './weights.ts';

/**
 * Chunks that each half contributes, whatever the limit of the request: enough to include the best chunk of each of a
 * hundred documents.
 */
const CANDIDATES_PER_HALF = 500;

type CandidateServices = Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>;

export interface Question {
  workspaceId: WorkspaceId;
  /** The user who searches. Documents private to others are not found. */
  userId: UserId;
  query: SearchQuery;
  filters: SearchFilters;
  /** Stems that an answer may have instead of words of the query → how much they count. */
  besides?: ReadonlyMap<string, number>;
  /** Weight of the vectors: at 0 they are not asked, at 1 words alone find nothing. Null leaves it to the embedder. */
  hybridAlpha: number | null;
  includesHidden: boolean;
  ahead: ReadAhead;
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

export interface FoundCandidates extends AskedTerms {
  candidates: Candidate[];
  corrections: Corrections;
  /** How words were searched; null when they find nothing by themselves. */
  wordSearch: WordSearch | null;
}

/** The candidates by words and by vectors: the same for every limit. */
export async function findCandidates(
  services: CandidateServices,
  question: Question,
): Promise<FoundCandidates> {
  const { db } = services;
  const { workspaceId, userId, query } = question;
  const { ahead } = question;
  const asked = await askedTerms(db, workspaceId, question, NO_CORRECTIONS, ahead);
  const scope: SearchScope = {
    workspaceId,
    userId: ahead.someArePrivate ? userId : null,
    filters: question.filters,
    conditions: query.conditions,
    includesHidden: question.includesHidden,
    limit: CANDIDATES_PER_HALF,
  };
  const compounds = await findCompounds(db, scope, looseWords(query), ahead.compoundWords);
  const known = new Set(compounds.termsOf.keys());
  const corrections = await findCorrections(db, scope, query, asked.counts, known);
  const { guesses, forms, areAdded } = corrections;
  if (guesses.size + forms.size === 0) {
    const widened = askForCompounds(asked, workspaceId, compounds);
    return candidatesFor(services, question, scope, widened, corrections);
  }
  const all = new Map([...forms, ...guesses]);
  const corrected = correctQuery(query, all);
  const { conditions } = corrected;
  const instead = askForCompounds(
    await askedTerms(db, workspaceId, question, corrections),
    workspaceId,
    await findCompounds(db, scope, looseWords(corrected)),
  );
  // A guess that only adds to the known words must not change what they mean to a model.
  const embedded = correctQuery(query, areAdded ? forms : all);
  return candidatesFor(
    services,
    { ...question, query: { ...embedded, conditions } },
    { ...scope, conditions },
    instead,
    corrections,
  );
}

async function candidatesFor(
  services: CandidateServices,
  question: Question,
  scope: SearchScope,
  asked: AskedTerms,
  corrections: Corrections,
): Promise<FoundCandidates> {
  const { db, embedder, config } = services;
  const { query, workspaceId, hybridAlpha } = question;
  const { queryTerms, counts } = asked;
  // A query that only excludes names nothing to find.
  if (counts.chunks === 0 || query.text.trim() === '') {
    return { ...asked, corrections, candidates: [], wordSearch: null };
  }
  const weigh = wordIdf(counts, workspaceSalt(workspaceId));
  const [lexical, dense] = await Promise.all([
    searchWords(db, scope, queryTerms, counts, MAX_SCORED[config.size], question.ahead.segments),
    embedQuery(services, question, weigh).then((vector) =>
      vector === null ? [] : searchVectors(services, scope, vector, counts.chunks),
    ),
  ]);
  const joined = joinHalves(lexical, dense, embedder.noiseFloor);
  const isByVectors = hybridAlpha === 1 && query.conditions.length === 0;
  const found = isByVectors ? joined.filter((one) => one.dense !== null) : joined;
  const candidates = await keepMatching(db, workspaceId, query.conditions, found);
  const wordSearch = isByVectors ? null : { scope, queryTerms, counts };
  return { ...asked, corrections, candidates, wordSearch };
}

/** Null when vectors are not wanted, and while the embedder is unavailable: words alone are better than nothing. */
async function embedQuery(
  { embedder, log }: CandidateServices,
  { query, hybridAlpha, signal }: Question,
  wordWeight: (word: string) => number,
): Promise<Float32Array | null> {
  if (hybridAlpha === 0) return null;
  try {
    return await embedder.embedQuery(query.text, wordWeight, signal);
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
    return df === 0 ? WORD_WEIGHTS.unknown * Math.log(1 + counts.chunks) : idf(df, counts.chunks);
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
