import type { Snapshot, Traits } from './stripe-snapshot.ts';
import { isFinal, type PaymentUpdate, standingOf } from './stripe-standing.ts';

/**
 * Maximum number of events with the same second for which every order is tried: 720 permutations. Stripe creates two to
 * four at once.
 */
const MAX_TRIED = 6;
/** Beyond this number the oldest are dropped: large enough that an event that is days late still finds its place. */
const MAX_KEPT = 30;

/**
 * Inserts a snapshot in order; one that is already there changes nothing. The payments tell how long payment has been
 * late when snapshots are dropped.
 */
export function addSnapshot(
  kept: readonly Snapshot[],
  snapshot: Snapshot,
  payments: readonly PaymentUpdate[] = [],
): Snapshot[] {
  if (kept.some(({ eventId }) => eventId === snapshot.eventId)) return [...kept];
  return forgetOldest(orderSnapshots([...kept, snapshot]), payments);
}

/**
 * Puts snapshots in the order in which things happened, whatever order the events arrived in.
 *
 * Stripe guarantees no order, and its timestamps are in seconds. A final state comes last. Events of the same second
 * are ordered so that each best follows from the one before: an `updated` event contains the earlier values
 * (`previous_attributes`); for others, the possible state transitions count. Among indistinguishable events, the one
 * that arrived later comes later.
 */
export function orderSnapshots(snapshots: readonly Snapshot[]): Snapshot[] {
  const [ended, living] = [snapshots.filter(isFinal), snapshots.filter((one) => !isFinal(one))];
  const ordered: Snapshot[] = [];
  for (const part of [living, ended]) {
    const bySecond = Map.groupBy(part, ({ created }) => created);
    for (const second of [...bySecond.keys()].toSorted((a, b) => a - b)) {
      const group = bySecond.get(second) ?? [];
      ordered.push(...group.slice(0, -MAX_TRIED));
      ordered.push(...bestChain(ordered.at(-1) ?? null, group.slice(-MAX_TRIED)).chain);
    }
  }
  return ordered;
}

function forgetOldest(ordered: Snapshot[], payments: readonly PaymentUpdate[]): Snapshot[] {
  const [first, ...rest] = ordered.slice(-MAX_KEPT);
  if (!first || ordered.length <= MAX_KEPT) return ordered;
  const forgotten = ordered.slice(0, 1 - MAX_KEPT);
  const before = payments.filter(({ at }) => at < first.created);
  const since = standingOf(forgotten, before)?.pastDueSince ?? null;
  return [since === null ? first : { ...first, pastDueSince: since }, ...rest];
}

interface Chain {
  chain: Snapshot[];
  score: number;
}

/** The permutation of `group` with the best-fitting steps; on a tie, the one nearest to the given order. */
function bestChain(before: Snapshot | null, group: readonly Snapshot[]): Chain {
  let best: Chain = { chain: [], score: group.length === 0 ? 0 : Number.NEGATIVE_INFINITY };
  for (const [index, next] of group.entries()) {
    const after = bestChain(next, group.toSpliced(index, 1));
    const score = fit(before, next) + after.score;
    if (score > best.score) best = { chain: [next, ...after.chain], score };
  }
  return best;
}

const CONTRADICTION = -4;
const CONFIRMATION = 2;

/** How well `next` follows `before`; negative when it is unlikely to. */
function fit(before: Snapshot | null, next: Snapshot): number {
  if (before === null) return 0;
  if (next.kind === 'created') return 100 * CONTRADICTION;
  const facts = next.previous === null ? 0 : fitOfTraits(before.traits, next, next.previous);
  return facts + fitOfStatus(before.status, next.status) + fitOfKind(before.kind, next.kind);
}

/** Changed values must match the event's earlier values; all others must be equal to the event's. */
function fitOfTraits(before: Traits, { traits }: Snapshot, previous: Traits): number {
  let score = 0;
  for (const [name, value] of Object.entries(before)) {
    const told = previous[name];
    const expected = told ?? traits[name];
    if (expected === undefined) continue;
    if (value !== expected) score += CONTRADICTION;
    else if (told !== undefined) score += CONFIRMATION;
  }
  return score;
}

/**
 * Usual transitions of a subscription (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
 * Others are possible, but less likely.
 */
const USUAL_MOVES: Readonly<Record<string, readonly string[]>> = {
  incomplete: ['trialing', 'active', 'incomplete_expired', 'canceled'],
  trialing: ['active', 'past_due', 'paused', 'canceled'],
  active: ['past_due', 'unpaid', 'paused', 'canceled'],
  past_due: ['active', 'unpaid', 'canceled'],
  unpaid: ['active', 'canceled'],
  paused: ['active', 'past_due', 'canceled'],
};

function fitOfStatus(from: string, to: string): number {
  if (from === to) return 0;
  if (to === 'incomplete') return CONTRADICTION;
  return (USUAL_MOVES[from] ?? [to]).includes(to) ? 0 : -1;
}

const RANKS: Readonly<Record<string, number>> = { created: 0, paused: 2, resumed: 3, deleted: 4 };

/** A tie-breaker for otherwise equal events: `updated` and the rest come between `created` and `paused`. */
function fitOfKind(from: string, to: string): number {
  return (RANKS[from] ?? 1) > (RANKS[to] ?? 1) ? -0.1 : 0;
}
