import type { PlanTier } from '#src/tables/accounts.ts';
import { tierOfMetadata } from './plan-of-price.ts';
import {
  type StripeEvent,
  type StripeSession,
  stripeCustomer,
  stripeInvoice,
  stripeSession,
  type StripeSubscription,
  stripeSubscription,
} from './stripe-object.ts';
import type { PaymentUpdate } from './stripe-standing.ts';

/** What an event says about a checkout. Kept as JSON until its owner is known, so times are Stripe's seconds. */
export interface CheckoutNews {
  id: string;
  subscriptionId: string | null;
  customerId: string | null;
  email: string | null;
  planTier: PlanTier | null;
  /** In minor units. */
  amountTotal: number | null;
  currency: string | null;
  /** Null until it is paid. */
  paidAt: number | null;
  /** The workspace or user named in the operator's metadata; not verified. */
  claim: string | null;
  /** The workspace or user named in the buyer's link; not verified. */
  reference: string | null;
}

/** What an event changes. `nothing` is recorded and changes no row. */
export type StripeChange =
  | { kind: 'checkout'; checkout: CheckoutNews }
  | { kind: 'subscription'; subscription: StripeSubscription }
  | {
      kind: 'invoice';
      customerId: string | null;
      subscriptionId: string;
      email: string | null;
      payment: PaymentUpdate | null;
    }
  | { kind: 'customer'; customerId: string; email: string | null }
  | { kind: 'nothing' };

const NOTHING: StripeChange = { kind: 'nothing' };

const CHECKOUT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
];
const CUSTOMER_TYPES = ['customer.created', 'customer.updated', 'customer.deleted'];

/**
 * Extracts the change from an event. An invoice counts only where no event of its subscription says otherwise: see
 * stripe-standing.ts.
 */
export function readChange(event: StripeEvent): StripeChange {
  // Events of accounts connected to the operator's do not affect any plan here.
  if (event.data === null || event.account !== null) return NOTHING;
  const { type } = event;
  const { object } = event.data;
  if (CHECKOUT_TYPES.includes(type)) return readCheckout(event, object);
  if (type.startsWith('customer.subscription.')) {
    const { data: subscription } = stripeSubscription.safeParse(object);
    return subscription ? { kind: 'subscription', subscription } : NOTHING;
  }
  if (type.startsWith('invoice.')) return readInvoice(event, object);
  if (CUSTOMER_TYPES.includes(type)) {
    const { data: customer } = stripeCustomer.safeParse(object);
    if (!customer) return NOTHING;
    const email = type === 'customer.deleted' ? null : customer.email;
    return { kind: 'customer', customerId: customer.id, email };
  }
  return NOTHING;
}

function readCheckout(event: StripeEvent, object: unknown): StripeChange {
  const { data: session } = stripeSession.safeParse(object);
  // A `setup` session saves a card and sells nothing.
  if (!session || session.mode === 'setup') return NOTHING;
  return {
    kind: 'checkout',
    checkout: {
      id: session.id,
      subscriptionId: session.subscription,
      customerId: session.customer,
      email: session.customer_details?.email ?? session.customer_email,
      planTier: tierOfMetadata(session.metadata),
      amountTotal: session.amount_total,
      currency: session.currency,
      paidAt: isPaid(event, session) ? event.created : null,
      claim: claimIn(session.metadata),
      reference: session.client_reference_id,
    },
  };
}

/** A completed session may still await payment, for example by bank debit. */
function isPaid({ type }: StripeEvent, { payment_status }: StripeSession): boolean {
  if (type === 'checkout.session.async_payment_failed') return false;
  return payment_status === 'paid' || payment_status === 'no_payment_required';
}

function readInvoice({ type, created }: StripeEvent, object: unknown): StripeChange {
  const { data: invoice } = stripeInvoice.safeParse(object);
  if (!invoice) return NOTHING;
  const subscriptionId =
    invoice.subscription ?? invoice.parent?.subscription_details?.subscription ?? null;
  const { customer: customerId, customer_email: email } = invoice;
  // The plan does not depend on an invoice that someone created by hand.
  if (invoice.billing_reason === 'manual') return NOTHING;
  const isPaid = type === 'invoice.paid';
  const payment = isPaid || type === 'invoice.payment_failed' ? { at: created, isPaid } : null;
  if (subscriptionId === null || (email === null && payment === null)) return NOTHING;
  return { kind: 'invoice', customerId, subscriptionId, email, payment };
}

/** The workspace named in an operator's metadata, or the user whose workspace is meant; not verified. */
export function claimIn(metadata: Record<string, unknown>): string | null {
  const { workspace_id: workspaceId, user_id: userId } = metadata;
  const named = [workspaceId, userId].find((id) => typeof id === 'string' && id !== '');
  return typeof named === 'string' ? named : null;
}
