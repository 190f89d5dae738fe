import type { DocumentServices } from '#src/documents/document-services.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { openFairGate, throughFairGate } from '#src/platform/fair-gate.ts';
import type { RecencyBias } from '#src/tables/documents.ts';
import {
  type ArrangedDocument,
  arrangeDocuments,
  MAX_ARRANGED,
  MAX_COMPARED,
} from './arrange-documents.ts';
import { assertCurrent } from './assert-current.ts';
import { countFacets, type Facets } from './count-facets.ts';
import { explainHits, type HitExplanation } from './explain-hits.ts';
import { findCandidates, type FoundCandidates } from './find-candidates.ts';
import { findMatches } from './find-matches.ts';
import { parseQuery, plainQuery } from './parse-query.ts';
import { replaceWords } from './query-words.ts';
import { readAhead } from './read-ahead.ts';
import { readCandidates } from './read-candidates.ts';
import { readHits } from './read-hits.ts';
import { firstScores, type RankedChunk, RERANKED, rerankCandidates } from './rerank-candidates.ts';
import { resolveBias } from './score-factors.ts';
import type { SearchFilters } from './search-filters.ts';
import type { SearchHit } from './search-hit.ts';

export type { SearchHit } from './search-hit.ts';

type SearchServices = Pick<DocumentServices, 'db' | 'readReplica' | 'embedder' | 'config' | 'log'>;

export interface SearchInput {
  workspaceId: WorkspaceId;
  /** The user who searches. Documents private to others are not found. */
  userId: UserId;
  query: string;
  /** Stems that an answer may have instead of words of the query → how much they count. */
  besides?: ReadonlyMap<string, number>;
  filters: SearchFilters;
  /** Maximum number of documents. */
  limit: number;
  signal: AbortSignal;
}

/** What a request may ask for; null leaves it to the settings of the workspace. */
export interface SearchOptions {
  /** Documents to leave out from the beginning of the order. */
  offset: number;
  /** Whether quotes, `-` and `title:` mean something. */
  hasOperators: boolean;
  recencyBias: RecencyBias | null;
  hybridAlpha: number | null;
  /** Whether near-copies are one hit. */
  collapses: boolean;
  includesHidden: boolean;
  highlights: boolean;
  facets: boolean;
  explains: boolean;
}

/** More than fill the connections of the database, since some of them wait for an embedding model. */
const SEARCHES_AT_ONCE = 32;
const OWN_SEARCHES_AT_ONCE = 24;

const searches = openFairGate<WorkspaceId>({
  places: SEARCHES_AT_ONCE,
  placesOfKey: OWN_SEARCHES_AT_ONCE,
});

/** Of a search that is not asked for otherwise: a question of a person or a model, in plain words. */
export const PLAIN_SEARCH: SearchOptions = {
  offset: 0,
  hasOperators: false,
  recencyBias: null,
  hybridAlpha: null,
  collapses: true,
  includesHidden: false,
  highlights: true,
  facets: false,
  explains: false,
};

export interface PageHit {
  hit: SearchHit;
  copies: ArrangedDocument['copies'];
  explanation: HitExplanation | null;
}

export interface SearchPage {
  hits: PageHit[];
  /** Of the whole order, not of the page. */
  total: number;
  facets: Facets | null;
  /** The query as it was searched, where misspelt words were replaced; else null. */
  correctedQuery: string | null;
}

/** The first hits of a search in plain words. */
export async function searchDocuments(
  services: SearchServices,
  input: SearchInput & Partial<SearchOptions>,
): Promise<SearchHit[]> {
  const { hits } = await searchPage(services, { ...PLAIN_SEARCH, ...input });
  return hits.map(({ hit }) => hit);
}

/**
 * Hybrid search: candidates by BM25 and by vectors, each restricted to the workspace, the filters and what the query
 * demands; their order by all that is known of them; by age, boost and without copies; one page of it as hits. Nothing
 * before the page depends on `limit` and `offset`. Each document yields one hit: its best chunk.
 *
 * Of many searches at once, those of one workspace never take all places, so that others do not queue behind them for
 * the connections of the database.
 */
