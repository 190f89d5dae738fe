import { setTimeout as pause } from 'node:timers/promises';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import { type ClaimedEndpoint, rereadEndpoint } from './claim-endpoint.ts';
import type { DeliverServices } from './deliver-to-endpoint.ts';
import type { ClaimedDelivery } from './delivery-ledger.ts';
import { isOpen } from './endpoint-health.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { releaseUnsent } from './release-unsent.ts';

/** Concurrent deliveries to one endpoint: it starts with a few, and each success allows one more. */
const MAX_IN_FLIGHT = 16;
const FIRST_IN_FLIGHT = 4;
/**
 * With this many in progress in the process, more connections only slow down all of them: every endpoint keeps to a
 * few.
 */
const MAX_LOAD = 256;
const FEW_IN_FLIGHT = 4;
const LOAD_MS = 1_000;
/** A post frees its place with its success, so the next ones go out while it is recorded. A crash repeats what is not. */
const MAX_UNRECORDED = 2 * MAX_IN_FLIGHT;
/** After this time the place goes to waiting endpoints. */
const SLICE_MS = 5_000;
/** Well before the queue's own time limit ends the job. */
const LONGEST_SLICE_MS = 30_000;
/** A slow endpoint may get new events in the meantime. */
const LOOK_EVERY_MS = 500;
/** A stopping worker lets sends in progress finish within this time. */
const STOP_GRACE_MS = 5_000;
/** A shorter pause of the rate limit is waited out; a longer one gives up the place. */
const SHORT_PAUSE_MS = 1_000;

/** The deliveries of one endpoint while its holder works through them. */
export interface EndpointLane {
  readonly services: DeliverServices;
  readonly endpoint: ClaimedEndpoint;
  /** Places taken: by a post until it succeeds, by a failed one until it is recorded. */
  inFlight: number;
  /** Claimed deliveries whose attempt is not in the ledger yet. */
  unrecorded: number;
  readonly tally: { delivered: number; failed: number };
  /** How many may be in progress at once: additive increase, multiplicative decrease. */
  limit: number;
  /** Disabled by a user or by the receiver's 410. */
  isDisabled: boolean;
  /** Called when a place is free again and when an attempt has been recorded. */
  onEnd: () => void;
  /** A failure on our side: nothing more is claimed. */
  fault: Error | null;
}

export function openLane(services: DeliverServices, endpoint: ClaimedEndpoint): EndpointLane {
  const isFailing = endpoint.health.failingSince !== null;
  return {
    services,
    endpoint,
    inFlight: 0,
    unrecorded: 0,
    tally: { delivered: 0, failed: 0 },
    limit: isFailing ? 1 : FIRST_IN_FLIGHT,
    isDisabled: false,
    onEnd: () => undefined,
    fault: null,
  };
}

/**
 * Claims and sends until nothing is due.
 * @param signals `stop`: claim no more, give sends in progress five seconds; `lost`: another worker has the endpoint
 * @throws the failure on our side
 */
export async function runLane(
  lane: EndpointLane,
  signals: { stop: AbortSignal; lost: AbortSignal },
): Promise<'done' | 'yielded' | 'disabled' | 'open' | 'stopped'> {
  using ending = endSends(signals);
  const startedAt = performance.now();
  let mayYieldAt = startedAt + SLICE_MS;
  let isYielding = false;
  let mayHaveMore = true;
  for (;;) {
    const end = whyNoMore(lane, signals) ?? (isYielding ? 'yielded' : null);
    if (end === null && mayHaveMore) {
      const { claimed, isAll } = await claimMore(lane).catch((error: unknown) => {
        recordFault(lane, error);
        return { claimed: [], isAll: true };
      });
      mayHaveMore = !isAll;
      for (const delivery of claimed) startAttempt(lane, delivery, ending.signal);
    }
    if (lane.unrecorded === 0) {
      if (lane.fault) throw lane.fault;
      if (end !== null) return end;
      // Later events have their own job, or are seen when the endpoint is released.
      if (!mayHaveMore) return 'done';
    }
    // Waits for half of the room, so that claims come in groups.
    const event = await waitForRoom(lane, mayHaveMore ? roomOf(lane) / 2 : 0);
    if (event === 'time') mayHaveMore = true;
    const elapsedMs = performance.now() - startedAt;
    if (performance.now() < mayYieldAt) continue;
    mayYieldAt += SLICE_MS;
    isYielding ||= elapsedMs > LONGEST_SLICE_MS || (await othersWait(lane));
  }
}

