import type { UpdateObject } from 'kysely';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import type { Tables } from '#src/tables/tables.ts';
import { cancelDeliveries, disableEndpoint } from '#src/webhooks/disable-endpoint.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { vetEndpointUrl } from '#src/webhooks/vet-endpoint-url.ts';
import { DISABLED_BY_OWNER } from './create-endpoint.ts';
import type { EndpointChange } from './endpoint-request.ts';
import {
  CHANGED_NOW,
  type EndpointAddress,
  type EndpointRecord,
  findEndpoint,
  lockEndpoint,
} from './endpoints.ts';

/** The health of a receiver without any attempts. */
const UNTRIED = { failing_since: null, failures: 0, breaker_trips: 0, breaker_until: null };

/**
 * Changes the fields that are sent and leaves the rest. Disabling cancels waiting deliveries; enabling, or a new URL,
 * resets the failure state.
 * @throws Problem NOT_FOUND, BAD_REQUEST for the URL
 */
export async function changeEndpoint(
  services: WebhookServices,
  address: EndpointAddress,
  change: EndpointChange,
  signal: AbortSignal,
): Promise<EndpointRecord> {
  const { db, clock, webhookHttp } = services;
  await findEndpoint(db, address);
  const url =
    change.url === undefined ? null : await vetEndpointUrl(webhookHttp.guard, change.url, signal);
  const changed = await db.transaction().execute(async (trx) => {
    const before = await lockEndpoint(trx, address);
    await write(trx, address, columnsOf(change, url, before));
    if (change.enabled === false) {
      const told = { reason: DISABLED_BY_OWNER, at: clock(), byOwner: true };
      await disableEndpoint(trx, address.id, told);
    }
    return findEndpoint(trx, address);
  });
  if (change.enabled === false) {
    await cancelDeliveries(db, address.id, `The endpoint was disabled: ${DISABLED_BY_OWNER}`);
  }
  // Waiting deliveries may have been held back by a setting that has now changed.
  if (changed.enabled) await sendDeliveries(services, [address.id]);
  return changed;
}

type Columns = UpdateObject<Tables, 'webhook_endpoint'>;

function columnsOf(change: EndpointChange, url: string | null, before: EndpointRecord): Columns {
  const isMoved = url !== null && url !== before.url;
  return {
    ...(url !== null && { url }),
    ...(change.description !== undefined && { description: change.description ?? '' }),
    ...(change.event_types !== undefined && { event_types: change.event_types }),
    ...(change.rate_limit !== undefined && { rate_limit: change.rate_limit, paced_until: null }),
    ...((isMoved || change.enabled === true) && UNTRIED),
    ...(change.enabled === true && { enabled: true, disabled_reason: null, disabled_at: null }),
  };
}

async function write(
  trx: DatabaseTransaction,
  { workspaceId, id }: EndpointAddress,
  columns: Columns,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await trx
    .updateTable('webhook_endpoint')
    .set({ ...columns, updated_at: CHANGED_NOW })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}
