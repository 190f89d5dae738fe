import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { CheckoutNews } from './stripe-change.ts';
import type { StripeRun } from './stripe-links.ts';
import { dateOf } from './stripe-object.ts';

/** Saves what is known about a checkout. Existing values are kept, because an event may be late or contain less. */
export async function saveCheckout(
  { trx, completedCheckouts }: StripeRun,
  workspaceId: WorkspaceId,
  news: CheckoutNews,
): Promise<void> {
  const before = await trx
    .selectFrom('stripe_checkout')
    .select(['paid_at', 'plan_tier'])
    .where('id', '=', news.id)
    .executeTakeFirst();
  const after = await trx
    .insertInto('stripe_checkout')
    .values({
      id: news.id,
      workspace_id: workspaceId,
      customer_id: news.customerId,
      customer_email: news.email,
      subscription_id: news.subscriptionId,
      plan_tier: news.planTier,
      amount_total: news.amountTotal,
      currency: news.currency,
      paid_at: dateOf(news.paidAt),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        customer_id: sql`coalesce(stripe_checkout.customer_id, excluded.customer_id)`,
        customer_email: sql`coalesce(stripe_checkout.customer_email, excluded.customer_email)`,
        subscription_id: sql`coalesce(stripe_checkout.subscription_id, excluded.subscription_id)`,
        plan_tier: sql`coalesce(stripe_checkout.plan_tier, excluded.plan_tier)`,
        amount_total: sql`coalesce(stripe_checkout.amount_total, excluded.amount_total)`,
        currency: sql`coalesce(stripe_checkout.currency, excluded.currency)`,
        paid_at: sql`least(stripe_checkout.paid_at, excluded.paid_at)`,
      }),
    )
    .returning(['paid_at', 'plan_tier'])
    .executeTakeFirstOrThrow();
  if (isComplete(after) && !(before && isComplete(before))) completedCheckouts.add(news.id);
}

/** A checkout that does not name its plan gets the plan of its subscription. */
export async function nameSoldPlan(run: StripeRun, subscriptionId: string): Promise<void> {
  const { rows } = await sql<{ id: string; paid_at: Date | null }>`
    update stripe_checkout c set plan_tier = s.plan_tier from stripe_subscription s
    where c.subscription_id = ${subscriptionId} and s.id = c.subscription_id
      and s.workspace_id = c.workspace_id and c.plan_tier is null and s.plan_tier is not null
    returning c.id, c.paid_at`.execute(run.trx);
  for (const { id, paid_at } of rows) if (paid_at !== null) run.completedCheckouts.add(id);
}

/** Paid and its plan known, which is when webhooks are sent. */
function isComplete(row: { paid_at: Date | null; plan_tier: string | null }): boolean {
  return row.paid_at !== null && row.plan_tier !== null;
}
