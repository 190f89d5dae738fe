import { sql } from 'kysely';
import type {
  WebhookDeliveryId,
  WebhookEndpointId,
  WebhookEventId,
  WorkspaceId,
} from '#src/ids.ts';
import { Batcher } from '#src/platform/batcher.ts';
import type { Database } from '#src/platform/database.ts';
import type { WebhookAttemptOutcome, WebhookDeliveryStatus } from '#src/tables/webhooks.ts';
import {
  claimEndpoints,
  type EndpointClaim,
  type HeldEndpoint,
  type Release,
  releaseEndpoints,
} from './claim-endpoint.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** A delivery that the holder of its endpoint must send now. */
export interface ClaimedDelivery {
  id: WebhookDeliveryId;
  workspaceId: WorkspaceId;
  eventId: WebhookEventId;
  /** The exact bytes of the body. */
  payload: string;
  round: number;
  /** Attempts of this round that counted, and those that failed on our side. */
  roundAttempts: number;
  ownOutages: number;
  attempts: number;
  /** From due to claimed. */
  waitedMs: number;
  /** Version of the endpoint at the claim: see `Target`. */
  targetVersion: number;
}

interface Claim {
  endpointId: WebhookEndpointId;
  token: string;
  /** Maximum number of deliveries. */
  room: number;
}

/** The result of an attempt, and the new state of its delivery. */
export interface AttemptRecord {
  endpointId: WebhookEndpointId;
  token: string;
  delivery: Pick<ClaimedDelivery, 'id' | 'workspaceId' | 'round'>;
  outcome: WebhookAttemptOutcome;
  counts: boolean;
  status: Exclude<WebhookDeliveryStatus, 'delivering' | 'canceled'>;
  nextAttemptAt: Date | null;
  statusCode: number | null;
  errorClass: string | null;
  error: string | null;
  answer: string | null;
  durationMs: number;
  startedAt: Date;
  /** Version of the endpoint as its holder knows it: see `Target`. A concurrent change may have reset its failures. */
  targetVersion: number;
  /** The endpoint's health after the attempt; null when it need not be written. */
  health: EndpointHealth | null;
}

/** Claims deliveries and records attempts. The endpoints of a process share its round trips. */
export interface DeliveryLedger {
  /** See `claimEndpoints`. */
  claimEndpoint(id: WebhookEndpointId): Promise<EndpointClaim | null>;
  /** See `releaseEndpoints`. */
  releaseEndpoint(endpoint: HeldEndpoint): Promise<Release>;
  /** Claims the endpoint's due deliveries, oldest first, and sets them to `delivering`. */
  claim(claim: Claim): Promise<ClaimedDelivery[]>;
  /** Writes the attempt and the delivery's new state in one statement; the state only if the claim still holds. */
  record(record: AttemptRecord): Promise<void>;
  /** Before what could not be recorded is tried again; it doubles each time. */
  readonly firstRecordPauseMs: number;
  /** Attempts in progress in this process. */
  readonly load: { inProgress: number };
  idle(): Promise<void>;
}

/** Endpoints per statement. */
const MAX_ENDPOINTS = 256;
const MAX_RECORDS = 512;
const MAX_RECORD_BYTES = 4_000_000;
const FIRST_RECORD_PAUSE_MS = 500;
/** Twice as many rows in a statement cost Postgres a fifth less for each. What comes alone does not wait. */
const GATHER_MS = 2;

