import type { PlanTier } from '#src/tables.ts';

export interface Plan {
  /** Requests a minute and user account on the reference family, unless `RATE_LIMIT_PER_MINUTE` is set. */
  readonly requestsPerMinute: number;
}

/** What each plan tier includes. */
export const PLANS: Readonly<Record<PlanTier, Plan>> = {
  Free: { requestsPerMinute: 60 },
  Personal: { requestsPerMinute: 120 },
  Pro: { requestsPerMinute: 300 },
  Agency: { requestsPerMinute: 600 },
  Enterprise: { requestsPerMinute: 3000 },
};
