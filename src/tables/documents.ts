import type { Generated, GeneratedAlways } from 'kysely';
import type { CcPairId, DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Json, Timestamp } from './column-types.ts';

export const DOCUMENT_STATUSES = ['accepted', 'indexing', 'indexed', 'failed', 'deleting'] as const;

/** `accepted → indexing → indexed | failed`; `deleting` until the rows are gone. */
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** Facts about the deployment that all processes must agree on, such as the embedding model. */
interface DeploymentFactTable {
  name: string;
  value: Json<unknown>;
}

export interface StoredSection {
  text: string;
  link: string | null;
  image_file_id: string | null;
  /** The user who must have uploaded the image; absent in sections that Millrace stored for a connector. */
  image_user_id?: UserId;
}

export interface StoredOwner {
  display_name?: string | null | undefined;
  first_name?: string | null | undefined;
  middle_initial?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
}

export type DocumentMetadata = Record<string, string | string[]>;

interface DocumentTable {
  id: GeneratedAlways<DocumentId>;
  workspace_id: WorkspaceId;
  /** The id that the caller chose, unchanged. */
  external_id: string;
  semantic_identifier: string;
  title: string | null;
  source: string;
  /** Link of the first section; null in rows of an earlier version, too, which have `sections`. */
  link: string | null;
  /** In rows of an earlier version, the text; null in others, whose text is in `document_text`. */
  sections: Json<StoredSection[]> | null;
  metadata: Json<DocumentMetadata>;
  /** Shown in hits instead of large metadata; null if hits show all of it. */
  shown_metadata: Json<DocumentMetadata> | null;
  /** `key=value` for each metadata pair; the tag filter matches these. */
  tags: string[];
  doc_updated_at: Date | null;
  primary_owners: Json<StoredOwner[]>;
  secondary_owners: Json<StoredOwner[]>;
  /** SHA-256 over everything that is indexed or shown. */
  content_hash: Buffer;
  content_bytes: number;
  /** Indexing cost in bytes of text; null in rows of older releases. */
  index_cost: number | null;
  /** Incremented by every accepted change; an index write is valid for one revision only. */
  revision: Generated<number>;
  indexed_revision: number | null;
  status: DocumentStatus;
  /** Attempts at the current revision. */
  attempts: Generated<number>;
  next_attempt_at: Date | null;
  /** The worker's claim: token, and when another worker may take over. */
  claim_token: string | null;
  claimed_until: Date | null;
  /** When a job was last sent for this row; `reconcile` sends another if that is too long ago. */
  queued_at: Timestamp;
  error: string | null;
  chunk_count: Generated<number>;
  /** Chunks with a larger id are hidden: they belong to a text that is not complete. See shown-chunks.ts. */
  hidden_above: number | null;
  /** Chunks of an earlier text, hidden until they are deleted. */
  hidden_ids: number[] | null;
  request_id: string | null;
  /** How far people moved it up or down in searches; 0 for most. */
  boost: Generated<number>;
  /** Taken out of searches and answers by people; still listed. */
  hidden: Generated<boolean>;
  created_at: Timestamp;
  accepted_at: Timestamp;
  indexing_started_at: Date | null;
  indexed_at: Date | null;
}

/** What is indexed of a document. Apart from it, because a row of `document` is written at each change of its state. */
interface DocumentTextTable {
  document_id: DocumentId;
  sections: Json<StoredSection[]>;
}

interface DocumentCcPairTable {
  document_id: DocumentId;
  cc_pair_id: CcPairId;
  /** When the pair's connector last saw the document; null for one that was pushed. */
  seen_at: Date | null;
}

interface ChunkTable {
  id: number;
  workspace_id: WorkspaceId;
  document_id: DocumentId;
  ordinal: number;
  section_index: number;
  /** UTF-16 offsets into the section's text. */
  start_offset: number;
  end_offset: number;
  text: string;
  is_html: boolean;
  headings: Json<string[]>;
  link: string | null;
  /** First 16 bytes of the SHA-256 of the indexed text: equal hash, equal vector. */
  hash: Buffer;
  token_count: number;
}

/** Deliberately narrow: a scan of the sign bits reads nothing else. */
interface ChunkVectorTable {
  chunk_id: number;
  workspace_id: WorkspaceId;
  document_id: DocumentId;
  bits: string;
  /** In rows of an earlier version, `halfvec`; null in others, whose vector is in `chunk_planes`. */
  embedding: string | null;
  /** Whether it is in a segment of the HNSW index, once that is built; false while staged. */
  promoted: Generated<boolean>;
  /** Of a promoted vector: its place among the segments. */
  segment: Generated<number>;
}

