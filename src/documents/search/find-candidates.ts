import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import { countTermIds, idf, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { hasPrivatePairsOfOthers } from '#src/documents/document-access.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { EmbedderFault } from '#src/documents/embed.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { Database } from '#src/platform/database.ts';
import { correctQuery, findCorrections } from './correct-query.ts';
import type { SearchQuery } from './parse-query.ts';
import { keepMatching } from './keep-matching.ts';
import { queryTermsOf } from './query-terms.ts';
import type { SearchFilters } from './search-filters.ts';
import { type FoundChunk, MAX_SCORED, type SearchScope } from './search-terms.ts';
import { searchVectors } from './search-vectors.ts';
import { searchWords } from './search-words.ts';
import { synonymsOf } from './synonyms.ts';

/**
 * Chunks that each half contributes, whatever the limit of the request: enough to include the best chunk of each of a
 * hundred documents.
 */
const CANDIDATES_PER_HALF = 500;
const UNKNOWN_WORD_SHARE = 0.6;
/** Of a word that means the same as one of the query. */
const SYNONYM_WEIGHT = 0.8;

type CandidateServices = Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>;

export interface Question {
  workspaceId: WorkspaceId;
  /** The user who searches. Documents private to others are not found. */
  userId: UserId;
  query: SearchQuery;
  filters: SearchFilters;
  /** Weight of the vectors: at 0 they are not asked, at 1 words alone find nothing. Null leaves it to the embedder. */
  hybridAlpha: number | null;
  includesHidden: boolean;
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
  /** The terms that the question asks for, in order, and those of its synonyms. */
  words: string[];
  /** Those of the question that some chunk has, each with its idf in the workspace. */
  weights: ReadonlyMap<string, number>;
  candidates: Candidate[];
  /** Words of the query that were replaced, because no chunk has them. */
  corrections: ReadonlyMap<string, string>;
}

/** The candidates by words and by vectors: the same for every limit. */
export async function findCandidates(
  services: CandidateServices,
  question: Question,
): Promise<FoundCandidates> {
  const { db } = services;
  const { workspaceId, userId, query } = question;
  const [asked, someArePrivate] = await Promise.all([
    askedTerms(db, workspaceId, query),
    hasPrivatePairsOfOthers(db, workspaceId, userId),
  ]);
  const scope: SearchScope = {
    workspaceId,
    userId: someArePrivate ? userId : null,
    filters: question.filters,
    conditions: query.conditions,
    includesHidden: question.includesHidden,
    limit: CANDIDATES_PER_HALF,
  };
  const corrections = await findCorrections(db, scope, query, asked.counts);
  if (corrections.size === 0) return candidatesFor(services, question, scope, asked, corrections);
  const corrected = correctQuery(query, corrections);
  const instead = await askedTerms(db, workspaceId, corrected);
  return candidatesFor(services, { ...question, query: corrected }, scope, instead, corrections);
}

/** What a query asks for, and how frequent it is. */
interface AskedTerms {
  /** The terms of the query, and those of its synonyms. */
  words: string[];
  queryTerms: ReadonlyMap<number, number>;
  weights: ReadonlyMap<string, number>;
  counts: TermCounts;
}

async function askedTerms(
  db: Database,
  workspaceId: WorkspaceId,
  { text, looseText }: SearchQuery,
): Promise<AskedTerms> {
  const salt = workspaceSalt(workspaceId);
  const synonyms = await synonymsOf(db, workspaceId, looseText);
  const words = queryTermsOf(text);
  const queryTerms = withSynonyms(countTermIds(words, salt), synonyms, salt);
  // The embedder weighs all words of the question.
  const weighed = new Set([...queryTerms.keys(), ...countTermIds(tokenize(text), salt).keys()]);
  const counts = await readTermCounts(db, workspaceId, [...weighed]);
  return {
    words: [...words, ...synonyms.flatMap(tokenize)],
    queryTerms,
    weights: weighTerms(words, counts, salt),
    counts,
  };
}

async function candidatesFor(
  services: CandidateServices,
  question: Question,
  scope: SearchScope,
  { words, queryTerms, weights, counts }: AskedTerms,
  corrections: ReadonlyMap<string, string>,
): Promise<FoundCandidates> {
  const { db, embedder, config } = services;
  const { query, workspaceId, hybridAlpha } = question;
  // A query that only excludes names nothing to find.
  if (counts.chunks === 0 || query.text.trim() === '') {
    return { words, weights, corrections, candidates: [] };
  }
  const weigh = wordIdf(counts, workspaceSalt(workspaceId));
  const [lexical, dense] = await Promise.all([
    searchWords(db, scope, queryTerms, counts, MAX_SCORED[config.size]),
    embedQuery(services, question, weigh).then((vector) =>
      vector === null ? [] : searchVectors(services, scope, vector, counts.chunks),
    ),
  ]);
  const joined = joinHalves(lexical, dense, embedder.noiseFloor);
  const isByVectors = hybridAlpha === 1 && query.conditions.length === 0;
  const found = isByVectors ? joined.filter((one) => one.dense !== null) : joined;
  const candidates = await keepMatching(db, workspaceId, query.conditions, found);
  return { words, weights, corrections, candidates };
}

function weighTerms(
  terms: readonly string[],
  { df, chunks }: TermCounts,
  salt: number,
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) {
    const own = df.get(termId(term, salt)) ?? 0;
    if (own > 0) weights.set(term, idf(own, chunks));
  }
  return weights;
}

/** A synonym counts for a little less than the word itself; the words of a phrase share its weight. */
function withSynonyms(
  queryTerms: ReadonlyMap<number, number>,
  synonyms: readonly string[],
  salt: number,
): Map<number, number> {
  const terms = new Map(queryTerms);
  for (const synonym of synonyms) {
    const added = countTermIds(tokenize(synonym), salt);
    const weight = SYNONYM_WEIGHT / Math.sqrt(Math.max(1, added.size));
    for (const id of added.keys()) if (!queryTerms.has(id)) terms.set(id, weight);
  }
  return terms;
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
