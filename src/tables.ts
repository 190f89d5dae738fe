import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BillingTables } from './billing-tables.ts';
import type { ChatTables } from './chat-tables.ts';
import type { ConnectorTables } from './connector-tables.ts';
import type { ApiKeyId, CcPairId, DocumentId, UserId, WorkspaceId } from './ids.ts';
import type { OutreachTables } from './outreach-tables.ts';
import type { PointsTables } from './points-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

export {
  INDEX_ATTEMPT_STATUSES,
  type IndexAttemptStatus,
  PAIR_STATUSES,
  type PairStatus,
  type PruneAttemptStatus,
} from './connector-tables.ts';

export {
  CHAT_FILE_TYPES,
  type ChatFileType,
  type FileDescriptor,
  USER_FILE_STATUSES,
  type UserFileStatus,
} from './chat-tables.ts';

export {
  DO_NOT_CONTACT_REASONS,
  type DoNotContactReason,
  EMAIL_MESSAGE_STATUSES,
  type EmailMessageStatus,
  type Enrichment,
  ENRICHMENTS,
  LEAD_SCRAPE_STATUSES,
  type LeadScrapeStatus,
  SCRAPE_MODES,
  type ScrapeMode,
} from './outreach-tables.ts';

export {
  WEBHOOK_ATTEMPT_OUTCOMES,
  WEBHOOK_DELIVERY_STATUSES,
  type WebhookAttemptOutcome,
  type WebhookDeliveryStatus,
} from './webhook-tables.ts';

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
  /** The plan that holds now: that of the subscription, else `base_plan_tier`. */
  plan_tier: PlanTier;
  /** The plan without a subscription: the default one, or what an operator has set. */
  base_plan_tier: PlanTier;
  /** Since when `plan_tier` holds. */
  plan_since: Timestamp;
  /** The one workspace made at first start; its admins may create others. */
  is_bootstrap: boolean;
  created_at: Timestamp;
}

interface UserAccountTable {
  id: UserId;
  workspace_id: WorkspaceId;
  display_name: string;
  email: string | null;
  /** IANA name; the user's days begin and end by it. */
  time_zone: Generated<string>;
  time_zone_changed_at: Date | null;
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

/** A key of `ENCRYPTION_KEY` that a process has started with; see src/encryption. The key itself is not here. */
interface EncryptionKeyTable {
  /** 8 hex digits; they stand in every value that the key has sealed. */
  id: string;
  /** Tells the key from another one of the same id; null when no process has had it. */
  check_value: string | null;
  /** Since when processes start without it. */
  lost_at: Date | null;
  created_at: Timestamp;
}

/** A key of the tokens in unsubscribe links. */
interface UnsubscribeKeyTable {
  id: string;
  sealed_key: string;
  /** Otherwise it only reads links that were made earlier. */
  makes_links: boolean;
  created_at: Timestamp;
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
  /** What hits show in its place when it is large; null when they show the whole. */
  shown_metadata: Json<DocumentMetadata> | null;
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
  /** Whether the HNSW index covers it, as soon as that serves; false while staged. */
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

export interface Tables
  extends BillingTables, ChatTables, ConnectorTables, OutreachTables, PointsTables, WebhookTables {
  workspace: WorkspaceTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
  deployment_fact: DeploymentFactTable;
  encryption_key: EncryptionKeyTable;
  unsubscribe_key: UnsubscribeKeyTable;
  document_set: DocumentSetTable;
  document_set_cc_pair: DocumentSetCcPairTable;
  document: DocumentTable;
  document_cc_pair: DocumentCcPairTable;
  chunk: ChunkTable;
  chunk_vector: ChunkVectorTable;
  chunk_terms: ChunkTermsTable;
  term_count: TermCountTable;
  term_delta: TermDeltaTable;
}