/** What is known of a vector besides its sign bits: see bit-planes.ts. */
interface ChunkPlanesTable {
  chunk_id: number;
  planes: string;
  scale: number;
}

interface ChunkTermsTable {
  chunk_id: number;
  workspace_id: WorkspaceId;
  document_id: DocumentId;
  terms: number[];
  /** How often the terms occur that do so more than once: see term-frequencies.ts. Null in rows of an earlier version. */
  frequencies: Buffer | null;
  /** In rows of an earlier version, `sparsevec`: the document half of BM25 for each term. */
  weights: string | null;
  /** Whether the postings have the chunk; false in rows of the version before. */
  in_postings: Generated<boolean>;
  /** The version of `tokenize` that produced the terms; 0 for the previous one. */
  terms_version: Generated<number>;
}

/** Chunks and, in buckets of terms, which of them have a term and how often. It never changes once it is ready. */
interface PostingSegmentTable {
  id: string;
  workspace_id: WorkspaceId;
  chunks: number;
  buckets: number;
  /** Ids and lengths of its chunks: see posting-bytes.ts. */
  directory: Buffer;
  /** False while a merge writes its buckets. */
  ready: boolean;
  /** The version of its chunks' terms; 0 for the previous one. */
  terms_version: Generated<number>;
  created_at: Timestamp;
  checked_at: Timestamp;
}

interface PostingBucketTable {
  segment_id: string;
  bucket: number;
  postings: Buffer;
}

/**
 * How many chunks of a workspace hold each term of a bucket: two arrays of the same length. Term −1, the only one of
 * bucket −1, counts the chunks themselves.
 */
interface TermCountTable {
  bucket: number;
  workspace_id: WorkspaceId;
  terms: number[];
  chunks: number[];
}

/** Changes not yet folded into `term_count`: appended by index writes so that common terms do not become hot rows. */
interface TermDeltaTable {
  bucket: number;
  workspace_id: WorkspaceId;
  terms: number[];
  deltas: number[];
}

/** The words of a document's title; absent until the title is indexed. */
interface DocumentTitleTable {
  document_id: DocumentId;
  workspace_id: WorkspaceId;
  /** `tsvector`: every word and its stem, each after the mark of the workspace. */
  words: string;
  /** The version of `tokenize` that produced the words; 0 for the previous one. */
  terms_version: Generated<number>;
}

export const RECENCY_BIASES = ['no_decay', 'base_decay', 'favor_recent', 'auto'] as const;

/** How much newer documents gain; `auto` decides by the query. */
export type RecencyBias = (typeof RECENCY_BIASES)[number];

/** What a workspace set for its searches; no row means the defaults. */
interface SearchSettingsTable {
  workspace_id: WorkspaceId;
  recency_bias: RecencyBias;
  /** Weight of the vectors, 0 to 1; null leaves it to the embedder. */
  hybrid_alpha: number | null;
}

/** One phrase of a group of phrases that mean the same. */
interface SearchSynonymTable {
  workspace_id: WorkspaceId;
  /** What tells it from the other phrases of its group. */
  form: string;
  /** As queries are compared with it; null in rows of an earlier version, which are compared by their form. */
  stems: string | null;
  group_number: number;
  place: number;
  /** As it was written. */
  phrase: string;
}

/** Words of a workspace's texts for the speller, by first letter and length, and its compounds by how they begin and end. */
interface WordBucketTable {
  workspace_id: WorkspaceId;
  bucket: number;
  words: string[];
  checked_at: Generated<Date>;
}

/** How the words of a workspace's texts go together, for searches: see latent-basis.ts. */
interface LatentBasisTable {
  workspace_id: WorkspaceId;
  /** Random, another one after each training; null before the first. */
  id: string | null;
  /** Of how it was made; 0 before the first training. */
  version: Generated<number>;
  /** Of the workspace, when it was trained. */
  chunks: Generated<number>;
  basis: Buffer | null;
  /** When a training began that has not ended yet. */
  tried_at: Date | null;
}

/** Documents and their index. */
export interface DocumentsTables {
  deployment_fact: DeploymentFactTable;
  document: DocumentTable;
  document_cc_pair: DocumentCcPairTable;
  document_text: DocumentTextTable;
  document_title: DocumentTitleTable;
  chunk: ChunkTable;
  chunk_vector: ChunkVectorTable;
  chunk_planes: ChunkPlanesTable;
  chunk_terms: ChunkTermsTable;
  posting_segment: PostingSegmentTable;
  posting_bucket: PostingBucketTable;
  term_count: TermCountTable;
  term_delta: TermDeltaTable;
  word_bucket: WordBucketTable;
  latent_basis: LatentBasisTable;
  search_settings: SearchSettingsTable;
  search_synonym: SearchSynonymTable;
}
