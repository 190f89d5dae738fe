import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { CheckoutNews } from './stripe-change.ts';
import { saveCheckout } from './stripe-checkout-rows.ts';
import { findOwner, type StripeRun } from './stripe-links.ts';
import {
  findSubscriptionOwner,
  linkWithOrphans,
  updateSubscription,
} from './stripe-subscription-rows.ts';

/** Finds the owner first. While the owner is unknown, the checkout's data is kept in the row of its subscription. */
export async function applyStripeCheckout(run: StripeRun, checkout: CheckoutNews): Promise<void> {
  const { id, subscriptionId, customerId, email } = checkout;
  const workspaceId = await findOwner(run, {
    present: await findCheckoutOwner(run.trx, id, subscriptionId),
    claim: checkout.claim,
    customerId,
    reference: checkout.reference,
  });
  if (workspaceId === null) {
    if (subscriptionId !== null)
      await updateSubscription(run, subscriptionId, { checkout, customerId });
  } else {
    run.workspaces.add(workspaceId);
    await saveCheckout(run, workspaceId, checkout);
    if (customerId !== null) await linkWithOrphans(run, { id: customerId, workspaceId, email });
    if (subscriptionId !== null)
      await updateSubscription(run, subscriptionId, { workspaceId, customerId, email });
  }
  if (checkout.paidAt !== null) await warnOfUnknown(run, checkout);
}

/** Logs a payment that cannot be assigned, so that the operator can. */
async function warnOfUnknown(
  { trx, log, eventId }: StripeRun,
  { id, subscriptionId, customerId, planTier }: CheckoutNews,
): Promise<void> {
  const row = await trx
    .selectFrom('stripe_checkout')
    .select(['workspace_id', 'plan_tier'])
    .where('id', '=', id)
    .executeTakeFirst();
  const ids = { stripeEventId: eventId, checkoutId: id, subscriptionId, customerId };
  if (!row) {
    log.warn(ids, 'A checkout was paid but names no workspace of this service');
  }
  if ((row?.plan_tier ?? planTier) === null) {
    log.warn(
      { ...ids, workspaceId: row?.workspace_id ?? null },
      'A checkout was paid but its plan is unknown: neither it nor its subscription names one',
    );
  }
}

async function findCheckoutOwner(
  trx: DatabaseTransaction,
  id: string,
  subscriptionId: string | null,
): Promise<WorkspaceId | null> {
  const checkout = await trx
    .selectFrom('stripe_checkout')
    .select('workspace_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return checkout?.workspace_id ?? findSubscriptionOwner(trx, subscriptionId);
}
