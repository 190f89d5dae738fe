import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type {
  ApiKeyId,
  CcPairId,
  ChatSessionId,
  ConnectorId,
  CredentialId,
  DocumentId,
  IndexAttemptId,
  PruneAttemptId,
  StoredFileId,
  UserId,
  WorkspaceId,
} from './ids.ts';

/** A column that the database fills and that may be written later. */
type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A `json` column: an object when read, JSON text when written. */
type Json<T> = ColumnType<T, string, string>;

export const PLAN_TIERS = ['Free', 'Personal', 'Pro', 'Agency', 'Enterprise'] as const;
export type PlanTier = (typeof PLAN_TIERS)[number];

export const ROLES = ['admin', 'member', 'ingest', 'read'] as const;
export type Role = (typeof ROLES)[number];

export const DOCUMENT_STATUSES = ['accepted', 'indexing', 'indexed', 'failed', 'deleting'] as const;
/** `accepted → indexing → indexed | failed`; `deleting` until the rows are gone. */
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

interface WorkspaceTable {
  id: WorkspaceId;
  name: string;
  plan_tier: PlanTier;
  /** The one workspace made at first start; its admins may create others. */
  is_bootstrap: boolean;
  created_at: Timestamp;
}

interface UserAccountTable {
  id: UserId;
  workspace_id: WorkspaceId;
  display_name: string;
  email: string | null;
  created_at: Timestamp;
}

interface ApiKeyTable {
  id: ApiKeyId;
  workspace_id: WorkspaceId;
  user_id: UserId;
  name: string;
  role: Role;
  /** SHA-256 of the whole key. */
  key_hash: Buffer;
  prefix: string;
  last_four: string;
  /** Set for the key that `BOOTSTRAP_ADMIN_API_KEY` names: it is replaced when the setting changes. */
  is_bootstrap: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Timestamp;
}

/** Facts about the deployment that every process must agree on, such as the embedding model. */
interface DeploymentFactTable {
  name: string;
  value: Json<unknown>;
}

interface CcPairTable {
  id: GeneratedAlways<CcPairId>;
  workspace_id: WorkspaceId;
  name: string;
  source: string;
  /** The default pair of a workspace takes documents that name no pair; listings leave it out. */
  is_default: boolean;
  created_by: UserId | null;
  created_at: Timestamp;
  /** Null for the default pair, which has no source to poll. */
  connector_id: ConnectorId | null;
  /** Null for the built-in empty credential 0. */
  credential_id: CredentialId | null;
  access_type: Generated<string>;
  status: Generated<PairStatus>;
  /** Why it is paused or invalid, in a sentence for its administrator. */
  status_reason: string | null;
  /** When the next run is due; null when none is planned. */
  next_run_at: Date | null;
  next_prune_at: Date | null;
  /** Everything that changed at the source before this has been fetched. */
  synced_until: Date | null;
  last_success_at: Date | null;
  last_pruned_at: Date | null;
  /** Runs that failed in a row. */
  failed_runs: Generated<number>;
  /** SHA-256 of the settings that the last good run used; another hash means: from the beginning. */
  settings_hash: string | null;
  /** When a job was last sent for this row. */
  queued_at: Timestamp;
  deletion_requested_at: Date | null;
  deletion_error: string | null;
}

export const PAIR_STATUSES = [
  'SCHEDULED',
  'INITIAL_INDEXING',
  'ACTIVE',
  'PAUSED',
  'DELETING',
  'INVALID',
] as const;
/** `SCHEDULED → INITIAL_INDEXING → ACTIVE`; `DELETING` until documents and row are gone. */
export type PairStatus = (typeof PAIR_STATUSES)[number];

export const INDEX_ATTEMPT_STATUSES = [
  'not_started',
  'in_progress',
  'success',
  'completed_with_errors',
  'failed',
  'canceled',
] as const;
export type IndexAttemptStatus = (typeof INDEX_ATTEMPT_STATUSES)[number];

export type PruneAttemptStatus =
  | 'not_started'
  | 'in_progress'
  | 'success'
  | 'needs_confirmation'
  | 'failed'
  | 'canceled';

