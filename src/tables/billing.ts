import type { ColumnType, Generated } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { PlanTier } from './accounts.ts';
import type { Timestamp } from './column-types.ts';

/** Events of Stripe that were applied: each counts once. */
interface StripeEventTable {
  id: string;
  type: string;
  /** Null when it could not be told whose it is. */
  workspace_id: WorkspaceId | null;
  /** When Stripe made it. */
  created_at: Date;
  processed_at: Timestamp;
}

interface StripeCustomerTable {
  id: string;
  workspace_id: WorkspaceId;
  email: string | null;
  created_at: Timestamp;
}

/** The newest that Stripe has said of a subscription, in whatever order its events came. */
interface StripeSubscriptionTable {
  id: string;
  /** Null until a checkout or the subscription's metadata says whose it is. */
  workspace_id: WorkspaceId | null;
  customer_id: string | null;
  /** Stripe's own word; null before the first event of the subscription itself. Unknown ones are kept. */
  status: string | null;
  plan_tier: PlanTier | null;
  /** In minor units, a month. */
  amount_monthly: number | null;
  currency: string | null;
  current_period_end: Date | null;
  cancel_at_period_end: Generated<boolean>;
  /** Since when payment is late; the plan holds for a grace period after it. */
  past_due_since: Date | null;
  cancellation_reason: string | null;
  ended_at: Date | null;
  /** What orders the events of the subscription: see billing/apply-stripe-event.ts. */
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
  /** Null until it is paid for. */
  paid_at: Date | null;
  created_at: Timestamp;
}

/** What Stripe has said of customers and subscriptions. */
export interface BillingTables {
  stripe_event: StripeEventTable;
  stripe_customer: StripeCustomerTable;
  stripe_subscription: StripeSubscriptionTable;
  stripe_checkout: StripeCheckoutTable;
}
