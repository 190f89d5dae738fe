import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import { cancelDeliveries, disableEndpoint } from './disable-endpoint.ts';
import type { AttemptRecord, ClaimedDelivery } from './delivery-ledger.ts';
import { afterFailure, afterSuccess, shouldDisable } from './endpoint-health.ts';
import type { EndpointLane } from './endpoint-lane.ts';
import { sendDeliveries } from './emit-event.ts';
import { MAX_ATTEMPTS, MAX_OWN_OUTAGES, nextDelayMs } from './retry-schedule.ts';
import { type AttemptResult, sendDelivery } from './send-delivery.ts';

const GONE = 410;
const FIRST_OUTAGE_DELAY_MS = 5_000;
const LONGEST_OUTAGE_DELAY_MS = 10 * 60_000;

/**
 * One attempt at a delivery, from the request to its record in the ledger.
 * @param onSuccess called before the attempt is recorded
 * @returns the result; a stopped attempt is due again at once and does not count
 * @throws when the ledger cannot be written; the next holder of the endpoint then sends the delivery again
 */
export async function attemptDelivery(
  lane: EndpointLane,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
  onSuccess: () => void = () => undefined,
): Promise<'delivered' | 'failed' | 'stopped'> {
  const startedAt = lane.endpoint.now();
  let result: AttemptResult;
  try {
    signal.throwIfAborted();
    result = await sendDelivery(lane.services, lane.endpoint.target, delivery, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // The next holder of the endpoint has already recorded it.
    if (signal.reason instanceof LeaseLost) return 'stopped';
    await record(lane, stoppedRecord(lane, delivery, startedAt), 1);
    return 'stopped';
  }
  const entry = entryOf(lane, delivery, result, startedAt);
  if (result.failure === null) onSuccess();
  await record(lane, entry, RECORD_TRIES);
  if (result.failure === null) return 'delivered';
  await disableIfFailing(lane, delivery, result);
  return 'failed';
}

function entryOf(
  lane: EndpointLane,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  startedAt: Date,
): AttemptRecord {
  const { failure, statusCode, answer, durationMs } = result;
  const common = {
    ...addressOf(lane, delivery),
    statusCode,
    answer,
    durationMs,
    startedAt,
    errorClass: failure?.class ?? null,
    error: failure?.message ?? null,
  };
  if (failure === null) {
    const health = afterSuccess(lane.endpoint.health, lane.endpoint.now());
    if (health) lane.endpoint.health = health;
    return {
      ...common,
      outcome: 'delivered',
      counts: true,
      status: 'delivered',
      nextAttemptAt: null,
      health,
    };
  }
  const isOurs = failure.class === 'own_outage' && delivery.ownOutages < MAX_OWN_OUTAGES;
  const delayMs = isOurs ? outageDelayMs(delivery.ownOutages) : scheduledDelayMs(delivery, result);
  return {
    ...common,
    outcome: 'failed',
    counts: !isOurs,
    status: delayMs === null ? 'exhausted' : 'waiting',
    nextAttemptAt: delayMs === null ? null : new Date(lane.endpoint.now().getTime() + delayMs),
    health: isOurs ? null : noteFailure(lane),
  };
}

function addressOf({ endpoint }: EndpointLane, { id, workspaceId, round }: ClaimedDelivery) {
  return {
    endpointId: endpoint.id,
    token: endpoint.token,
    targetVersion: endpoint.target.version,
    delivery: { id, workspaceId, round },
  };
}

function noteFailure({ endpoint }: EndpointLane): AttemptRecord['health'] {
  endpoint.health = afterFailure(endpoint.health, endpoint.now(), Math.random());
  return endpoint.health;
}

function scheduledDelayMs(
  { roundAttempts }: ClaimedDelivery,
  { statusCode, retryAfterMs }: AttemptResult,
): number | null {
  if (statusCode === GONE) return null;
  return nextDelayMs(roundAttempts + 1, { retryAfterMs, random: Math.random() });
}

function outageDelayMs(outages: number): number {
  return Math.min(FIRST_OUTAGE_DELAY_MS * 2 ** outages, LONGEST_OUTAGE_DELAY_MS);
}

function stoppedRecord(
  lane: EndpointLane,
  delivery: ClaimedDelivery,
  startedAt: Date,
): AttemptRecord {
  const now = lane.endpoint.now();
  return {
    ...addressOf(lane, delivery),
    outcome: 'interrupted',
    counts: false,
    status: delivery.attempts === 0 ? 'pending' : 'waiting',
    nextAttemptAt: now,
    statusCode: null,
    errorClass: 'interrupted',
    error:
      'The worker was stopped while it was sending; whether the receiver was reached is not known.',
    answer: null,
    durationMs: now.getTime() - startedAt.getTime(),
    startedAt,
    health: null,
  };
}

/** A restarting database is back within this many tries, about half a minute. */
const RECORD_TRIES = 7;

/** What was posted must be recorded, or the receiver gets it again. */
async function record(
  { services: { deliveryLedger } }: EndpointLane,
  entry: AttemptRecord,
  tries: number,
): Promise<void> {
  for (let made = 1; ; made += 1) {
    try {
      await deliveryLedger.record(entry);
      return;
    } catch (error) {
      if (made >= tries) throw error;
      await pause(deliveryLedger.firstRecordPauseMs * 2 ** (made - 1));
    }
  }
}

/** Disables an endpoint that answers 410 or has failed for a long time. */
async function disableIfFailing(
  lane: EndpointLane,
  delivery: ClaimedDelivery,
  { statusCode }: AttemptResult,
): Promise<void> {
  const { services, endpoint } = lane;
  const isGone = statusCode === GONE;
  if (lane.isDisabled || !(isGone || shouldDisable(endpoint.health, endpoint.now()))) return;
  lane.isDisabled = true;
  const reason = isGone
    ? 'The receiver answered 410 Gone.'
    : `No delivery has succeeded since ${endpoint.health.failingSince?.toISOString()}; ${endpoint.health.failures} attempts failed.`;
  const { version } = endpoint.target;
  const others = await services.db.transaction().execute((trx) =>
    disableEndpoint(trx, endpoint.id, {
      reason,
      at: endpoint.now(),
      byOwner: false,
      version,
    }),
  );
  if (others === null) {
    // Its owner has changed it in the meantime: the old version failed.
    lane.isDisabled = false;
    await requeueForNewTarget(services.db, delivery);
    return;
  }
  await cancelDeliveries(services.db, endpoint.id, `The endpoint was disabled: ${reason}`);
  services.log.warn({ endpointId: endpoint.id, reason }, 'webhook endpoint disabled');
  await sendDeliveries(services, others);
}

/** Makes a delivery that the old receiver ended due at the new one. */
async function requeueForNewTarget(db: Database, { id, round }: ClaimedDelivery): Promise<void> {
  await sql`
    update webhook_delivery set status = 'waiting', next_attempt_at = now(), finished_at = null
    where id = ${id} and status = 'exhausted' and round = ${round}
      and round_attempts < ${MAX_ATTEMPTS}`.execute(db);
}
