import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { savePlan } from '#src/accounts/save-plan.ts';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { higherPlan } from './plans.ts';

const DAY_MS = 86_400_000;
/** How long a single payment without a subscription grants its plan: a month. */
const SINGLE_PAYMENT_DAYS = 31;
/** Limit for one run. */
const MAX_WORKSPACES_PER_RUN = 1_000;

/** When a plan is decided, and how long it continues after a missed payment (`PAYMENT_GRACE_DAYS`). */
export interface PlanTerms {
  now: Date;
  graceDays: number;
}

export interface SubscriptionFacts {
  id: string;
  /** Null until Stripe reports on the subscription itself. */
  status: string | null;
  plan_tier: PlanTier | null;
  past_due_since: Date | null;
}

/** A paid checkout. */
export interface CheckoutFacts {
  subscription_id: string | null;
  plan_tier: PlanTier | null;
  paid_at: Date;
}

/**
 * Decides the plan of a workspace and saves it if it changed: the higher of `base_plan_tier` and what its subscriptions
 * grant, so that a small subscription takes nothing away from a workspace whose operator granted more. The only place
 * that writes `workspace.plan_tier`. A lock serializes concurrent decisions.
 * @throws Problem NOT_FOUND when there is no such workspace
 */
export async function settlePlan(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  terms: PlanTerms,
): Promise<PlanTier> {
  const workspace = await lockWorkspace(trx, workspaceId);
  const granted = grantedTier(await readGrants(trx, workspaceId), terms);
  const settled = higherPlan(granted ?? 'Free', workspace.base_plan_tier);
  if (settled !== workspace.plan_tier) {
    await savePlan(trx, workspaceId, { plan_tier: settled, plan_since: terms.now });
  }
  return settled;
}

/**
 * The highest plan that the subscriptions and checkouts grant; null when none does.
 *
 * A paid checkout stands in for its subscription until Stripe reports the subscription's status, whichever event comes
 * first. A paid checkout without a subscription was a single payment, which grants its plan for a month.
 */
export function grantedTier(
  grants: { subscriptions: readonly SubscriptionFacts[]; checkouts: readonly CheckoutFacts[] },
  terms: PlanTerms,
): PlanTier | null {
  const { subscriptions, checkouts } = grants;
  const known = new Set(subscriptions.filter((one) => one.status !== null).map(({ id }) => id));
  const tiers = [
    ...subscriptions
      .filter((subscription) => isInForce(subscription, terms))
      .map(({ id, plan_tier }) => plan_tier ?? boughtTier(checkouts, id)),
    ...checkouts
      .filter(({ subscription_id: id, paid_at }) =>
        id === null ? paid_at > singlePaymentLimit(terms) : !known.has(id),
      )
      .map(({ plan_tier }) => plan_tier),
  ];
  return tiers
    .filter((tier) => tier !== null)
    .reduce<PlanTier | null>((best, tier) => (best === null ? tier : higherPlan(best, tier)), null);
}

/**
 * Whether a subscription grants its plan: in trial, active, or past due within the grace period. No other status does,
 * nor does an unknown one.
 */
export function isInForce(
  { status, past_due_since: since }: Pick<SubscriptionFacts, 'status' | 'past_due_since'>,
  { now, graceDays }: PlanTerms,
): boolean {
  if (status === 'trialing' || status === 'active') return true;
  if (status !== 'past_due' || since === null) return false;
  return now.getTime() < since.getTime() + graceDays * DAY_MS;
}

/** Single payments made before this have expired. */
function singlePaymentLimit({ now }: PlanTerms): Date {
  return new Date(now.getTime() - SINGLE_PAYMENT_DAYS * DAY_MS);
}

/**
 * Settles workspaces whose grace period after a missed payment, or month of a single payment, has ended.
 * @returns the number of workspaces whose plan changed
 */
export async function settleLapsedPlans(db: Database, terms: PlanTerms): Promise<number> {
  const lateLimit = new Date(terms.now.getTime() - terms.graceDays * DAY_MS);
  // A plan other than the base plan may depend on what has lapsed.
  const { rows: lapsed } = await sql<{ id: WorkspaceId; plan_tier: PlanTier }>`
    select w.id, w.plan_tier from workspace w where w.plan_tier <> w.base_plan_tier
      and (exists (select 1 from stripe_subscription s where s.workspace_id = w.id
          and s.status = 'past_due' and ${lateSince} <= ${lateLimit})
        or exists (select 1 from stripe_checkout c where c.workspace_id = w.id
          and c.subscription_id is null and c.paid_at <= ${singlePaymentLimit(terms)}))
    order by w.plan_since limit ${MAX_WORKSPACES_PER_RUN}`.execute(db);
  let changed = 0;
  for (const workspace of lapsed) {
    const settled = await db.transaction().execute((trx) => settlePlan(trx, workspace.id, terms));
    if (settled !== workspace.plan_tier) changed += 1;
  }
  return changed;
}

/**
 * When the payment became late. If that was not recorded, the grace period starts at the last update of the
 * subscription.
 */
const lateSince = sql<Date>`coalesce(s.past_due_since, s.updated_at)`;

/** A subscription without a workspace counts for the workspace that paid its checkout. */
async function readGrants(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<{ subscriptions: SubscriptionFacts[]; checkouts: CheckoutFacts[] }> {
  const { rows: subscriptions } = await sql<SubscriptionFacts>`
    select s.id, s.status, s.plan_tier, ${lateSince} as past_due_since
    from stripe_subscription s
    where s.workspace_id = ${workspaceId}
      or s.workspace_id is null and exists (select 1 from stripe_checkout c
        where c.subscription_id = s.id and c.workspace_id = ${workspaceId}
          and c.paid_at is not null)`.execute(trx);
  const { rows: checkouts } = await sql<CheckoutFacts>`
    select c.subscription_id, c.plan_tier, c.paid_at from stripe_checkout c
    where c.workspace_id = ${workspaceId} and c.paid_at is not null
      and not exists (select 1 from stripe_subscription s
        where s.id = c.subscription_id and s.workspace_id <> ${workspaceId})
    order by c.paid_at desc, c.id`.execute(trx);
  return { subscriptions, checkouts };
}

function boughtTier(checkouts: readonly CheckoutFacts[], subscriptionId: string): PlanTier | null {
  const bought = checkouts.find((one) => one.subscription_id === subscriptionId);
  return bought?.plan_tier ?? null;
}
