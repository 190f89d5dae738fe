import { PLAN_TIERS, type PlanTier } from '#src/tables/accounts.ts';

/** Stands for "no limit" where the interface requires an integer. */
export const UNLIMITED = 2_147_483_647;

export interface PlanFeatures {
  /** Or `UNLIMITED`. */
  readonly storage_gb: number;
  /** Or `UNLIMITED`. None on Free: sender accounts need Personal. */
  readonly email_accounts: number;
  readonly custom_domain: boolean;
  readonly api_access: boolean;
}

export interface Plan {
  /** In minor units of `currency`, per month; null where the price is negotiated. */
  readonly amountMonthly: number | null;
  readonly currency: string;
  /** User accounts of a workspace, including its owner; or `UNLIMITED`. */
  readonly seats: number;
  /** Requests per minute and user account on the reference family, unless `RATE_LIMIT_PER_MINUTE` is set. */
  readonly requestsPerMinute: number;
  /** Messages that one sender account may send per day. */
  readonly dailyEmailsPerAccount: number;
  readonly features: PlanFeatures;
}

/** Price and features of each plan tier. */
export const PLANS: Readonly<Record<PlanTier, Plan>> = {
  Free: {
    amountMonthly: 0,
    currency: 'usd',
    seats: 1,
    requestsPerMinute: 60,
    dailyEmailsPerAccount: 0,
    features: { storage_gb: 1, email_accounts: 0, custom_domain: false, api_access: true },
  },
  Personal: {
    amountMonthly: 2_900,
    currency: 'usd',
    seats: 3,
    requestsPerMinute: 120,
    dailyEmailsPerAccount: 200,
    features: { storage_gb: 10, email_accounts: 3, custom_domain: false, api_access: true },
  },
  Pro: {
    amountMonthly: 5_900,
    currency: 'usd',
    seats: 10,
    requestsPerMinute: 300,
    dailyEmailsPerAccount: 500,
    features: { storage_gb: 50, email_accounts: 10, custom_domain: true, api_access: true },
  },
  Agency: {
    amountMonthly: 14_900,
    currency: 'usd',
    seats: 50,
    requestsPerMinute: 600,
    dailyEmailsPerAccount: 1_000,
    features: { storage_gb: 250, email_accounts: 50, custom_domain: true, api_access: true },
  },
  Enterprise: {
    amountMonthly: null,
    currency: 'usd',
    seats: UNLIMITED,
    requestsPerMinute: 3_000,
    dailyEmailsPerAccount: 2_000,
    features: {
      storage_gb: UNLIMITED,
      email_accounts: UNLIMITED,
      custom_domain: true,
      api_access: true,
    },
  },
};

/** 0 for Free, one more for each higher plan. */
export function planRank(tier: PlanTier): number {
  return PLAN_TIERS.indexOf(tier);
}

/** True when `tier` includes what `needed` includes. */
export function isAtLeast(tier: PlanTier, needed: PlanTier): boolean {
  return planRank(tier) >= planRank(needed);
}

export function higherPlan(one: PlanTier, other: PlanTier): PlanTier {
  return isAtLeast(one, other) ? one : other;
}

/** The plan as named in error messages: `the Pro plan or higher`. */
export function planOrHigher(needed: PlanTier): string {
  return needed === PLAN_TIERS.at(-1) ? `the ${needed} plan` : `the ${needed} plan or higher`;
}

/** The error message for a caller whose plan is below `needed`, or null when the plan suffices. */
export function explainPlanLimit(tier: PlanTier, needed: PlanTier): string | null {
  if (isAtLeast(tier, needed)) return null;
  return `This needs ${planOrHigher(needed)}; this workspace is on ${tier}. ${HOW_TO_CHANGE}`;
}

/** The error message for one more user account on a plan, or null when a seat is free. */
export function explainNoSeat(tier: PlanTier, taken: number): string | null {
  const { seats } = PLANS[tier];
  if (taken < seats) return null;
  const larger = PLAN_TIERS.find((one) => PLANS[one].seats > taken) ?? 'Enterprise';
  return `The ${tier} plan has ${seatsText(seats)}, and this workspace has ${taken === 1 ? '1 member. Remove it' : `${taken} members. Remove one`}, or change to ${larger}, which has ${seatsText(PLANS[larger].seats)}. ${HOW_TO_CHANGE}`;
}

/** The error message for one more sender account on a plan, or null when the plan allows it. */
export function explainNoEmailAccount(tier: PlanTier, taken: number): string | null {
  const most = PLANS[tier].features.email_accounts;
  if (taken < most) return null;
  const larger =
    PLAN_TIERS.find((one) => PLANS[one].features.email_accounts > taken) ?? 'Enterprise';
  return `The ${tier} plan has ${accountsText(most)}, and this workspace has ${taken}. Delete one (DELETE /email-accounts/{id}), or change to ${larger}, which has ${accountsText(PLANS[larger].features.email_accounts)}. ${HOW_TO_CHANGE}`;
}

const HOW_TO_CHANGE =
  'An admin of the workspace changes the plan with POST /billing/checkout, or whoever runs this service with "millrace plan set".';

function seatsText(seats: number): string {
  if (seats === UNLIMITED) return 'seats without limit';
  return seats === 1 ? '1 seat' : `${seats} seats`;
}

function accountsText(accounts: number): string {
  return accounts === UNLIMITED ? 'sender accounts without limit' : `${accounts} sender accounts`;
}
