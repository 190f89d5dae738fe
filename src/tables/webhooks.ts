import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type {
  WebhookDeliveryId,
  WebhookEndpointId,
  WebhookEventId,
  WorkspaceId,
} from '#src/ids.ts';
import type { Timestamp } from './column-types.ts';

interface WebhookEndpointTable {
  id: WebhookEndpointId;
  workspace_id: WorkspaceId;
  url: string;
  description: Generated<string>;
  /** Null means every type except those of documents, which must be listed explicitly. */
  event_types: string[] | null;
  /** Deliveries per minute; null for no limit. */
  rate_limit: number | null;
  enabled: Generated<boolean>;
  /** Why it is disabled, in a sentence for its owner; null while it is enabled. */
  disabled_reason: string | null;
  disabled_at: Date | null;
  /** Sealed for `webhook_endpoint:<id>`. */
  secret: string;
  /** The secret before the rotation, sealed likewise; also used for signing until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: Date | null;
  /** Accurate to five seconds: successes of a healthy endpoint do not write its row each time. */
  last_success_at: Date | null;
  /** The first failure since the last success; null while healthy. */
  failing_since: Date | null;
  last_failure_at: Date | null;
  /** Failures since the last success. */
  failures: Generated<number>;
  /** How often the circuit breaker has opened since the last success. */
  breaker_trips: Generated<number>;
  /** Nothing is sent until then; the first delivery after it is a probe. Null while the breaker is closed. */
  breaker_until: Date | null;
  /** When the rate limit allows the next delivery. */
  paced_until: Date | null;
  /** When the delayed job that will look at this endpoint is due. */
  wake_at: Date | null;
  /** Only one worker at a time delivers to an endpoint: its token, and when another may take over. */
  claim_token: string | null;
  claimed_until: Date | null;
  /** When a job was last sent for this row by `reconcile`. */
  queued_at: Timestamp;
  /** Deliveries of a deleted endpoint can be looked up until their retention expires. */
  deleted_at: Date | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface WebhookEventTable {
  id: WebhookEventId;
  workspace_id: WorkspaceId;
  type: string;
  /** The exact bytes of the body sent on every attempt; null once expunged. */
  payload: string | null;
  /** For events that may occur only once, such as the completion of one checkout. */
  dedupe_key: string | null;
  created_at: Timestamp;
}

export const WEBHOOK_DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'delivered',
  'waiting',
  'exhausted',
  'canceled',
] as const;

/**
 * `pending → delivering → delivered | waiting | exhausted`; `waiting → delivering`; `canceled` when its endpoint is
 * disabled or deleted.
 */
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

interface WebhookDeliveryTable {
  id: GeneratedAlways<WebhookDeliveryId>;
  workspace_id: WorkspaceId;
  webhook_endpoint_id: WebhookEndpointId;
  webhook_event_id: WebhookEventId;
  event_type: string;
  status: Generated<WebhookDeliveryStatus>;
  /** All attempts that counted. */
  attempts: Generated<number>;
  /** 1 at first; each resend or recovery starts another round of the schedule. */
  round: Generated<number>;
  /** Attempts of this round that counted: the position in the schedule. */
  round_attempts: Generated<number>;
  /** Attempts of this round that failed on our side and did not count. */
  own_outages: Generated<number>;
  next_attempt_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  /** The claim of the worker that delivers to the endpoint. */
  claim_token: string | null;
  last_status_code: number | null;
  /** Why the last attempt failed, or why it was canceled. */
  error: string | null;
  /** The first success. */
  delivered_at: Date | null;
  /** When it became delivered, exhausted or canceled. */
  finished_at: Date | null;
  created_at: Timestamp;
}

export const WEBHOOK_ATTEMPT_OUTCOMES = ['delivered', 'failed', 'interrupted'] as const;

/** `interrupted`: the worker was lost or stopped; whether the request reached the receiver is unknown. */
export type WebhookAttemptOutcome = (typeof WEBHOOK_ATTEMPT_OUTCOMES)[number];

interface WebhookAttemptTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  webhook_delivery_id: WebhookDeliveryId;
  round: number;
  outcome: WebhookAttemptOutcome;
  /** False for failures on our side, which do not use up the receiver's attempts. */
  counts: boolean;
  status_code: number | null;
  error_class: string | null;
  error: string | null;
  /** The beginning of the receiver's answer. */
  answer: string | null;
  duration_ms: number;
  started_at: Date;
}

/** Endpoints, events and deliveries. */
export interface WebhooksTables {
  webhook_endpoint: WebhookEndpointTable;
  webhook_event: WebhookEventTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_attempt: WebhookAttemptTable;
}
