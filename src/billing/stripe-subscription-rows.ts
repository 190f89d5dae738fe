import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { addSnapshot } from './stripe-snapshot-order.ts';
import type { CheckoutNews } from './stripe-change.ts';
import { nameSoldPlan, saveCheckout } from './stripe-checkout-rows.ts';
import { findOwner, linkCustomer, orphansOf, type StripeRun } from './stripe-links.ts';
import { dateOf } from './stripe-object.ts';
import type { Snapshot } from './stripe-snapshot.ts';
import { addPayment, type PaymentUpdate, standingOf } from './stripe-standing.ts';

/** `stripe_subscription.last_event`: the source of the columns, and data that is kept until the workspace is known. */
interface SubscriptionRecord {
  /** Snapshots of the subscription, in the order in which things happened. */
  snapshots: Snapshot[];
  /** Payments according to its invoices. */
  payments: PaymentUpdate[];
  /** The checkout that started it. */
  checkout: CheckoutNews | null;
  email: string | null;
}

/** New data about a subscription. */
export interface SubscriptionNews {
  snapshot?: Snapshot;
  payment?: PaymentUpdate | null;
  checkout?: CheckoutNews;
  customerId?: string | null;
  email?: string | null;
  /** The owner, if it has been determined. */
  workspaceId?: WorkspaceId | null;
  /** The workspace or user named in its metadata; not verified. */
  claim?: string | null;
}

/** Adds new data to a subscription, recomputes its columns from everything known, and applies the consequences. */
export async function updateSubscription(
  run: StripeRun,
  id: string,
  news: SubscriptionNews,
): Promise<void> {
  const { trx } = run;
  const before = await openSubscription(trx, id);
  const record = addNews(before.record, news);
  const newest = record.snapshots.at(-1);
  const customerId = newest?.customerId ?? before.customer_id ?? news.customerId ?? null;
  const workspaceId = await findOwner(run, {
    present: before.workspace_id ?? news.workspaceId ?? null,
    claim: news.claim ?? null,
    customerId,
    reference: null,
  });
  const waiting = workspaceId === null ? null : record.checkout;
  const kept = waiting === null ? record : { ...record, checkout: null };
  await trx
    .updateTable('stripe_subscription')
    .set({
      ...columnsOf(record),
      workspace_id: workspaceId,
      customer_id: customerId,
      last_event: JSON.stringify(kept),
      updated_at: run.now,
    })
    .where('id', '=', id)
    .execute();
  if (workspaceId === null) return;
  run.workspaces.add(workspaceId);
  const wasTold = before.workspace_id !== null && deletionIn(before.record.snapshots) !== null;
  if (!wasTold && deletionIn(record.snapshots)) run.deletedSubscriptions.add(id);
  if (waiting) await saveCheckout(run, workspaceId, waiting);
  await nameSoldPlan(run, id);
  if (customerId !== null) {
    await linkWithOrphans(run, {
      id: customerId,
      workspaceId,
      email: waiting?.email ?? kept.email,
    });
  }
}

/** Links a customer, and then its subscriptions without an owner. */
export async function linkWithOrphans(
  run: StripeRun,
  customer: { id: string; workspaceId: WorkspaceId; email: string | null },
): Promise<void> {
  if (!(await linkCustomer(run.trx, customer))) return;
  for (const orphan of await orphansOf(run.trx, customer.id))
    await updateSubscription(run, orphan, {});
}

/** The event that reported its end. */
export function deletionIn(snapshots: readonly Snapshot[]): Snapshot | null {
  return snapshots.find(({ kind }) => kind === 'deleted') ?? null;
}

const NOTHING_KNOWN: SubscriptionRecord = {
  snapshots: [],
  payments: [],
  checkout: null,
  email: null,
};

/** The row with its record; created if missing. */
export async function openSubscription(trx: DatabaseTransaction, id: string) {
  await trx
    .insertInto('stripe_subscription')
    .values({ id })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await trx
    .selectFrom('stripe_subscription')
    .select(['workspace_id', 'customer_id', 'last_event'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // Only this file writes the column.
  const record = row.last_event as Partial<SubscriptionRecord> | null;
  return { ...row, record: { ...NOTHING_KNOWN, ...record } };
}

function addNews(record: SubscriptionRecord, news: SubscriptionNews): SubscriptionRecord {
  const payments = news.payment ? addPayment(record.payments, news.payment) : record.payments;
  return {
    snapshots: news.snapshot
      ? addSnapshot(record.snapshots, news.snapshot, payments)
      : record.snapshots,
    payments,
    checkout: mergeCheckouts(record.checkout, news.checkout ?? null),
    email: news.email ?? news.checkout?.email ?? record.email,
  };
}

/** It is paid if either says so. */
function mergeCheckouts(a: CheckoutNews | null, b: CheckoutNews | null): CheckoutNews | null {
  if (!a || !b) return a ?? b;
  return { ...a, ...b, paidAt: b.paidAt ?? a.paidAt };
}

function columnsOf({ snapshots, payments }: SubscriptionRecord) {
  const newest = snapshots.at(-1);
  const standing = standingOf(snapshots, payments);
  if (!newest || !standing) return {};
  return {
    status: standing.status,
    plan_tier: newest.planTier ?? tierOfEqualItems(snapshots, newest),
    amount_monthly: newest.amountMonthly,
    currency: newest.currency,
    current_period_end: dateOf(newest.currentPeriodEnd),
    cancel_at_period_end: newest.cancelAtPeriodEnd,
    past_due_since: dateOf(standing.pastDueSince),
    cancellation_reason: newest.cancellationReason,
    ended_at: dateOf(newest.endedAt),
  };
}

/** An event whose prices do not name the plan may have the same prices as an event that did. */
function tierOfEqualItems(snapshots: readonly Snapshot[], { traits }: Snapshot) {
  const equal = snapshots.filter((one) => one.traits['items'] === traits['items']);
  return equal.findLast(({ planTier }) => planTier !== null)?.planTier ?? null;
}

export async function findSubscriptionOwner(
  trx: DatabaseTransaction,
  id: string | null,
): Promise<WorkspaceId | null> {
  const row = await trx
    .selectFrom('stripe_subscription')
    .select('workspace_id')
    .where('id', '=', id ?? '')
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}
