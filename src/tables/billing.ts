import type { ColumnType, Generated } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { PlanTier } from './accounts.ts';
import type { Timestamp } from './column-types.ts';

/** Stripe events that were applied: each counts once. */
interface StripeEventTable {
  id: string;
  type: string;
  /** Null when the workspace could not be determined. */
  workspace_id: WorkspaceId | null;
  /** When Stripe created it. */
  created_at: Date;
  processed_at: Timestamp;
}

interface StripeCustomerTable {
  id: string;
  workspace_id: WorkspaceId;
  email: string | null;
  created_at: Timestamp;
}

/** The latest state of a subscription according to Stripe, whatever order its events arrived in. */
interface StripeSubscriptionTable {
  id: string;
  /** Null until a checkout or the subscription's metadata names the workspace. */
  workspace_id: WorkspaceId | null;
  customer_id: string | null;
  /** Stripe's own status; null before the first event of the subscription itself. Unknown ones are kept. */
  status: string | null;
  plan_tier: PlanTier | null;
  /** Per month, in minor units. */
  amount_monthly: number | null;
  currency: string | null;
  current_period_end: Date | null;
  cancel_at_period_end: Generated<boolean>;
  /** When payment became overdue; the plan holds for a grace period afterwards. */
  past_due_since: Date | null;
  cancellation_reason: string | null;
  ended_at: Date | null;
  /** Orders the events of the subscription: see billing/apply-stripe-event.ts. */
  last_event: ColumnType<unknown, string | null | undefined, string | null>;
  updated_at: Timestamp;
  created_at: Timestamp;
}

interface StripeCheckoutTable {
  id: string;
  workspace_id: WorkspaceId;
  customer_id: string | null;
  customer_email: string | null;
  subscription_id: string | null;
  plan_tier: PlanTier | null;
  /** In minor units. */
  amount_total: number | null;
  currency: string | null;
  /** Null until it is paid. */
  paid_at: Date | null;
  created_at: Timestamp;
}

/** Customers and subscriptions according to Stripe. */
export interface BillingTables {
  stripe_event: StripeEventTable;
  stripe_customer: StripeCustomerTable;
  stripe_subscription: StripeSubscriptionTable;
  stripe_checkout: StripeCheckoutTable;
}
