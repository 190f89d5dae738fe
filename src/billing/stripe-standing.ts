import type { Snapshot } from './stripe-snapshot.ts';

/** What an invoice told of a subscription: paid, or a payment that failed. Moments are Stripe's seconds. */
export interface PaymentNews {
  at: number;
  isPaid: boolean;
}

/** How a subscription stands. */
export interface Standing {
  status: string;
  /** Since when payment is late; null when it is not. */
  pastDueSince: number | null;
}

/** Beyond these the oldest are forgotten; Stripe asks for a payment at most eight times. */
const MAX_PAYMENTS_KEPT = 60;

const FINAL_STATUSES = ['canceled', 'incomplete_expired'];

/** Whether a subscription that was once in this state can be in no other. */
export function isFinal({ status, kind }: { status: string; kind?: string }): boolean {
  return kind === 'deleted' || FINAL_STATUSES.includes(status);
}

/** The news with one more, in their order; what is there already changes nothing. Of one second, paid is the later. */
export function addPayment(kept: readonly PaymentNews[], news: PaymentNews): PaymentNews[] {
  if (kept.some(({ at, isPaid }) => at === news.at && isPaid === news.isPaid)) return [...kept];
  return [...kept, news]
    .toSorted((a, b) => a.at - b.at || Number(a.isPaid) - Number(b.isPaid))
    .slice(-MAX_PAYMENTS_KEPT);
}

/**
 * How a subscription stands after all that was told of it; null before it was told of itself.
 *
 * Its own events decide. An invoice counts from the second after one of them until the second of the next: a payment
 * that failed makes active or trialing late, and a paid invoice ends lateness.
 */
export function standingOf(
  ordered: readonly Snapshot[],
  payments: readonly PaymentNews[],
): Standing | null {
  let standing: Standing | null = null;
  for (const [index, one] of ordered.entries()) {
    standing = afterSnapshot(standing, one);
    if (isFinal(one)) continue;
    const until = ordered[index + 1]?.created ?? Number.POSITIVE_INFINITY;
    for (const payment of payments) {
      if (payment.at > one.created && payment.at < until)
        standing = afterPayment(standing, payment);
    }
  }
  return standing;
}

/** Lateness goes on while each event tells of it. */
function afterSnapshot(before: Standing | null, one: Snapshot): Standing {
  const { status } = one;
  if (status !== 'past_due') return { status, pastDueSince: null };
  return { status, pastDueSince: before?.pastDueSince ?? one.pastDueSince ?? one.created };
}

function afterPayment(before: Standing, { at, isPaid }: PaymentNews): Standing {
  const { status } = before;
  if (isPaid) return status === 'past_due' ? { status: 'active', pastDueSince: null } : before;
  const wasInForce = status === 'active' || status === 'trialing';
  return wasInForce ? { status: 'past_due', pastDueSince: at } : before;
}