/** A source with its settings; without a pair nothing is polled. */
interface ConnectorTable {
  id: GeneratedAlways<ConnectorId>;
  workspace_id: WorkspaceId;
  name: string;
  /** The source as its creator wrote it: `jira` stays `jira`. */
  source: string;
  /** The registry's name for it: `tracker`. */
  kind: string;
  input_type: string;
  access_type: string;
  /** `connector_specific_config` as it was sent. */
  settings: Json<Record<string, unknown>>;
  /** Seconds; null: once, then on demand. */
  refresh_freq: number | null;
  prune_freq: number | null;
  /** Nothing older than this is polled. */
  indexing_start: Date | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface CredentialTable {
  id: GeneratedAlways<CredentialId>;
  workspace_id: WorkspaceId;
  name: string | null;
  source: string;
  kind: string;
  /** `credential_json`, encrypted; see `platform/crypto.ts`. */
  secret: string;
  admin_public: boolean;
  curator_public: Generated<boolean>;
  created_by: UserId | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One run: fetched = accepted + unchanged + skipped + failed, whenever it is looked at. */
interface IndexAttemptTable {
  id: GeneratedAlways<IndexAttemptId>;
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  status: IndexAttemptStatus;
  from_beginning: Generated<boolean>;
  /** Null: from the beginning. */
  poll_range_start: Date | null;
  poll_range_end: Date;
  settings_hash: string;
  /** Where the connector goes on after a lost worker; null before the first page. */
  checkpoint: Json<unknown>;
  checkpoint_description: string | null;
  /** Why it goes on only at `next_attempt_at`, in the source's words; null while it works. */
  waiting_for: string | null;
  pages: Generated<number>;
  fetched: Generated<number>;
  accepted: Generated<number>;
  /** Of those accepted, the ones that were not known before. */
  created: Generated<number>;
  unchanged: Generated<number>;
  skipped: Generated<number>;
  failed: Generated<number>;
  removed: Generated<number>;
  /** Reason → documents skipped for it. */
  skip_reasons: Json<Record<string, number>>;
  /** Documents the whole run will fetch, where the source says so. */
  estimated_total: number | null;
  error: string | null;
  /** Times in a row that the source could not be reached. */
  outages: Generated<number>;
  /** Times that another worker went on from the checkpoint. */
  resumptions: Generated<number>;
  /** The run that ended early and whose checkpoint this one began at. */
  resumed_from: IndexAttemptId | null;
  claim_token: string | null;
  claimed_until: Date | null;
  /** Not before this: the source asked to wait. */
  next_attempt_at: Date | null;
  queued_at: Timestamp;
  created_at: Timestamp;
  started_at: Date | null;
  updated_at: Timestamp;
  finished_at: Date | null;
}

interface IndexAttemptErrorTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  index_attempt_id: IndexAttemptId;
  stage: 'fetch' | 'index';
  document_id: string | null;
  document_link: string | null;
  entity_id: string | null;
  failed_from: Date | null;
  failed_until: Date | null;
  message: string;
  /** Runs in which it failed. */
  tries: Generated<number>;
  is_resolved: Generated<boolean>;
  created_at: Timestamp;
  resolved_at: Date | null;
}

/** What a connector wants to know again at its next run, such as a page's ETag. */
interface ConnectorMemoryTable {
  cc_pair_id: CcPairId;
  key: string;
  /** The entry holds only while the pair has this document; null: always. */
  document_id: string | null;
  value: Json<unknown>;
  /** Survives a run from the beginning. */
  lasting: Generated<boolean>;
}

interface PruneAttemptTable {
  id: GeneratedAlways<PruneAttemptId>;
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  status: PruneAttemptStatus;
  /** Documents of the pair that came from its source. */
  known: Generated<number>;
  /** Ids that the source listed. */
  listed: Generated<number>;
  /** Known and no longer listed. */
  gone: Generated<number>;
  removed: Generated<number>;
  /** An administrator has agreed that about this many go. */
  confirmed_gone: number | null;
  error: string | null;
  outages: Generated<number>;
  claim_token: string | null;
  claimed_until: Date | null;
  next_attempt_at: Date | null;
  queued_at: Timestamp;
  created_at: Timestamp;
  started_at: Date | null;
  finished_at: Date | null;
}

interface PruneListingTable {
  prune_attempt_id: PruneAttemptId;
  document_id: string;
}

interface StoredFileTable {
  id: StoredFileId;
  workspace_id: WorkspaceId;
  name: string;
  media_type: string;
  byte_count: number;
  /** What a zip's metadata file says about it; {} otherwise. */
  metadata: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_by: UserId | null;
  created_at: Timestamp;
}

interface StoredFilePartTable {
  stored_file_id: StoredFileId;
  part: number;
  content: Buffer;
}

interface DocumentSetTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  name: string;
  description: string;
  created_at: Timestamp;
}