export async function searchPage(
  services: SearchServices,
  input: SearchInput & SearchOptions,
): Promise<SearchPage> {
  const { workspaceId, signal } = input;
  const { db, readReplica } = services;
  return throughFairGate(searches, workspaceId, { signal }, () =>
    readReplica.read(db, signal, (index) => findPage(services, input, index)),
  );
}

/**
 * @param index where is searched. Of a replica, it gives the order; what is shown is read from the primary.
 * @throws StaleRead when the primary does not have, or does not let this user see, all that a replica found
 */
async function findPage(
  services: SearchServices,
  input: SearchInput & SearchOptions,
  index: Database,
): Promise<SearchPage> {
  const { db, embedder } = services;
  const { workspaceId } = input;
  const query = input.hasOperators ? parseQuery(input.query) : plainQuery(input.query);
  const ahead = await readAhead(index, input, { ...input, query });
  const { settings, basis } = ahead;
  const hybridAlpha = input.hybridAlpha ?? settings.hybridAlpha;
  const found = await findCandidates(
    { ...services, db: index },
    { ...input, query, hybridAlpha, ahead },
  );
  const { words } = found;
  const { guesses } = found.corrections;
  input.signal.throwIfAborted();
  const denseWeight = hybridAlpha ?? embedder.denseWeight;
  const first = firstScores(found.candidates, denseWeight);
  const read = candidatesToRead(first);
  const rows = await readCandidates(index, workspaceId, read.chunkIds, {
    texts: input.collapses ? read.compared : RERANKED,
    includesHidden: input.includesHidden,
  });
  const ranked = rerankCandidates(first, { workspaceId, found, rows, basis, denseWeight });
  const arranged = arrangeDocuments(ranked, rows, {
    recencyBias: resolveBias(input.recencyBias ?? settings.recencyBias, query.text),
    now: new Date(),
    collapses: input.collapses,
  });
  input.signal.throwIfAborted();
  const page = arranged.slice(input.offset, input.offset + input.limit);
  const shownWords = input.highlights ? words : [];
  const [hits] = await Promise.all([
    readHits(db, workspaceId, page, shownWords, input.includesHidden),
    index === db ? null : assertCurrent(db, input, page),
  ]);
  const explanations = input.explains ? await explainHits(db, workspaceId, hits, found) : [];
  return {
    hits: hits.map(({ hit, chunk }, place) => ({
      hit,
      copies: chunk.copies,
      explanation: explanations[place] ?? null,
    })),
    total: arranged.length,
    facets: input.facets ? await readFacets(index, input, found, arranged) : null,
    correctedQuery: guesses.size === 0 ? null : replaceWords(query.written, guesses),
  };
}

/**
 * The chunks that the order may consist of: any of those that are reranked, and of the documents behind them the best
 * one.
 * @returns `compared`: how many of them, at most, are compared to find copies
 */
function candidatesToRead(first: readonly RankedChunk[]): {
  chunkIds: number[];
  compared: number;
} {
  const head = first.slice(0, RERANKED);
  const documents = new Set(head.map(({ documentId }) => documentId));
  const chunkIds = head.map(({ chunkId }) => chunkId);
  const compared = chunkIds.length + MAX_COMPARED - documents.size;
  for (const { chunkId, documentId } of first.slice(RERANKED)) {
    if (documents.size >= MAX_ARRANGED) break;
    if (documents.has(documentId)) continue;
    documents.add(documentId);
    chunkIds.push(chunkId);
  }
  return { chunkIds, compared };
}

async function readFacets(
  db: Database,
  input: SearchInput,
  found: FoundCandidates,
  arranged: readonly ArrangedDocument[],
): Promise<Facets> {
  const results = arranged.map(({ documentId }) => documentId);
  const matches = await findMatches(db, input.workspaceId, found, input.signal);
  return countFacets(db, input, results, matches);
}
