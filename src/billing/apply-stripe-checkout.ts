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

/** Whose it is comes first; while nobody knows, what the checkout said waits at its subscription. */
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

/** Somebody has paid; an operator who cannot tell what for should hear of it. */
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
    log.warn(ids, 'A checkout is paid for and names no workspace of this service');
  }
  if ((row?.plan_tier ?? planTier) === null) {
    log.warn(
      { ...ids, workspaceId: row?.workspace_id ?? null },
      'A checkout is paid for and nothing names its plan: neither it nor what is known of its subscription',
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
