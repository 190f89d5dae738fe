import type { WebhookEndpointId } from '#src/ids.ts';
import { keepLease } from '#src/platform/keep-lease.ts';
import type { WebhookServices } from './webhook-services.ts';
import {
  type ClaimedEndpoint,
  type EndpointClaim,
  openClaim,
  renewEndpoint,
} from './claim-endpoint.ts';
import { cancelDeliveries } from './disable-endpoint.ts';
import { type EndpointLane, openLane, runLane } from './endpoint-lane.ts';
import { sendDeliveries } from './emit-event.ts';

export type DeliverServices = Pick<
  WebhookServices,
  'clock' | 'db' | 'deliveryLedger' | 'log' | 'producer' | 'secrets' | 'webhookHttp' | 'workTally'
>;

/** For the log: what a job did for its endpoint. */
interface DeliveryFacts extends Readonly<Record<string, string | number | null>> {
  endpointId: WebhookEndpointId;
  delivered: number;
  failed: number;
  end: 'nothing to do' | 'done' | 'yielded' | 'disabled' | 'open' | 'stopped';
}

/**
 * Sends what is due to an endpoint until nothing is left or other endpoints wait for the place. Does nothing while
 * another worker holds it or it must be left alone.
 * @throws the signal's reason; what was being sent is then due again at once
 */
export async function deliverToEndpoint(
  services: DeliverServices,
  endpointId: WebhookEndpointId,
  signal: AbortSignal,
): Promise<DeliveryFacts> {
  const { db, deliveryLedger } = services;
  const claim = await deliveryLedger.claimEndpoint(endpointId);
  if (!claim) return { endpointId, delivered: 0, failed: 0, end: 'nothing to do' };
  const endpoint = await openOrPause(services, claim);
  using lease = keepLease(() => renewEndpoint(db, endpoint));
  const lane = openLane(services, endpoint);
  try {
    const end = await runLane(lane, { stop: signal, lost: lease.signal });
    return { endpointId, ...lane.tally, end };
  } finally {
    // After a failure on our side, some rows may stay claimed until the lease expires.
    if (!lease.signal.aborted && lane.fault === null) {
      await releaseLane(services, lane).catch(() => undefined);
    }
    signal.throwIfAborted();
  }
}

/** The secret was sealed with another encryption key: an operator must act, so there is no hurry. */
const UNREADABLE_PAUSE_MS = 5 * 60_000;

/** @throws UnreadableSecret after releasing the endpoint for a while; nothing is lost */
async function openOrPause(
  { secrets, deliveryLedger }: DeliverServices,
  claim: EndpointClaim,
): Promise<ClaimedEndpoint> {
  try {
    return openClaim(secrets, claim);
  } catch (error) {
    const { row, token } = claim;
    const pacedUntil = new Date(row.now.getTime() + UNREADABLE_PAUSE_MS);
    await deliveryLedger.releaseEndpoint({ id: row.id, token, pacedUntil, target: row });
    throw error;
  }
}

/** If this write fails, the next holder makes up for it once the lease has expired. */
async function releaseLane(services: DeliverServices, { endpoint }: EndpointLane): Promise<void> {
  const { isEnabled, wakeMs } = await services.deliveryLedger.releaseEndpoint(endpoint);
  if (!isEnabled) {
    await cancelDeliveries(services.db, endpoint.id, 'The endpoint was disabled or deleted.');
  }
  if (wakeMs !== null)
    await sendDeliveries(services, [endpoint.id], { delayMs: Math.ceil(wakeMs) });
}
