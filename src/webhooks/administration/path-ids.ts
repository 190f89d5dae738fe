import type { WebhookDeliveryId, WebhookEndpointId, WebhookEventId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

const EVENT_ID = /^evt_[0-9a-f]{32}$/;
/** Far beyond any row id, but still a safe JavaScript number. */
const DELIVERY_ID = /^\d{1,15}$/;

// Ids from a path are branded here after their shape is checked: any other shape cannot exist.

/** @throws Problem NOT_FOUND */
export function endpointIdOf(text: string): WebhookEndpointId {
  if (!isUuid(text)) throw unknownEndpoint(text);
  return text.toLowerCase() as WebhookEndpointId;
}

/** @throws Problem NOT_FOUND */
export function eventIdOf(text: string): WebhookEventId {
  if (!EVENT_ID.test(text)) throw unknownEvent(text);
  return text as WebhookEventId;
}

/** @throws Problem NOT_FOUND */
export function deliveryIdOf(text: string): WebhookDeliveryId {
  if (!DELIVERY_ID.test(text)) throw unknownDelivery(text);
  return Number(text) as WebhookDeliveryId;
}

/** For an id that does not exist in this workspace. */
export function unknownEndpoint(id: string): Problem {
  return unknown('endpoint', id, 'GET /webhook-endpoints lists the endpoints');
}

export function unknownEvent(id: string): Problem {
  return unknown('event', id, 'GET /webhook-events lists those that are kept');
}

export function unknownDelivery(id: string | number): Problem {
  return unknown('delivery', String(id), 'GET /webhook-deliveries lists those that are kept');
}

function unknown(thing: string, id: string, where: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem('NOT_FOUND', `There is no webhook ${thing} with the id ${shown}. ${where}.`);
}
