import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { unknownEndpoint } from './path-ids.ts';

/** Which endpoint, and whose. */
export interface EndpointAddress {
  workspaceId: WorkspaceId;
  id: WebhookEndpointId;
}

/** What may be shown of an endpoint: everything but its secrets. */
export interface EndpointRecord {
  id: WebhookEndpointId;
  url: string;
  description: string;
  event_types: string[] | null;
  rate_limit: number | null;
  enabled: boolean;
  disabled_reason: string | null;
  disabled_at: Date | null;
  /** Null when no rotation is under way. */
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

/** Who is sending to the endpoint sees by it that something has changed, so it never stays the same. */
export const CHANGED_NOW = sql<Date>`greatest(now(), updated_at + interval '1 microsecond')`;

/** The row name that its secrets are sealed for. */
export function sealedFor(id: WebhookEndpointId): string {
  return `webhook_endpoint:${id}`;
}

/** Oldest first; deleted ones are not among them. */
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
 * The endpoint, which nobody changes, disables or deletes until the transaction ends.
 * @throws Problem NOT_FOUND
 */
export async function lockEndpoint(
  trx: DatabaseTransaction,
  address: EndpointAddress,
): Promise<EndpointRecord> {
  return read(trx, address, sql`for no key update`);
}

/**
 * The endpoint, which is enabled just now. What comes too late for one that is disabled meanwhile, `reconcile` cancels.
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
