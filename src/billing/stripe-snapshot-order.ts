import type { Snapshot, Traits } from './stripe-snapshot.ts';
import { isFinal, type PaymentNews, standingOf } from './stripe-standing.ts';

/** Events of one second whose order is tried out in full: 720 ways. Stripe makes two to four of them at once. */
const MAX_TRIED = 6;
/** Beyond these the oldest are forgotten: enough that an event which is days late still finds its place. */
const MAX_KEPT = 30;

/**
 * The snapshots with one more, in their order; one that is there already changes nothing. The payments tell since when
 * it was late where snapshots are forgotten.
 */
export function addSnapshot(
  kept: readonly Snapshot[],
  snapshot: Snapshot,
  payments: readonly PaymentNews[] = [],
): Snapshot[] {
  if (kept.some(({ eventId }) => eventId === snapshot.eventId)) return [...kept];
  return forgetOldest(orderSnapshots([...kept, snapshot]), payments);
}

/**
 * The order in which things happened, whatever order the events came in.
 *
 * Stripe promises no order, and tells the time in seconds. A final state comes last. Events of one second are put into
 * the order in which each best follows from the one before: an `updated` event says what the values were before it
 * (`previous_attributes`); the others have to do with which states lead to which. Where nothing tells two events apart,
 * the one that came later is the later one.
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

function forgetOldest(ordered: Snapshot[], payments: readonly PaymentNews[]): Snapshot[] {
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

/** Of all orders of `group` the one whose steps fit best; of equals the one that is nearest to the given order. */
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

/** How well `next` follows `before`; below zero when it can hardly do so. */
function fit(before: Snapshot | null, next: Snapshot): number {
  if (before === null) return 0;
  if (next.kind === 'created') return 100 * CONTRADICTION;
  const facts = next.previous === null ? 0 : fitOfTraits(before.traits, next, next.previous);
  return facts + fitOfStatus(before.status, next.status) + fitOfKind(before.kind, next.kind);
}

/** What changed must have been what the event says; all else must have been as it still is. */
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
 * Where a subscription goes from each state (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
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

/** A nudge, for events that are alike in all else: `updated` and the rest between `created` and `paused`. */
function fitOfKind(from: string, to: string): number {
  return (RANKS[from] ?? 1) > (RANKS[to] ?? 1) ? -0.1 : 0;
}
