import { sql } from 'kysely';
import { readPlan } from '#src/accounts/save-plan.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { type PlanFeatures, planRank, PLANS } from './plans.ts';
import { isInForce, type PlanTerms } from './settle-plan.ts';

/** The current state of a workspace's plan. */
export interface SubscriptionStatus {
  planTier: PlanTier;
  /** Stripe's status, or `active` for a plan without a subscription. */
  status: string;
  renewalDate: Date;
  /** In minor units. */
  amountMonthly: number;
  currency: string;
  trialActive: boolean;
  features: PlanFeatures & { users: number };
}

/** The fields of a subscription that are shown. */
export interface ShownSubscription {
  status: string;
  plan_tier: PlanTier | null;
  amount_monthly: number | null;
  currency: string | null;
  current_period_end: Date | null;
  past_due_since: Date | null;
  created_at: Date;
}

/** Statuses that a subscription never leaves. */
const ENDED = new Set(['canceled', 'incomplete_expired']);
const MONTHS_A_YEAR = 12;

export async function readSubscriptionStatus(
  db: Database,
  workspaceId: WorkspaceId,
  terms: PlanTerms,
): Promise<SubscriptionStatus> {
  const workspace = await readPlan(db, workspaceId);
  const subscriptions = await db
    .selectFrom('stripe_subscription')
    .select(['plan_tier', 'amount_monthly', 'currency', 'current_period_end', 'created_at'])
    .select(sql<string>`status`.as('status')) // null is left out below
    .select(sql<Date>`coalesce(past_due_since, updated_at)`.as('past_due_since'))
    .where('workspace_id', '=', workspaceId)
    .where('status', 'is not', null)
    .execute();
  return describeSubscription(
    { planTier: workspace.plan_tier, planSince: workspace.plan_since },
    subscriptions,
    terms,
  );
}

/**
 * Describes a plan by its most relevant subscription: one in effect first, then the highest plan, then the newest. An
 * ended subscription is shown only on Free, because any other plan then comes from something else. Renewal and amount
 * are those of a subscription in effect, otherwise those of the plan.
 */
export function describeSubscription(
  { planTier, planSince }: { planTier: PlanTier; planSince: Date },
  subscriptions: readonly ShownSubscription[],
  terms: PlanTerms,
): SubscriptionStatus {
  const plan = PLANS[planTier];
  const [first] = subscriptions.toSorted(
    (a, b) => weigh(b, terms) - weigh(a, terms) || b.created_at.getTime() - a.created_at.getTime(),
  );
  const shown = first && (planTier === 'Free' || !ENDED.has(first.status)) ? first : null;
  const inForce = shown !== null && isInForce(shown, terms) ? shown : null;
  return {
    planTier,
    status: shown?.status ?? 'active',
    renewalDate: inForce?.current_period_end ?? nextAnniversary(planSince, terms.now),
    amountMonthly: inForce?.amount_monthly ?? plan.amountMonthly ?? 0,
    currency: inForce?.currency ?? plan.currency,
    trialActive: shown?.status === 'trialing',
    features: { users: plan.seats, ...plan.features },
  };
}

/** 0 for a subscription that is not in effect, otherwise its plan's rank from 1. */
function weigh(subscription: ShownSubscription, terms: PlanTerms): number {
  if (!isInForce(subscription, terms)) return 0;
  return 1 + (subscription.plan_tier === null ? 0 : planRank(subscription.plan_tier));
}

/**
 * The first time after `now` that is a whole number of calendar months after `since`, in UTC. In a month without that
 * day, it is the last day: 31 January, 28 February, 31 March.
 */
export function nextAnniversary(since: Date, now: Date): Date {
  const passed =
    (now.getUTCFullYear() - since.getUTCFullYear()) * MONTHS_A_YEAR +
    (now.getUTCMonth() - since.getUTCMonth());
  const months = Math.max(1, passed);
  const candidate = addMonths(since, months);
  return candidate > now ? candidate : addMonths(since, months + 1);
}

function addMonths(date: Date, months: number): Date {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  // Day 0 of the next month is the last day of this one.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(date);
  moved.setUTCFullYear(year, month, Math.min(date.getUTCDate(), lastDay));
  return moved;
}
