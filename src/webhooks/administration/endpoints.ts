import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { unknownEndpoint } from './path-ids.ts';

/** An endpoint and its workspace. */
export interface EndpointAddress {
  workspaceId: WorkspaceId;
  id: WebhookEndpointId;
}

/** The parts of an endpoint that may be shown: everything except its secrets. */
export interface EndpointRecord {
  id: WebhookEndpointId;
  url: string;
  description: string;
  event_types: string[] | null;
  rate_limit: number | null;
  enabled: boolean;
  disabled_reason: string | null;
  disabled_at: Date | null;
  /** Null when no rotation is in progress. */
  previous_secret_until: Date | null;
  last_success_at: Date | null;
  failing_since: Date | null;
  last_failure_at: Date | null;
  failures: number;
  breaker_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const ENDPOINT = sql.raw<EndpointRecord>(
  `id, url, description, event_types, rate_limit, enabled, disabled_reason, disabled_at,
  case when previous_secret_until > now() then previous_secret_until end as previous_secret_until, last_success_at, failing_since, last_failure_at, failures, breaker_until, created_at, updated_at`,
);

/** Must always increase: the worker that is sending to the endpoint detects changes by it. */
export const CHANGED_NOW = sql<Date>`greatest(now(), updated_at + interval '1 microsecond')`;

/** The row name for which its secrets are sealed. */
export function sealedFor(id: WebhookEndpointId): string {
  return `webhook_endpoint:${id}`;
}

/** Oldest first, without deleted endpoints. */
export async function listEndpoints(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<EndpointRecord[]> {
  const { rows } = await sql<EndpointRecord>`
    select ${ENDPOINT} from webhook_endpoint
    where workspace_id = ${workspaceId} and deleted_at is null
    order by created_at, id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function findEndpoint(
  db: Database | DatabaseTransaction,
  address: EndpointAddress,
): Promise<EndpointRecord> {
  return read(db, address, sql``);
}

/**
 * Locks the endpoint against changes, disabling and deletion until the transaction ends.
 * @throws Problem NOT_FOUND
 */
export async function lockEndpoint(
  trx: DatabaseTransaction,
  address: EndpointAddress,
): Promise<EndpointRecord> {
  return read(trx, address, sql`for no key update`);
}

/**
 * The endpoint, which must be enabled now. If it is disabled right afterwards, `reconcile` cancels what was added too
 * late.
 * @throws Problem NOT_FOUND, CONFLICT when it is disabled
 */
export async function assertEnabled(
  trx: DatabaseTransaction,
  address: EndpointAddress,
): Promise<EndpointRecord> {
  const endpoint = await read(trx, address, sql``);
  if (endpoint.enabled) return endpoint;
  throw new Problem(
    'CONFLICT',
    `The endpoint is disabled: ${endpoint.disabled_reason ?? 'no reason is known'} Enable it first: PATCH /webhook-endpoints/${endpoint.id} with {"enabled": true}.`,
  );
}

async function read(
  db: Database | DatabaseTransaction,
  { workspaceId, id }: EndpointAddress,
  lock: ReturnType<typeof sql>,
): Promise<EndpointRecord> {
  const { rows } = await sql<EndpointRecord>`
    select ${ENDPOINT} from webhook_endpoint
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null ${lock}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownEndpoint(id);
  return found;
}
