import type { Snapshot } from './stripe-snapshot.ts';

/** What an invoice says about a subscription: paid, or a failed payment. Times are Stripe's seconds. */
export interface PaymentUpdate {
  at: number;
  isPaid: boolean;
}

/** The current state of a subscription. */
export interface Standing {
  status: string;
  /** When payment became late; null when it is not late. */
  pastDueSince: number | null;
}

/** Beyond this number the oldest are dropped; Stripe tries a payment at most eight times. */
const MAX_PAYMENTS_KEPT = 60;

const FINAL_STATUSES = ['canceled', 'incomplete_expired'];

/** Whether a subscription can never leave this state. */
export function isFinal({ status, kind }: { status: string; kind?: string }): boolean {
  return kind === 'deleted' || FINAL_STATUSES.includes(status);
}

/** Inserts a payment in order; one that is already there changes nothing. Within the same second, paid comes last. */
export function addPayment(kept: readonly PaymentUpdate[], news: PaymentUpdate): PaymentUpdate[] {
  if (kept.some(({ at, isPaid }) => at === news.at && isPaid === news.isPaid)) return [...kept];
  return [...kept, news]
    .toSorted((a, b) => a.at - b.at || Number(a.isPaid) - Number(b.isPaid))
    .slice(-MAX_PAYMENTS_KEPT);
}

/**
 * The state of a subscription according to all snapshots and payments; null before the first snapshot.
 *
 * Its own events take precedence. An invoice counts only if it falls strictly between the seconds of two events: a
 * failed payment makes an active or trialing subscription past due, and a paid invoice ends that.
 */
export function standingOf(
  ordered: readonly Snapshot[],
  payments: readonly PaymentUpdate[],
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

/** A payment stays late since the same time while consecutive events say past due. */
function afterSnapshot(before: Standing | null, one: Snapshot): Standing {
  const { status } = one;
  if (status !== 'past_due') return { status, pastDueSince: null };
  return { status, pastDueSince: before?.pastDueSince ?? one.pastDueSince ?? one.created };
}

function afterPayment(before: Standing, { at, isPaid }: PaymentUpdate): Standing {
  const { status } = before;
  if (isPaid) return status === 'past_due' ? { status: 'active', pastDueSince: null } : before;
  const wasInForce = status === 'active' || status === 'trialing';
  return wasInForce ? { status: 'past_due', pastDueSince: at } : before;
}