export function createDeliveryLedger(db: Database): DeliveryLedger {
  const claims = new Batcher<Claim, ClaimedDelivery[]>(
    (items) => retryDeadlock(() => claimDeliveries(db, items)),
    { items: MAX_ENDPOINTS, size: MAX_ENDPOINTS },
    () => 1,
    { gatherMs: GATHER_MS },
  );
  const endpointClaims = new Batcher<WebhookEndpointId, EndpointClaim | null>(
    async (ids) => fulfilled(await retryDeadlock(() => claimEndpoints(db, ids))),
    { items: MAX_ENDPOINTS, size: MAX_ENDPOINTS },
    () => 1,
  );
  const releases = new Batcher<HeldEndpoint, Release>(
    async (endpoints) => fulfilled(await retryDeadlock(() => releaseEndpoints(db, endpoints))),
    { items: MAX_ENDPOINTS, size: MAX_ENDPOINTS },
    () => 1,
  );
  const records = new Batcher<AttemptRecord, void>(
    (items) => recordEach(db, items),
    { items: MAX_RECORDS, size: MAX_RECORD_BYTES },
    ({ answer }) => answer?.length ?? 0,
    { gatherMs: GATHER_MS },
  );
  return {
    firstRecordPauseMs: FIRST_RECORD_PAUSE_MS,
    load: { inProgress: 0 },
    claimEndpoint: (id) => endpointClaims.submit(id),
    releaseEndpoint: (endpoint) => releases.submit(endpoint),
    claim: (claim) => claims.submit(claim),
    record: (record) => records.submit(record),
    async idle() {
      for (const batcher of [endpointClaims, claims, records, releases]) await batcher.idle();
    },
  };
}

function fulfilled<T>(values: readonly T[]): PromiseFulfilledResult<T>[] {
  return values.map((value) => ({ status: 'fulfilled', value }));
}

async function claimDeliveries(
  db: Database,
  claims: Claim[],
): Promise<PromiseSettledResult<ClaimedDelivery[]>[]> {
  const wanted = claims.map(({ endpointId, token, room }) => ({ id: endpointId, token, room }));
  // A payload expunged in the meantime can never be sent. With a list of statuses, which the planner takes for rare, a
  // claim would read and sort all that is due; of what is due, only `delivering` is not to be claimed.
  const { rows } = await sql<ClaimedDelivery & { token: string; payload: string | null }>`
    with wanted as (
      select w.*, extract(epoch from e.updated_at)::float8 as version
      from json_to_recordset(${JSON.stringify(wanted)}::json) as w(id uuid, token text, room int)
      join webhook_endpoint e on e.id = w.id and e.claim_token = w.token and e.enabled
        and e.deleted_at is null
    ), due as (
      select d.id, wanted.token, wanted.version from wanted cross join lateral (
        select id from webhook_delivery
        where webhook_endpoint_id = wanted.id and status <> 'delivering'
          and next_attempt_at <= now()
        order by next_attempt_at, id limit wanted.room for update skip locked) d
    )
    update webhook_delivery d
    set claim_token = case when e.payload is not null then due.token end,
      status = case when e.payload is null then 'canceled' else 'delivering' end,
      error = case when e.payload is null then 'The payload was expunged.' else d.error end,
      next_attempt_at = case when e.payload is not null then d.next_attempt_at end,
      finished_at = case when e.payload is null then now() end
    from due, webhook_event e where d.id = due.id and e.id = d.webhook_event_id
    returning d.id, d.workspace_id as "workspaceId", d.webhook_event_id as "eventId", e.payload,
      d.round, d.round_attempts as "roundAttempts", d.own_outages as "ownOutages", d.attempts,
      coalesce(extract(epoch from now() - d.next_attempt_at) * 1000, 0)::float8 as "waitedMs",
      due.version as "targetVersion", due.token`.execute(db);
  const byToken = Map.groupBy(rows, ({ token }) => token);
  return fulfilled(
    claims.map(({ token }) => (byToken.get(token) ?? []).filter(({ payload }) => payload !== null)),
  );
}

/** One entry that the database rejects must not prevent the others from being written. */
async function recordEach(
  db: Database,
  records: AttemptRecord[],
): Promise<PromiseSettledResult<void>[]> {
  try {
    await retryDeadlock(() => recordAttempts(db, records));
    return fulfilled(records.map(() => undefined));
  } catch (error) {
    if (records.length === 1 || !isDataError(error)) throw error;
    const settled: PromiseSettledResult<void>[] = [];
    for (const record of records) {
      settled.push(...(await Promise.allSettled([recordAttempts(db, [record])])));
    }
    return settled;
  }
}

const DEADLOCK_TRIES = 3;

/** Statements of two processes may lock the same rows in different order; the one that is aborted can be retried. */
async function retryDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await work();
    } catch (error) {
      if (made >= DEADLOCK_TRIES || !hasCode(error, /^40P01$/)) throw error;
    }
  }
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof Error && 'code' in error && codes.test(String(error.code));
}

