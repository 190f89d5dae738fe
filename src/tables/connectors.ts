import type { Generated, GeneratedAlways } from 'kysely';
import type {
  CcPairId,
  ConnectorId,
  CredentialId,
  IndexAttemptId,
  PruneAttemptId,
  UserId,
  WorkspaceId,
} from '#src/ids.ts';
import type { Json, JsonWithDefault, Timestamp } from './column-types.ts';

interface CcPairTable {
  id: GeneratedAlways<CcPairId>;
  workspace_id: WorkspaceId;
  name: string;
  source: string;
  /** A workspace's default pair takes documents without a pair; listings omit it. */
  is_default: Generated<boolean>;
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
  /** When the next run is due; null when none is scheduled. */
  next_run_at: Date | null;
  next_prune_at: Date | null;
  /** All changes at the source before this time have been fetched. */
  synced_until: Date | null;
  last_success_at: Date | null;
  last_pruned_at: Date | null;
  /** Consecutive failed runs. */
  failed_runs: Generated<number>;
  /** SHA-256 of the settings of the last successful run; a different hash means starting from the beginning. */
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

/** A source with its settings; nothing is polled without a pair. */
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
  /** Seconds; null means once, then on demand. */
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

/** One run: fetched = accepted + unchanged + skipped + failed, at all times. */
interface IndexAttemptTable {
  id: GeneratedAlways<IndexAttemptId>;
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  status: IndexAttemptStatus;
  from_beginning: Generated<boolean>;
  /** Null means from the beginning. */
  poll_range_start: Date | null;
  poll_range_end: Date;
  settings_hash: string;
  /** Where the connector resumes after a worker was lost; null before the first page. */
  checkpoint: Json<unknown>;
  checkpoint_description: string | null;
  /** Why it resumes only at `next_attempt_at`, in the source's words; null while it works. */
  waiting_for: string | null;
  pages: Generated<number>;
  fetched: Generated<number>;
  accepted: Generated<number>;
  /** How many of the accepted ones were new. */
  created: Generated<number>;
  unchanged: Generated<number>;
  skipped: Generated<number>;
  failed: Generated<number>;
  removed: Generated<number>;
  /** Reason → number of documents skipped for it. */
  skip_reasons: JsonWithDefault<Record<string, number>>;
  /** Changes made to accepted documents, as in skip_reasons. */
  notes: JsonWithDefault<Record<string, number>>;
  /** Number of documents the whole run will fetch, if the source reports it. */
  estimated_total: number | null;
  error: string | null;
  /** Consecutive times that the source could not be reached. */
  outages: Generated<number>;
  /** When it last received a page; null before the first. */
  last_page_at: Date | null;
  /** How often another worker resumed from the checkpoint. */
  resumptions: Generated<number>;
  /** The run that ended early and from whose checkpoint this one started. */
  resumed_from: IndexAttemptId | null;
  claim_token: string | null;
  claimed_until: Date | null;
  /** Not before this time: the source asked to wait. */
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
  /** Number of runs in which it failed. */
  tries: Generated<number>;
  is_resolved: Generated<boolean>;
  created_at: Timestamp;
  resolved_at: Date | null;
}

/** What a connector remembers for its next run, such as a page's ETag. */
interface ConnectorMemoryTable {
  cc_pair_id: CcPairId;
  key: string;
  /** The entry is valid only while the pair has this document; null means always. */
  document_id: string | null;
  value: Json<unknown>;
  /** Kept when a run starts from the beginning. */
  lasting: Generated<boolean>;
}

interface PruneAttemptTable {
  id: GeneratedAlways<PruneAttemptId>;
  workspace_id: WorkspaceId;
  cc_pair_id: CcPairId;
  status: PruneAttemptStatus;
  /** Documents of the pair that came from its source. */
  known: Generated<number>;
  /** Number of ids that the source listed. */
  listed: Generated<number>;
  /** Known but no longer listed. */
  gone: Generated<number>;
  removed: Generated<number>;
  /** Number of removals that an administrator has approximately agreed to. */
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

interface DocumentSetTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  name: string;
  description: Generated<string>;
  created_at: Timestamp;
}

interface DocumentSetCcPairTable {
  document_set_id: number;
  cc_pair_id: CcPairId;
}

/** Connectors, credentials, their pairs and runs, and sets of pairs. */
export interface ConnectorsTables {
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
}
