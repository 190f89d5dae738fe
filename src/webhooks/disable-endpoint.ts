import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { emitEvents, type ToDeliver } from './emit-event.ts';

/**
 * Takes an endpoint out of service and cancels what waits for it; recovering later brings that back.
 * @param options `version`: only if nobody has changed the endpoint since (see `Target`)
 * @returns the other endpoints, which are told when the owner did not ask for it: hand them to `sendDeliveries`; null
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
  await cancelDeliveries(trx, endpointId, `The endpoint was disabled: ${reason}`);
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

/** What is being sent just now is left to its worker, which finds the endpoint disabled. */
export async function cancelDeliveries(
  trx: DatabaseTransaction,
  endpointId: WebhookEndpointId,
  reason: string,
): Promise<void> {
  await sql`
    update webhook_delivery set status = 'canceled', error = ${reason}, finished_at = now(),
      next_attempt_at = null
    where webhook_endpoint_id = ${endpointId} and next_attempt_at is not null
      and status in ('pending', 'waiting')`.execute(trx);
}
