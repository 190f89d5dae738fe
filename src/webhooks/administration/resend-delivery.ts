import { sql } from 'kysely';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { type DeliveryAddress, type DeliveryRecord, findDelivery } from './deliveries.ts';
import { type EndpointAddress, assertEnabled } from './endpoints.ts';
import { newRound } from './new-round.ts';

/**
 * Sends a delivery again, whatever its state, or only if it was given up.
 * @throws Problem NOT_FOUND, CONFLICT with the reason why it cannot be sent
 */
export async function resendDelivery(
  services: WebhookServices,
  address: DeliveryAddress,
  requestId: string,
  { onlyExhausted = false }: { onlyExhausted?: boolean } = {},
): Promise<DeliveryRecord> {
  const { db } = services;
  const { workspaceId, id } = address;
  const { webhook_endpoint_id: endpointId } = await findDelivery(db, address);
  const resent = await db.transaction().execute(async (trx) => {
    await assertReceiver(trx, { workspaceId, id: endpointId });
    // A row that a worker has locked is skipped, not waited for: it is being sent.
    const { rows } = await sql`
      update webhook_delivery set ${newRound()} where id = (
        select d.id from webhook_delivery d join webhook_event e on e.id = d.webhook_event_id
        where d.workspace_id = ${workspaceId} and d.id = ${id} and e.payload is not null
          and d.status not in ('pending', 'delivering')
          and (d.status = 'exhausted' or not ${onlyExhausted})
        for update of d skip locked)
      returning id`.execute(trx);
    if (rows.length === 0) throw await whyNot(trx, address, onlyExhausted);
    return findDelivery(trx, address);
  });
  await sendDeliveries(services, [endpointId], { requestId });
  return resent;
}

/** @throws Problem CONFLICT when the endpoint is disabled or deleted */
async function assertReceiver(trx: DatabaseTransaction, endpoint: EndpointAddress): Promise<void> {
  try {
    await assertEnabled(trx, endpoint);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    throw new Problem('CONFLICT', endpointIsGone(endpoint.id), { cause: error });
  }
}

function endpointIsGone(id: WebhookEndpointId): string {
  return `The endpoint ${id} is deleted, so nothing can be sent to it. Make another one and recover: POST /webhook-endpoints/{id}/recover.`;
}

async function whyNot(
  trx: DatabaseTransaction,
  address: DeliveryAddress,
  onlyExhausted: boolean,
): Promise<Problem> {
  const { rows } = await sql<{ is_expunged: boolean; is_pending: boolean }>`
    select e.payload is null as is_expunged, d.status = 'pending' as is_pending
    from webhook_delivery d join webhook_event e on e.id = d.webhook_event_id
    where d.workspace_id = ${address.workspaceId} and d.id = ${address.id}`.execute(trx);
  const reason = rows[0]?.is_expunged
    ? 'The payload of this event was expunged, so it can never be sent again.'
    : rows[0]?.is_pending
      ? 'The delivery is about to be sent already. Look at it again in a moment.'
      : onlyExhausted
        ? 'Somebody else has retried it.'
        : 'The delivery is being sent just now. Look at it again in a moment.';
  return new Problem('CONFLICT', reason);
}
