import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { SecretBox } from '#src/platform/crypto.ts';
import { MAX_OWN_OUTAGES } from './retry-schedule.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { SigningSecrets } from './sign.ts';

/** A claim not renewed for this long counts as that of a dead worker. */
const LEASE_SECONDS = 20;

/** An endpoint to which only this worker delivers. */
export interface ClaimedEndpoint {
  id: WebhookEndpointId;
  workspaceId: WorkspaceId;
  token: string;
  target: Target;
  health: EndpointHealth;
  /** When the rate limit allows the next delivery. */
  pacedUntil: Date | null;
  /** Based on the database's clock: clock changes there or on this machine do not shift schedules. */
  now: () => Date;
}

/** Destination and signing secrets. */
export interface Target {
  url: string;
  secrets: SigningSecrets;
  /** Deliveries per minute; null for no limit. */
  rateLimit: number | null;
  /** Changes whenever one of these fields changes. */
  version: number;
}

interface TargetRow {
  id: WebhookEndpointId;
  url: string;
  secret: string;
  previous_secret: string | null;
  rate_limit: number | null;
  version: number;
}

interface HealthRow {
  failing_since: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  failures: number;
  breaker_trips: number;
  breaker_until: Date | null;
}

type EndpointRow = TargetRow &
  HealthRow & {
    workspace_id: WorkspaceId;
    now: Date;
    paced_until: Date | null;
    was_held: boolean;
  };

const TARGET = sql.raw(`id, url, secret, rate_limit,
  case when previous_secret_until > now() then previous_secret end as previous_secret,
  extract(epoch from updated_at)::float8 as version`);
/** A delayed job may arrive slightly early; it still counts as that job. */
const EARLY = sql.raw(`interval '1 second'`);
const HEALTH = sql.raw(
  `failing_since, last_success_at, last_failure_at, failures, breaker_trips, breaker_until`,
);

/** The result of a claim; the caller opens the secrets. */
export interface EndpointClaim {
  row: EndpointRow;
  token: string;
  claimedAt: number;
}

/**
 * Claims endpoints for this worker. Deliveries that a dead worker was sending become due again: whether the receiver
 * got them is unknown, so the ledger says so, and the receiver may see them twice.
 * @returns null for endpoints with nothing to do: disabled, held by another worker, breaker open, rate used up
 */
export async function claimEndpoints(
  db: Database,
  ids: readonly WebhookEndpointId[],
): Promise<(EndpointClaim | null)[]> {
  const token = randomUUID();
  // One statement must not lock a row and then update it: it would deadlock with a statement that waits for the row meanwhile.
  const { rows } = await sql<EndpointRow>`
    update webhook_endpoint set claim_token = ${token} || ':' || id,
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      wake_at = case when wake_at > now() + ${EARLY} then wake_at end
    from (select id as held_id, claimed_until is not null as was_held from webhook_endpoint
      where id = any(${ids}::uuid[])) before
    where id = held_id and enabled and deleted_at is null
      and (claimed_until is null or claimed_until < now())
      and (breaker_until is null or breaker_until <= now() + ${EARLY})
      and (paced_until is null or paced_until <= now() + ${EARLY})
    returning ${TARGET}, ${HEALTH}, workspace_id, now() as now, paced_until, was_held`.execute(db);
  const claimedAt = performance.now();
  const claims = new Map(
    rows.map((row) => [row.id, { row, token: `${token}:${row.id}`, claimedAt }]),
  );
  for (const { row, token: own } of claims.values()) {
    if (!row.was_held) continue;
    // A lease that cannot be used expires; the other endpoints are not affected.
    await takeOver(db, row.id, own).catch(() => claims.delete(row.id));
  }
  return ids.map((id) => {
    const claim = claims.get(id) ?? null;
    // An id that occurs twice is one claim.
    claims.delete(id);
    return claim;
  });
}

/** @throws UnreadableSecret when the endpoint's secret was sealed with another key */
export function openClaim(
  secrets: SecretBox,
  { row, token, claimedAt }: EndpointClaim,
): ClaimedEndpoint {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    token,
    target: readTarget(secrets, row),
    health: readHealth(row),
    pacedUntil: row.paced_until,
    now: () => new Date(row.now.getTime() + performance.now() - claimedAt),
  };
}

/** The endpoint as it is now, after a change; null when nothing more may be sent to it. */
export async function rereadEndpoint(
  { db, secrets }: { db: Database; secrets: SecretBox },
  id: WebhookEndpointId,
): Promise<Pick<ClaimedEndpoint, 'target' | 'health'> | null> {
  const { rows } = await sql<TargetRow & HealthRow>`
    select ${TARGET}, ${HEALTH} from webhook_endpoint
    where id = ${id} and enabled and deleted_at is null`.execute(db);
  const [row] = rows;
  return row ? { target: readTarget(secrets, row), health: readHealth(row) } : null;
}

function readHealth(row: HealthRow): EndpointHealth {
  return {
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    failures: row.failures,
    breakerTrips: row.breaker_trips,
    breakerUntil: row.breaker_until,
  };
}

