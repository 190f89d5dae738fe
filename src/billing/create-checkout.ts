import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Config } from '#src/platform/config.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { BillingServices } from './billing-services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { customerOf, forgetCustomer } from './create-portal.ts';
import { callStripe, isMissingCustomer, requireStripe, type Stripe } from './stripe-client.ts';
import { returnPage } from './stripe-return-page.ts';

/** Plans for self-service purchase: Free costs nothing, and Enterprise is negotiated. */
export const SOLD_TIERS = ['Personal', 'Pro', 'Agency'] as const satisfies PlanTier[];

export interface CheckoutOrder {
  workspaceId: WorkspaceId;
  planTier: (typeof SOLD_TIERS)[number];
  successUrl: string | null;
  cancelUrl: string | null;
}

/** Repeated clicks within this time share one session. */
const SAME_ORDER_MS = 300_000;

/**
 * Creates a Stripe checkout page for a plan. The plan changes only when Stripe's events arrive.
 * @throws Problem CONFLICT without a Stripe key or a price, or with an existing subscription; BAD_REQUEST, BAD_GATEWAY
 */
export async function createCheckout(
  { db, config, clock }: Pick<BillingServices, 'db' | 'config' | 'clock'>,
  order: CheckoutOrder,
): Promise<{ sessionId: string; url: string }> {
  const stripe = await requireStripe(config);
  const pages = pagesOf(config, order);
  await assertNotSubscribed(db, order.workspaceId);
  const price = await findPrice(stripe, order.planTier);
  const customer = await customerOf(db, order.workspaceId);
  const paid = await countPaid(db, order.workspaceId);
  const turn = Math.floor(clock().getTime() / SAME_ORDER_MS);
  const open = (payer: string | null) => {
    const wanted = sessionOf(order, { price, customer: payer, ...pages });
    const idempotencyKey = keyOf([wanted, paid, turn]);
    return stripe.checkout.sessions.create(wanted, { idempotencyKey });
  };
  const session = await callStripe(async () => {
    try {
      return await open(customer);
    } catch (error) {
      if (customer === null || !isMissingCustomer(error)) throw error;
      await forgetCustomer(db, order.workspaceId, customer);
      return open(null);
    }
  });
  if (session.url === null) {
    throw new Problem('BAD_GATEWAY', 'Stripe created a checkout without a page. Try again.');
  }
  return { sessionId: session.id, url: session.url };
}

function sessionOf(
  { workspaceId, planTier }: CheckoutOrder,
  chosen: { price: string; customer: string | null; success_url: string; cancel_url: string },
) {
  const metadata = { workspace_id: workspaceId, plan_tier: planTier };
  return {
    mode: 'subscription' as const,
    line_items: [{ price: chosen.price, quantity: 1 }],
    client_reference_id: workspaceId,
    metadata,
    subscription_data: { metadata },
    success_url: chosen.success_url,
    cancel_url: chosen.cancel_url,
    ...(chosen.customer === null ? {} : { customer: chosen.customer }),
  };
}

function pagesOf(config: Config, { successUrl, cancelUrl }: CheckoutOrder) {
  return {
    success_url: returnPage(config, successUrl, {
      field: 'success_url',
      query: '?checkout=completed',
    }),
    cancel_url: returnPage(config, cancelUrl, { field: 'cancel_url', query: '?checkout=canceled' }),
  };
}

const LIVE_STATUSES = ['trialing', 'active', 'past_due', 'unpaid', 'paused'];

/** A second subscription would be charged in addition to the first. */
async function assertNotSubscribed(db: Database, workspaceId: WorkspaceId): Promise<void> {
  const { rows } = await sql`
    select 1 from stripe_subscription
    where workspace_id = ${workspaceId} and status = any(${LIVE_STATUSES}::text[])
    union all
    select 1 from stripe_checkout c left join stripe_subscription s on s.id = c.subscription_id
    where c.workspace_id = ${workspaceId} and c.paid_at is not null
      and c.subscription_id is not null and s.status is null
    limit 1`.execute(db);
  if (rows.length === 0) return;
  throw new Problem(
    'CONFLICT',
    'The workspace has a subscription. POST /billing/portal opens the page on which its plan and card are changed.',
  );
}

/** Lookup keys of monthly prices, in order of preference; a yearly price is chosen in the portal. */
function lookupKeysOf(planTier: PlanTier): string[] {
  const tier = planTier.toLowerCase();
  const named = [tier, `millrace_${tier}`, `millrace-${tier}`];
  return named.flatMap((name) => [name, `${name}_monthly`, `${name}-monthly`]);
}

async function findPrice(stripe: Stripe, planTier: PlanTier): Promise<string> {
  const lookupKeys = lookupKeysOf(planTier);
  const { data: prices } = await callStripe(() =>
    stripe.prices.list({ lookup_keys: lookupKeys, active: true, type: 'recurring', limit: 100 }),
  );
  for (const key of lookupKeys) {
    const price = prices.find(({ lookup_key }) => lookup_key === key);
    if (price) return price.id;
  }
  throw new Problem(
    'CONFLICT',
    `There is no price for ${planTier} at Stripe. Give a recurring price the lookup_key ${lookupKeys[0]} or ${lookupKeys[1]}.`,
  );
}

/** Prevents reopening a paid checkout. */
async function countPaid(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from stripe_checkout
    where workspace_id = ${workspaceId} and paid_at is not null`.execute(db);
  return rows[0]?.count ?? 0;
}

function keyOf(order: unknown): string {
  return `millrace-${createHash('sha256').update(JSON.stringify(order)).digest('hex')}`;
}
