import { sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import type { DocumentServices } from './document-services.ts';
import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import { countTermIds, idf, termId, workspaceSalt } from './bm25.ts';
import { type Embedder, EmbedderFault } from './embed.ts';
import { fuseScores } from './fuse-scores.ts';
import { blurb, highlight } from './highlight.ts';
import { visibleText } from './html-text.ts';
import {
  type FoundChunk,
  HIDDEN,
  MAX_SCORED,
  type SearchScope,
  searchTerms,
} from './search-terms.ts';
import { hasPrivatePairsOfOthers } from './document-access.ts';
import type { SearchFilters } from './search-filters.ts';
import type { SearchHit } from './search-hit.ts';
import { SHOWN_METADATA, SHOWN_OWNERS, SHOWN_TITLE } from './shown-columns.ts';
import { areShown } from './shown-chunks.ts';
import { searchVectors } from './search-vectors.ts';
import { readTermCounts, type TermCounts } from './term-counts.ts';
import { tokenize } from './tokenize.ts';

/** Chunks that each half contributes to the fusion: enough to include the best chunk of every document. */
const MIN_CANDIDATES = 100;
const CANDIDATES_PER_RESULT = 5;
const UNKNOWN_WORD_SHARE = 0.6;
/** Longest owner name shown in a hit, in characters. */
const MAX_OWNER_NAME = 200;

type SearchServices = Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>;

export type { SearchHit } from './search-hit.ts';

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

/**
 * Hybrid search: BM25 and vectors, each restricted to the workspace and the filters, combined by convex fusion of
 * min–max scores (Bruch et al. 2023, arXiv 2210.11934). Each document yields one hit: its best chunk.
 */
export async function searchDocuments(
  services: SearchServices,
  input: SearchInput,
): Promise<SearchHit[]> {
  const { db, embedder } = services;
  const salt = workspaceSalt(input.workspaceId);
  const words = tokenize(input.query);
  const queryTerms = countTermIds(words, salt);
  const [counts, someArePrivate] = await Promise.all([
    readTermCounts(db, input.workspaceId, [...queryTerms.keys()]),
    hasPrivatePairsOfOthers(db, input.workspaceId, input.userId),
  ]);
  if (counts.chunks === 0) return [];
  const scope: SearchScope = {
    workspaceId: input.workspaceId,
    userId: someArePrivate ? input.userId : null,
    filters: input.filters,
    limit: Math.max(MIN_CANDIDATES, input.limit * CANDIDATES_PER_RESULT),
  };
  const [lexical, dense] = await Promise.all([
    searchTerms(db, scope, queryTerms, counts, MAX_SCORED[services.config.size]),
    embedQuery(services, input, wordIdf(counts, salt)).then((vector) =>
      vector === null ? [] : searchVectors(services, scope, vector, counts.chunks),
    ),
  ]);
  input.signal.throwIfAborted();
  const best = bestPerDocument(lexical, dense, embedder).slice(0, input.limit);
  return readHits(services, input.workspaceId, best, words);
}

/** Null while the embedder is unavailable: a search by words alone is better than none. */
async function embedQuery(
  { embedder, log }: SearchServices,
  { query, signal }: SearchInput,
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

interface BestChunk {
  chunkId: number;
  score: number;
}

function bestPerDocument(
  lexical: FoundChunk[],
  dense: FoundChunk[],
  { denseWeight, noiseFloor }: Pick<Embedder, 'denseWeight' | 'noiseFloor'>,
): BestChunk[] {
  const noise = new Set(dense.filter(({ score }) => score < noiseFloor).map(({ key }) => key));
  for (const { key } of lexical) noise.delete(key);
  const documentOf = new Map<number, DocumentId>();
  for (const found of [...lexical, ...dense]) documentOf.set(found.key, found.documentId);
  const seen = new Set<DocumentId>();
  const best: BestChunk[] = [];
  for (const { key, score } of fuseScores(lexical, dense, denseWeight)) {
    const documentId = documentOf.get(key);
    if (documentId === undefined || seen.has(documentId) || noise.has(key)) continue;
    seen.add(documentId);
    best.push({ chunkId: key, score });
  }
  return best;
}

interface HitRow {
  chunk_id: number;
  external_id: string;
  semantic_identifier: string;
  source: string;
  metadata: DocumentMetadata;
  doc_updated_at: Date | null;
  primary_owners: StoredOwner[];
  secondary_owners: StoredOwner[];
  ordinal: number;
  section_index: number;
  start_offset: number;
  end_offset: number;
  text: string;
  is_html: boolean;
  headings: string[];
  link: string | null;
}

async function readHits(
  { db }: SearchServices,
  workspaceId: WorkspaceId,
  best: BestChunk[],
  words: string[],
): Promise<SearchHit[]> {
  if (best.length === 0) return [];
  const ids = best.map(({ chunkId }) => chunkId);
  // Chunks first: without statistics (the embedded size has no autovacuum) the planner would start from all documents.
  const { rows } = await sql<HitRow>`
    with c as materialized (select * from chunk where id = any(${ids}::bigint[]))
    select c.id as chunk_id, d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
      ${SHOWN_METADATA} as metadata, d.doc_updated_at, ${SHOWN_OWNERS.primary} as primary_owners,
      ${SHOWN_OWNERS.secondary} as secondary_owners, c.ordinal, c.section_index,
      c.start_offset, c.end_offset, c.text, c.is_html, c.headings, c.link
    from c join document d on d.id = c.document_id
    where d.workspace_id = ${workspaceId} and ${HIDDEN} is not true
      and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })}`.execute(db);
  const byId = new Map(rows.map((row) => [row.chunk_id, row]));
  return best.flatMap(({ chunkId, score }) => {
    const row = byId.get(chunkId);
    return row ? toHit(row, score, words) : [];
  });
}

function toHit(row: HitRow, score: number, words: string[]): SearchHit {
  const shown = row.is_html ? visibleText(row.text) : row.text;
  return {
    document_id: row.external_id,
    chunk_ind: row.ordinal,
    semantic_identifier: row.semantic_identifier,
    link: row.link,
    // A document without text can be found by its title.
    blurb: blurb(shown) || row.semantic_identifier,
    source_type: row.source,
    boost: 0,
    hidden: false,
    metadata: row.metadata,
    score,
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: highlight(shown, words),
    updated_at: row.doc_updated_at?.toISOString() ?? null,
    primary_owners: displayNames(row.primary_owners),
    secondary_owners: displayNames(row.secondary_owners),
    is_internet: false,
    text: row.text,
    is_html: row.is_html,
    section_index: row.section_index,
    start_offset: row.start_offset,
    end_offset: row.end_offset,
    headings: row.headings,
  };
}

function displayNames(owners: StoredOwner[]): string[] | null {
  const shown = owners.flatMap((owner) => {
    const parts = [owner.first_name, owner.middle_initial, owner.last_name].filter(Boolean);
    const name = owner.display_name || parts.join(' ') || owner.email || '';
    return name === '' ? [] : name.slice(0, MAX_OWNER_NAME).toWellFormed();
  });
  return shown.length > 0 ? shown : null;
}
