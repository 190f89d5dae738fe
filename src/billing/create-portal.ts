import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { BillingServices } from './billing-services.ts';
import { returnPage } from './stripe-return-page.ts';
import { callStripe, isMissingCustomer, requireStripe } from './stripe-client.ts';

/**
 * Opens Stripe's customer portal, where the workspace's card, invoices and subscription are managed.
 * @returns its URL, valid for a few minutes
 * @throws Problem CONFLICT without a Stripe key or a customer, BAD_REQUEST, BAD_GATEWAY
 */
export async function createPortal(
  { db, config }: Pick<BillingServices, 'db' | 'config'>,
  { workspaceId, returnUrl }: { workspaceId: WorkspaceId; returnUrl: string | null },
): Promise<{ url: string }> {
  const stripe = await requireStripe(config);
  const return_url = returnPage(config, returnUrl, { field: 'return_url', query: '' });
  const customer = await customerOf(db, workspaceId);
  if (customer === null) throw noCustomer();
  const { url } = await callStripe(async () => {
    try {
      return await stripe.billingPortal.sessions.create({ customer, return_url });
    } catch (error) {
      if (!isMissingCustomer(error)) throw error;
      await forgetCustomer(db, workspaceId, customer);
      throw noCustomer();
    }
  });
  return { url };
}

/**
 * The Stripe customer of a workspace: the first one, since a later one may belong to a stranger who put the workspace's
 * id in a link.
 */
export async function customerOf(db: Database, workspaceId: WorkspaceId): Promise<string | null> {
  const row = await db
    .selectFrom('stripe_customer')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The error for a customer that was deleted at Stripe. */
export async function forgetCustomer(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('stripe_customer')
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .execute();
}

function noCustomer(): Problem {
  return new Problem(
    'CONFLICT',
    'The workspace has not paid by card yet, so there is nothing to manage. POST /billing/checkout begins a subscription.',
  );
}