function readTarget(secrets: SecretBox, row: TargetRow): Target {
  const open = (sealed: string): string => secrets.open(sealed, `webhook_endpoint:${row.id}`);
  return {
    url: row.url,
    secrets: {
      current: open(row.secret),
      previous: row.previous_secret === null ? null : open(row.previous_secret),
    },
    rateLimit: row.rate_limit,
    version: row.version,
  };
}

export const LOST_WORKER =
  'The worker was lost while it was sending; whether the receiver was reached is not known.';

async function takeOver(db: Database, id: WebhookEndpointId, token: string): Promise<void> {
  await sql`
    with orphans as (
      update webhook_delivery set claim_token = null, error = ${LOST_WORKER},
        own_outages = own_outages + 1,
        status = case when own_outages >= ${MAX_OWN_OUTAGES} then 'exhausted'
          when attempts = 0 then 'pending' else 'waiting' end,
        finished_at = case when own_outages >= ${MAX_OWN_OUTAGES} then now() end,
        next_attempt_at = case when own_outages >= ${MAX_OWN_OUTAGES} then null
          -- What is lost again and again may be what its workers die of.
          else now() + make_interval(secs => case when own_outages < 3 then 0
            else least(600, 5 * 2 ^ own_outages) end) end
      where webhook_endpoint_id = ${id} and next_attempt_at is not null and status = 'delivering'
        and claim_token <> ${token}
      returning id, workspace_id, round
    )
    insert into webhook_attempt (workspace_id, webhook_delivery_id, round, outcome, counts,
      error_class, error, duration_ms, started_at)
    select workspace_id, id, round, 'interrupted', false, 'interrupted', ${LOST_WORKER}, 0, now()
    from orphans`.execute(db);
}

/** @returns false when another worker has the endpoint */
export async function renewEndpoint(
  db: Database,
  { id, token }: Pick<ClaimedEndpoint, 'id' | 'token'>,
): Promise<boolean> {
  const { rows } = await sql`
    update webhook_endpoint set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and claim_token = ${token} returning id`.execute(db);
  return rows.length === 1;
}

/** What a release needs to know. */
export type HeldEndpoint = Pick<ClaimedEndpoint, 'id' | 'token' | 'pacedUntil'> & {
  target: Pick<Target, 'version'>;
};

/** What to do after an endpoint was released. */
export interface Release {
  /** False when it was disabled or deleted. */
  isEnabled: boolean;
  /** Milliseconds until it must be looked at again; null when no job is needed for that. */
  wakeMs: number | null;
}

/** Releases endpoints and plans when they must be looked at again. */
export async function releaseEndpoints(
  db: Database,
  endpoints: readonly HeldEndpoint[],
): Promise<Release[]> {
  const given = endpoints.map(({ id, token, pacedUntil, target }) => {
    return { id, token, paced: pacedUntil, version: target.version };
  });
  const { rows } = await sql<{ id: WebhookEndpointId; is_enabled: boolean }>`
    update webhook_endpoint e set claim_token = null, claimed_until = null,
      paced_until = case when g.version = extract(epoch from e.updated_at)::float8 then g.paced
        else e.paced_until end
    from json_to_recordset(${JSON.stringify(given)}::json) as g(
      id uuid, token text, paced timestamptz, version float8)
    where g.id = e.id and g.token = e.claim_token
    returning e.id, e.enabled and e.deleted_at is null as is_enabled`.execute(db);
  const enabled = new Map(rows.map(({ id, is_enabled }) => [id, is_enabled]));
  const wakes = await planWakeUps(
    db,
    rows.filter(({ is_enabled }) => is_enabled).map(({ id }) => id),
  );
  return endpoints.map(({ id }) => ({
    isEnabled: enabled.get(id) ?? true,
    wakeMs: wakes.get(id) ?? null,
  }));
}

/**
 * Runs after the release: it sees events that arrived while the endpoint was held, and later events find the endpoint
 * free. Skips an endpoint whose next job is already scheduled.
 */
async function planWakeUps(
  db: Database,
  ids: readonly WebhookEndpointId[],
): Promise<Map<WebhookEndpointId, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: WebhookEndpointId; wake_ms: number }>`
    with due as (
      select e.id as due_id, greatest(e.breaker_until, e.paced_until, next.at) as at
      from webhook_endpoint e cross join lateral (
        select d.next_attempt_at as at from webhook_delivery d
        where d.webhook_endpoint_id = e.id and d.next_attempt_at is not null
          and d.status in ('pending', 'waiting')
        order by d.next_attempt_at limit 1) next
      where e.id = any(${ids}::uuid[]) and e.enabled and e.deleted_at is null
        and e.claim_token is null
    )
    update webhook_endpoint e set wake_at = due.at from due
    where e.id = due_id and e.claim_token is null and (e.wake_at is null or e.wake_at > due.at or e.wake_at <= now())
    returning e.id, greatest(0, extract(epoch from due.at - now()) * 1000)::float8 as wake_ms`.execute(
    db,
  );
  return new Map(rows.map(({ id, wake_ms }) => [id, wake_ms]));
}