interface DocumentSetCcPairTable {
  document_set_id: number;
  cc_pair_id: CcPairId;
}

export interface StoredSection {
  text: string;
  link: string | null;
  image_file_id: string | null;
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
  sections: Json<StoredSection[]>;
  metadata: Json<DocumentMetadata>;
  /** `key=value` for each metadata pair: what the tag filter matches. */
  tags: string[];
  doc_updated_at: Date | null;
  primary_owners: Json<StoredOwner[]>;
  secondary_owners: Json<StoredOwner[]>;
  /** SHA-256 over everything that is indexed or shown. */
  content_hash: Buffer;
  content_bytes: number;
  /** Grows with every accepted change; an index write is valid for one revision only. */
  revision: Generated<number>;
  indexed_revision: number | null;
  status: DocumentStatus;
  /** Attempts made at the present revision. */
  attempts: Generated<number>;
  next_attempt_at: Date | null;
  /** The worker's claim: token and the time at which another worker may take over. */
  claim_token: string | null;
  claimed_until: Date | null;
  /** When a job was last sent for this row; `reconcile` sends another when that was too long ago. */
  queued_at: Timestamp;
  error: string | null;
  chunk_count: Generated<number>;
  request_id: string | null;
  created_at: Timestamp;
  accepted_at: Timestamp;
  indexing_started_at: Date | null;
  indexed_at: Date | null;
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

/** Narrow on purpose: a scan of the sign bits reads nothing else. */
interface ChunkVectorTable {
  chunk_id: number;
  workspace_id: WorkspaceId;
  document_id: DocumentId;
  bits: string;
  embedding: string;
  /** False while staged (scanned exactly); true once it is in the HNSW index. */
  promoted: boolean;
}

interface ChunkTermsTable {
  chunk_id: number;
  workspace_id: WorkspaceId;
  document_id: DocumentId;
  terms: number[];
  /** `sparsevec`: the document half of BM25 for each term. */
  weights: string;
}

/** How many chunks of a workspace hold a term; term −1 counts the chunks themselves. */
interface TermCountTable {
  workspace_id: WorkspaceId;
  term: number;
  chunks: number;
}

/** Changes to `term_count` not yet folded in: appended by index writes so that common terms are no hot rows. */
interface TermDeltaTable {
  workspace_id: WorkspaceId;
  term: number;
  delta: number;
}

interface ChatSessionTable {
  id: ChatSessionId;
  workspace_id: WorkspaceId;
  user_id: UserId;
  title: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface ChatMessageTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  chat_session_id: ChatSessionId;
  parent_id: number | null;
  role: 'user' | 'assistant';
  content: string;
  /** Citation number → document id, for assistant messages. */
  citations: Json<Record<string, string>>;
  error: string | null;
  created_at: Timestamp;
}

export interface Tables {
  workspace: WorkspaceTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
  deployment_fact: DeploymentFactTable;
  stored_file: StoredFileTable;
  stored_file_part: StoredFilePartTable;
  connector: ConnectorTable;
  credential: CredentialTable;
  cc_pair: CcPairTable;
  index_attempt: IndexAttemptTable;
  index_attempt_error: IndexAttemptErrorTable;
  connector_memory: ConnectorMemoryTable;
  prune_attempt: PruneAttemptTable;
  prune_listing: PruneListingTable;
  document_set: DocumentSetTable;
  document_set_cc_pair: DocumentSetCcPairTable;
  document: DocumentTable;
  document_cc_pair: DocumentCcPairTable;
  chunk: ChunkTable;
  chunk_vector: ChunkVectorTable;
  chunk_terms: ChunkTermsTable;
  term_count: TermCountTable;
  term_delta: TermDeltaTable;
  chat_session: ChatSessionTable;
  chat_message: ChatMessageTable;
}
