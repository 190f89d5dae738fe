import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WebhookDeliveryId, WebhookEventId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { emitEvents, sendDeliveries } from '#src/webhooks/emit-event.ts';
import { type EndpointAddress, assertEnabled } from './endpoints.ts';

export interface TestSend {
  event_id: WebhookEventId;
  delivery_id: WebhookDeliveryId;
}

/**
 * Sends a `ping` only to this endpoint, whatever its filter. @throws Problem NOT_FOUND, CONFLICT when it is disabled
 */
export async function testEndpoint(
  services: WebhookServices,
  address: EndpointAddress,
  requestId: string,
): Promise<TestSend> {
  const { db, clock } = services;
  const { workspaceId, id } = address;
  const dedupeKey = `ping:${randomUUID()}`; // identifies the event when it is looked up
  const sent = await db.transaction().execute(async (trx) => {
    await assertEnabled(trx, address);
    const data = { endpoint_id: id, message: 'A test that an administrator has asked for.' };
    const ping = { type: 'ping', data, workspaceId, at: clock(), dedupeKey, onlyTo: id } as const;
    await emitEvents(trx, [ping]);
    const { rows } = await sql<TestSend>`
      select d.webhook_event_id as event_id, d.id as delivery_id
      from webhook_event e join webhook_delivery d on d.webhook_event_id = e.id
      where e.workspace_id = ${workspaceId} and e.dedupe_key = ${dedupeKey}`.execute(trx);
    const [made] = rows;
    if (!made)
      throw new Problem('CONFLICT', 'The endpoint was disabled just now. Enable it first.');
    return made;
  });
  await sendDeliveries(services, [id], { requestId });
  return sent;
}
