import { z } from 'zod';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { INDEX_ATTEMPT_STATUSES, PAIR_STATUSES } from '#src/tables/connectors.ts';
import { isIndexing, isRepeatedlyFailing, type PairOverview } from './pair-status.ts';
import { documentsPerMinute } from './present-attempt.ts';
import { connectorSnapshotSchema, presentConnector } from './present-connector.ts';
import { credentialSnapshotSchema, presentCredential } from './present-credential.ts';

const maybe = z.iso.datetime().nullable();
const runStatus = z.enum(INDEX_ATTEMPT_STATUSES).nullable();

/** Fields that the pair listing and the pair detail share, beyond those that existing clients know. */
const progress = {
  status_reason: z.string().nullable().describe('Why it is paused or invalid, in a sentence.'),
  indexing: z.boolean().describe('A run is under way or waits for a worker.'),
  in_repeated_error_state: z.boolean(),
  num_docs_indexed: z.int(),
  docs: z.object({
    indexed: z.int(),
    pending: z.int().describe('Accepted, and not indexed yet.'),
    failed: z.int(),
  }),
  last_index_attempt_status: runStatus,
  last_indexed: maybe.describe('The end of the last run that was a success.'),
  last_pruned: maybe,
  next_run: maybe,
  next_prune: maybe,
};

export const pairStatusSchema = z
  .object({
    cc_pair_id: z.int(),
    name: z.string(),
    connector: connectorSnapshotSchema,
    credential: credentialSnapshotSchema,
    access_type: z.string(),
    groups: z.array(z.int()),
    cc_pair_status: z.enum(PAIR_STATUSES),
    ...progress,
  })
  .meta({ id: 'ConnectorStatus' });

export const pairInfoSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    status: z.enum(PAIR_STATUSES),
    connector: connectorSnapshotSchema,
    credential: credentialSnapshotSchema,
    access_type: z.string(),
    number_of_index_attempts: z.int(),
    latest_deletion_attempt: z
      .object({
        connector_id: z.int(),
        credential_id: z.int(),
        status: z.enum(['PENDING', 'STARTED', 'SUCCESS', 'FAILURE']),
      })
      .nullable(),
    deletion_failure_message: z.string().nullable(),
    is_editable_for_current_user: z.boolean(),
    creator: z.string().nullable(),
    creator_email: z.string().nullable(),
    overall_indexing_speed: z
      .number()
      .nullable()
      .describe('Documents per minute of the newest run.'),
    latest_checkpoint_description: z.string().nullable(),
    last_full_permission_sync: maybe,
    last_permission_sync_attempt_status: z.string().nullable(),
    permission_syncing: z.boolean(),
    last_permission_sync_attempt_finished: maybe,
    last_permission_sync_attempt_error_message: z.string().nullable(),
    ...progress,
  })
  .meta({ id: 'CCPairFullInfo' });

type Secrets = ConnectorServices['secrets'];

/** An item of the listing. */
export function presentPairStatus(
  secrets: Secrets,
  pair: PairOverview,
): z.input<typeof pairStatusSchema> {
  return {
    cc_pair_id: pair.id,
    name: pair.name,
    connector: presentConnector(pair.connector),
    credential: presentCredential(secrets, pair.credential),
    access_type: pair.access_type,
    groups: [],
    cc_pair_status: pair.status,
    ...presentProgress(pair),
  };
}

export function presentPair(
  secrets: Secrets,
  pair: PairOverview,
  { runs, now }: { runs: number; now: Date },
): z.input<typeof pairInfoSchema> {
  return {
    id: pair.id,
    name: pair.name,
    status: pair.status,
    connector: presentConnector(pair.connector),
    credential: presentCredential(secrets, pair.credential),
    access_type: pair.access_type,
    number_of_index_attempts: runs,
    latest_deletion_attempt: presentDeletion(pair),
    deletion_failure_message: pair.deletion_error,
    is_editable_for_current_user: true,
    creator: pair.created_by,
    creator_email: pair.creator_email,
    overall_indexing_speed: pair.lastRun && documentsPerMinute(pair.lastRun, now),
    latest_checkpoint_description: pair.lastRun?.checkpoint_description ?? null,
    // Source permissions are not mirrored.
    last_full_permission_sync: null,
    last_permission_sync_attempt_status: null,
    permission_syncing: false,
    last_permission_sync_attempt_finished: null,
    last_permission_sync_attempt_error_message: null,
    ...presentProgress(pair),
  };
}

function presentProgress(pair: PairOverview) {
  return {
    status_reason: pair.status_reason,
    indexing: isIndexing(pair),
    in_repeated_error_state: isRepeatedlyFailing(pair),
    num_docs_indexed: pair.documents.indexed,
    docs: pair.documents,
    last_index_attempt_status: pair.lastRun?.status ?? null,
    last_indexed: iso(pair.last_success_at),
    last_pruned: iso(pair.last_pruned_at),
    next_run: iso(pair.next_run_at),
    next_prune: iso(pair.next_prune_at),
  };
}

/** A completed deletion has removed its pair, so that state is never shown. */
function presentDeletion(
  pair: PairOverview,
): z.input<typeof pairInfoSchema>['latest_deletion_attempt'] {
  if (pair.deletion_requested_at === null) return null;
  return {
    connector_id: pair.connector_id,
    credential_id: pair.credential_id,
    status: pair.deletion_error === null ? 'STARTED' : 'FAILURE',
  };
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
