import type { DocumentServices } from '#src/documents/document-services.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { RecencyBias } from '#src/tables/documents.ts';
import { type ArrangedDocument, arrangeDocuments } from './arrange-documents.ts';
import { countFacets, type Facets } from './count-facets.ts';
import { explainHit, type HitExplanation } from './explain-hit.ts';
import { replaceWords } from './correct-query.ts';
import { findCandidates } from './find-candidates.ts';
import { parseQuery, plainQuery } from './parse-query.ts';
import { readHits } from './read-hits.ts';
import { rerankCandidates } from './rerank-candidates.ts';
import { settledBias } from './score-factors.ts';
import type { SearchFilters } from './search-filters.ts';
import type { SearchHit } from './search-hit.ts';
import { readRankingSettings } from './search-settings.ts';

export type { SearchHit } from './search-hit.ts';

type SearchServices = Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>;

export interface SearchInput {
  workspaceId: WorkspaceId;
  /** The user who searches. Documents private to others are not found. */
  userId: UserId;
  query: string;
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

/** Of a search that is not asked for otherwise: a question of a person or a model, in plain words. */
const PLAIN_SEARCH: SearchOptions = {
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
 */
export async function searchPage(
  services: SearchServices,
  input: SearchInput & SearchOptions,
): Promise<SearchPage> {
  const { db, embedder } = services;
  const { workspaceId } = input;
  const query = input.hasOperators ? parseQuery(input.query) : plainQuery(input.query);
  const settings = await readRankingSettings(db, workspaceId);
  const hybridAlpha = input.hybridAlpha ?? settings.hybridAlpha;
  const found = await findCandidates(services, { ...input, query, hybridAlpha });
  const { words, candidates } = found;
  input.signal.throwIfAborted();
  const denseWeight = hybridAlpha ?? embedder.denseWeight;
  const ranked = await rerankCandidates(db, workspaceId, found, denseWeight);
  const arranged = await arrangeDocuments(db, ranked, {
    workspaceId,
    recencyBias: settledBias(input.recencyBias ?? settings.recencyBias, query.text),
    now: new Date(),
    collapses: input.collapses,
    includesHidden: input.includesHidden,
  });
  input.signal.throwIfAborted();
  const page = arranged.slice(input.offset, input.offset + input.limit);
  const shownWords = input.highlights ? words : [];
  const hits = await readHits(db, workspaceId, page, shownWords, input.includesHidden);
  const documents = arranged.map(({ documentId }) => documentId);
  return {
    hits: hits.map(({ hit, chunk }) => ({
      hit,
      copies: chunk.copies,
      explanation: input.explains ? explainHit(hit, chunk, ranked, candidates, words) : null,
    })),
    total: arranged.length,
    facets: input.facets ? await countFacets(db, input, documents) : null,
    correctedQuery:
      found.corrections.size === 0 ? null : replaceWords(query.written, found.corrections),
  };
}