/** SQLSTATE classes 22 (data) and 23 (constraints): https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isDataError(error: unknown): boolean {
  return hasCode(error, /^2[23]/);
}

async function recordAttempts(db: Database, records: AttemptRecord[]): Promise<void> {
  // Looked up by the list of ids: by those of `made` alone, the planner reads all of a table of some thousand rows.
  const ids = records.map(({ delivery }) => delivery.id);
  await sql`
    with made as (
      select * from json_to_recordset(${JSON.stringify(records.map(attemptRow))}::json) as x(
        id bigint, workspace_id uuid, token text, round int, outcome text, counts boolean,
        status text, next_attempt_at timestamptz, status_code int, error_class text, error text,
        answer text, duration_ms int, started_at timestamptz)
    ), moved as (
      update webhook_delivery d set status = made.status, next_attempt_at = made.next_attempt_at,
        attempts = d.attempts + made.counts::int,
        round_attempts = d.round_attempts + made.counts::int,
        own_outages = d.own_outages + (not made.counts and made.outcome = 'failed')::int,
        claim_token = null, error = made.error,
        last_status_code = coalesce(made.status_code, d.last_status_code),
        delivered_at = case when made.outcome = 'delivered' then coalesce(d.delivered_at, now())
          else d.delivered_at end,
        finished_at = case when made.status in ('delivered', 'exhausted') then now() end
      from made
      where d.id = any(${ids}::bigint[]) and d.id = made.id
        and d.claim_token = made.token
      returning d.id, d.webhook_event_id
    ), health as (
      update webhook_endpoint e set failing_since = h.failing_since, failures = h.failures,
        last_success_at = h.last_success_at, breaker_trips = h.breaker_trips,
        breaker_until = h.breaker_until, last_failure_at = h.last_failure_at
      from json_to_recordset(${JSON.stringify(healthRows(records))}::json) as h(
        id uuid, token text, version float8, failing_since timestamptz,
        last_success_at timestamptz, last_failure_at timestamptz, failures int, breaker_trips int,
        breaker_until timestamptz)
      where h.id = e.id and h.token = e.claim_token and e.enabled
        and h.version = extract(epoch from e.updated_at)::float8
    )
    insert into webhook_attempt (workspace_id, webhook_delivery_id, round, outcome, counts,
      status_code, error_class, error, answer, duration_ms, started_at)
    select made.workspace_id, made.id, made.round, outcome, counts, status_code, error_class,
      made.error, case when e.is_kept then answer end, duration_ms, started_at
    from made left join moved on moved.id = made.id
    cross join lateral (select payload is not null as is_kept from webhook_event
      where id = coalesce(moved.webhook_event_id,
        (select d.webhook_event_id from webhook_delivery d where d.id = made.id)) limit 1) e
    -- Whoever asks a second time did not hear that it was written. An interrupted attempt may bear the same moment.
    where moved.id is not null or (select a.id from webhook_attempt a where a.webhook_delivery_id = made.id
      and a.started_at = made.started_at and a.outcome = made.outcome limit 1) is null`.execute(db);
}

function attemptRow(record: AttemptRecord) {
  const { delivery, token, outcome, counts, status, error, answer } = record;
  return {
    id: delivery.id,
    workspace_id: delivery.workspaceId,
    token,
    round: delivery.round,
    outcome,
    counts,
    status,
    // What is left out is null: a success has half of these.
    next_attempt_at: record.nextAttemptAt ?? undefined,
    status_code: record.statusCode ?? undefined,
    error_class: record.errorClass ?? undefined,
    error: error ?? undefined,
    answer: answer ?? undefined,
    duration_ms: record.durationMs,
    started_at: record.startedAt,
  };
}

/** The last record of each endpoint: its holder records in order. */
function healthRows(records: AttemptRecord[]) {
  const last = new Map<WebhookEndpointId, object>();
  for (const { endpointId, token, targetVersion, health } of records) {
    if (health === null) continue;
    last.set(endpointId, {
      id: endpointId,
      token,
      version: targetVersion,
      failing_since: health.failingSince,
      last_success_at: health.lastSuccessAt,
      last_failure_at: health.lastFailureAt,
      failures: health.failures,
      breaker_trips: health.breakerTrips,
      breaker_until: health.breakerUntil,
    });
  }
  return [...last.values()];
}
