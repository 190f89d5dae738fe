import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { emitEvents, type ToDeliver } from './emit-event.ts';

/**
 * Disables an endpoint. After the commit, cancel its waiting deliveries (`cancelDeliveries`); a later recovery restores
 * them.
 * @param options `version`: only if the endpoint has not changed since (see `Target`)
 * @returns the other endpoints, which are notified unless the owner disabled it: pass them to `sendDeliveries`; null
 * when there was nothing to disable
 */
export async function disableEndpoint(
  trx: DatabaseTransaction,
  endpointId: WebhookEndpointId,
  options: { reason: string; at: Date; byOwner: boolean; version?: number },
): Promise<ToDeliver | null> {
  const { reason, at, byOwner, version = null } = options;
  const { rows } = await sql<DisabledEndpoint>`
    update webhook_endpoint set enabled = false, disabled_reason = ${reason}, disabled_at = ${at},
      breaker_until = null, breaker_trips = 0, updated_at = now()
    where id = ${endpointId} and enabled
      and (${version}::float8 is null or extract(epoch from updated_at)::float8 = ${version})
    returning workspace_id, url, description, failing_since, failures`.execute(trx);
  const [disabled] = rows;
  if (!disabled) return null;
  if (byOwner) return [];
  const { workspace_id: workspaceId, url, description, failing_since, failures } = disabled;
  const data = {
    endpoint_id: endpointId,
    url,
    description,
    reason,
    failing_since: failing_since?.toISOString() ?? null,
    failures,
  };
  return emitEvents(trx, [{ type: 'webhook.endpoint.disabled', data, workspaceId, at }]);
}

interface DisabledEndpoint {
  workspace_id: WorkspaceId;
  url: string;
  description: string;
  failing_since: Date | null;
  failures: number;
}

const CANCELED_AT_ONCE = 1_000;

/**
 * Cancels what waits for a disabled or deleted endpoint. Never while holding the lock of its row, which claims of other
 * endpoints may wait for; in batches, because there may be very many. A delivery being sent is left to its worker, and
 * what remains after a crash to `reconcile`.
 */
export async function cancelDeliveries(
  db: Database,
  endpointId: WebhookEndpointId,
  reason: string,
): Promise<void> {
  for (let canceled = CANCELED_AT_ONCE; canceled === CANCELED_AT_ONCE;) {
    const { rows } = await sql`
      update webhook_delivery set status = 'canceled', error = ${reason}, finished_at = now(),
        next_attempt_at = null
      where id in (
        select d.id from webhook_delivery d join webhook_endpoint e on e.id = d.webhook_endpoint_id
        where e.id = ${endpointId} and (not e.enabled or e.deleted_at is not null)
          and d.next_attempt_at is not null and d.status in ('pending', 'waiting')
        order by d.next_attempt_at limit ${CANCELED_AT_ONCE} for update of d skip locked)
      returning id`.execute(db);
    canceled = rows.length;
  }
}
