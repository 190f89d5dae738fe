import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { EventToEmit } from '#src/webhooks/emit-event.ts';
import { dateOf } from './stripe-object.ts';
import type { StripeRun } from './stripe-links.ts';
import { deletionIn, openSubscription } from './stripe-subscription-rows.ts';

/** Used when Stripe gives no reason. */
const DEFAULT_REASON = 'cancellation_requested';

/**
 * The webhook events to send at the end of a run: each checkout once when it is paid, each subscription once when it
 * has ended.
 */
export async function eventsOf(run: StripeRun): Promise<EventToEmit[]> {
  const events: EventToEmit[] = [];
  for (const id of run.completedCheckouts) {
    const event = await checkoutCompleted(run.trx, id);
    if (event) events.push(event);
  }
  for (const id of run.deletedSubscriptions) {
    const event = await subscriptionDeleted(run.trx, id);
    if (event) events.push(event);
  }
  return events;
}

async function checkoutCompleted(
  trx: DatabaseTransaction,
  id: string,
): Promise<EventToEmit | null> {
  const row = await trx
    .selectFrom('stripe_checkout as c')
    .leftJoin('stripe_customer as p', (join) =>
      join.onRef('p.id', '=', 'c.customer_id').onRef('p.workspace_id', '=', 'c.workspace_id'),
    )
    .selectAll('c')
    .select('p.email')
    .where('c.id', '=', id)
    .executeTakeFirst();
  if (!row?.paid_at || row.plan_tier === null) return null;
  return {
    type: 'checkout.session.completed',
    workspaceId: row.workspace_id,
    at: row.paid_at,
    dedupeKey: `checkout:${id}`,
    data: {
      session_id: id,
      customer_email: row.customer_email ?? row.email ?? '',
      plan_tier: row.plan_tier,
      amount_total: row.amount_total ?? 0,
      currency: row.currency ?? '',
    },
  };
}

async function subscriptionDeleted(
  trx: DatabaseTransaction,
  id: string,
): Promise<EventToEmit | null> {
  const { workspace_id: workspaceId, customer_id, record } = await openSubscription(trx, id);
  const deletion = deletionIn(record.snapshots);
  if (!deletion || workspaceId === null) return null;
  const email =
    (await emailOf(trx, { subscriptionId: id, customerId: customer_id })) ?? record.email;
  return {
    type: 'customer.subscription.deleted',
    workspaceId,
    at: dateOf(deletion.created),
    dedupeKey: `subscription-deleted:${id}`,
    data: {
      subscription_id: id,
      customer_email: email ?? '',
      cancellation_reason: deletion.cancellationReason ?? DEFAULT_REASON,
      effective_date: dateOf(deletion.endedAt ?? deletion.created).toISOString(),
    },
  };
}

/** From the current customer, otherwise from the checkout. */
export async function emailOf(
  db: Pick<DatabaseTransaction, 'selectFrom'>,
  { subscriptionId, customerId }: { subscriptionId: string; customerId: string | null },
): Promise<string | null> {
  const customer = await db
    .selectFrom('stripe_customer')
    .select('email')
    .where('id', '=', customerId ?? '')
    .executeTakeFirst();
  if (customer?.email) return customer.email;
  const checkout = await db
    .selectFrom('stripe_checkout')
    .select('customer_email')
    .where('subscription_id', '=', subscriptionId)
    .where('customer_email', 'is not', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return checkout?.customer_email ?? null;
}