/** Aborts attempts when the lease is lost, or some time after the worker was told to stop. */
function endSends({ stop, lost }: { stop: AbortSignal; lost: AbortSignal }): Disposable & {
  signal: AbortSignal;
} {
  // Each attempt listens to it, which with `AbortSignal.any` takes longer.
  const sends = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const startGrace = (): void => {
    timer = setTimeout(() => sends.abort(stop.reason), STOP_GRACE_MS);
  };
  const onLost = (): void => sends.abort(lost.reason);
  if (stop.aborted) startGrace();
  else stop.addEventListener('abort', startGrace, { once: true });
  if (lost.aborted) onLost();
  else lost.addEventListener('abort', onLost, { once: true });
  return {
    signal: sends.signal,
    [Symbol.dispose]() {
      stop.removeEventListener('abort', startGrace);
      lost.removeEventListener('abort', onLost);
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function whyNoMore(
  { endpoint, isDisabled, fault }: EndpointLane,
  { stop, lost }: { stop: AbortSignal; lost: AbortSignal },
): 'disabled' | 'open' | 'stopped' | null {
  if (stop.aborted || lost.aborted || fault !== null) return 'stopped';
  if (isDisabled) return 'disabled';
  return isOpen(endpoint.health, endpoint.now()) ? 'open' : null;
}

async function claimMore(
  lane: EndpointLane,
): Promise<{ claimed: ClaimedDelivery[]; isAll: boolean }> {
  const { services, endpoint } = lane;
  const paced = await pacedRoom(endpoint);
  const room = Math.min(roomOf(lane) - lane.inFlight, MAX_UNRECORDED - lane.unrecorded, paced);
  if (room <= 0) return { claimed: [], isAll: lane.unrecorded === 0 };
  const { id: endpointId, token } = endpoint;
  // Reserved at once, so that lanes asking at the same moment do not all find room.
  const { load } = services.deliveryLedger;
  load.inProgress += room;
  const claimed = await services.deliveryLedger
    .claim({ endpointId, token, room })
    .finally(() => (load.inProgress -= room));
  await followChanges(lane, claimed);
  if (lane.isDisabled) {
    await releaseUnsent(
      services.db,
      token,
      claimed.map(({ id }) => id),
    );
    return { claimed: [], isAll: true };
  }
  pace(endpoint, claimed.length);
  return { claimed, isAll: claimed.length < room };
}

/** While the breaker is half-open, one delivery probes. */
function roomOf({ services, endpoint, limit }: EndpointLane): number {
  if (endpoint.health.breakerUntil !== null) return 1;
  const isCrowded = services.deliveryLedger.load.inProgress >= MAX_LOAD;
  return isCrowded ? Math.min(limit, FEW_IN_FLIGHT) : limit;
}

/** How many deliveries the rate limit allows now: a second's worth at once, at least one. */
async function pacedRoom({ target, pacedUntil, now }: ClaimedEndpoint): Promise<number> {
  if (target.rateLimit === null) return MAX_IN_FLIGHT;
  const waitMs = (pacedUntil?.getTime() ?? 0) - now().getTime();
  if (waitMs > SHORT_PAUSE_MS) return 0;
  if (waitMs > 0) await pause(waitMs);
  return Math.max(1, Math.floor(target.rateLimit / 60));
}

/**
 * The generic cell rate algorithm (ITU-T I.371): each delivery moves the time of the next one by the limit's interval.
 */
function pace(endpoint: ClaimedEndpoint, sent: number): void {
  const { rateLimit } = endpoint.target;
  if (rateLimit === null || sent === 0) return;
  const from = Math.max(endpoint.pacedUntil?.getTime() ?? 0, endpoint.now().getTime());
  endpoint.pacedUntil = new Date(from + (sent * 60_000) / rateLimit);
}

/** Rereads an endpoint that was changed while it is being delivered to. */
async function followChanges(lane: EndpointLane, claimed: ClaimedDelivery[]): Promise<void> {
  const { services, endpoint } = lane;
  const [first] = claimed;
  if (!first || first.targetVersion === endpoint.target.version) return;
  const changed = await rereadEndpoint(services, endpoint.id);
  if (changed === null) lane.isDisabled = true;
  else Object.assign(endpoint, changed);
}

function startAttempt(lane: EndpointLane, delivery: ClaimedDelivery, signal: AbortSignal): void {
  const { deliveryLedger, workTally } = lane.services;
  const freePlace = takePlace(lane, addLoad(deliveryLedger.load));
  const startedAt = performance.now();
  lane.unrecorded += 1;
  attemptDelivery(lane, delivery, signal, () => {
    lane.limit = Math.min(lane.limit + 1, MAX_IN_FLIGHT);
    freePlace();
  })
    .then((outcome) => {
      if (outcome === 'stopped') return;
      lane.tally[outcome] += 1;
      workTally.count(webhookDeliver.name, outcome === 'delivered' ? 'done' : 'retried', {
        waitMs: delivery.waitedMs,
        runMs: performance.now() - startedAt,
      });
      if (outcome === 'failed') lane.limit = Math.max(1, Math.floor(lane.limit / 2));
    })
    .catch((error: unknown) => recordFault(lane, error))
    .finally(() => {
      lane.unrecorded -= 1;
      freePlace();
      lane.onEnd();
    });
}

/** @returns what frees the place; a second call does nothing */
function takePlace(lane: EndpointLane, removeLoad: () => void): () => void {
  lane.inFlight += 1;
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    lane.inFlight -= 1;
    removeLoad();
    lane.onEnd();
  };
}

/** Sends in progress are still awaited. */
function recordFault(lane: EndpointLane, error: unknown): void {
  lane.fault ??= error instanceof Error ? error : new Error(String(error));
}

/** A send that waits for its receiver costs nothing here, so it counts as load only briefly. */
function addLoad(load: { inProgress: number }): () => void {
  load.inProgress += 1;
  let isCounted = true;
  const remove = (): void => {
    clearTimeout(timer);
    if (isCounted) load.inProgress -= 1;
    isCounted = false;
  };
  const timer = setTimeout(remove, LOAD_MS);
  return remove;
}

/** Waits until only `few` are in progress: for at most half a second, and for at least one attempt to end. */
async function waitForRoom(lane: EndpointLane, few: number): Promise<'room' | 'time'> {
  const deadline = performance.now() + LOOK_EVERY_MS;
  do {
    const ended = Promise.withResolvers<void>();
    lane.onEnd = ended.resolve;
    const timer = setTimeout(ended.resolve, Math.max(1, deadline - performance.now()));
    await ended.promise;
    clearTimeout(timer);
    if (performance.now() >= deadline) return 'time';
  } while (lane.inFlight > few);
  return 'room';
}

async function othersWait({ services }: EndpointLane): Promise<boolean> {
  const counts = await services.producer
    .counts(webhookDeliver)
    .catch((): Record<string, number> => ({}));
  return (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0) > 0;
}
