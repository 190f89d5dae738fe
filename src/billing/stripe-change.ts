import type { PlanTier } from '#src/tables.ts';
import { tierNamed } from './plan-of-price.ts';
import {
  type StripeEvent,
  type StripeSession,
  stripeCustomer,
  stripeInvoice,
  stripeSession,
  type StripeSubscription,
  stripeSubscription,
} from './stripe-object.ts';

/** What an event says of a checkout. Kept as JSON while nobody knows whose it is, so moments are Stripe's seconds. */
export interface CheckoutNews {
  id: string;
  subscriptionId: string | null;
  customerId: string | null;
  email: string | null;
  planTier: PlanTier | null;
  /** In minor units. */
  amountTotal: number | null;
  currency: string | null;
  /** Null while it is not paid for. */
  paidAt: number | null;
  /** The workspace that the operator's metadata names; not checked. */
  claim: string | null;
  /** The workspace that the buyer's link names; not checked. */
  reference: string | null;
}

/** What an event is about. `nothing` is kept on record and changes no row. */
export type StripeChange =
  | { kind: 'checkout'; checkout: CheckoutNews }
  | { kind: 'subscription'; subscription: StripeSubscription }
  | { kind: 'invoice'; customerId: string | null; subscriptionId: string | null; email: string }
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
 * Reads an event. Subscription events alone decide about status and plan: an invoice that is paid or not makes Stripe
 * change the subscription and tell so, and what an invoice tells beyond that is the subscriber's e-mail.
 */
export function readChange(event: StripeEvent): StripeChange {
  // What happens in accounts connected to the operator's is nobody's plan here.
  if (event.data === null || event.account !== null) return NOTHING;
  const { type } = event;
  const { object } = event.data;
  if (CHECKOUT_TYPES.includes(type)) return readCheckout(event, object);
  if (type.startsWith('customer.subscription.')) {
    const { data: subscription } = stripeSubscription.safeParse(object);
    return subscription ? { kind: 'subscription', subscription } : NOTHING;
  }
  if (type.startsWith('invoice.')) return readInvoice(object);
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
      planTier: tierNamed(session.metadata['plan_tier']),
      amountTotal: session.amount_total,
      currency: session.currency,
      paidAt: isPaid(event, session) ? event.created : null,
      claim: textOf(session.metadata['workspace_id']),
      reference: session.client_reference_id,
    },
  };
}

/** A completed session may still wait for its money, as with a bank debit. */
function isPaid({ type }: StripeEvent, { payment_status }: StripeSession): boolean {
  if (type === 'checkout.session.async_payment_failed') return false;
  return payment_status === 'paid' || payment_status === 'no_payment_required';
}

function readInvoice(object: unknown): StripeChange {
  const { data: invoice } = stripeInvoice.safeParse(object);
  if (!invoice || invoice.customer_email === null) return NOTHING;
  const subscriptionId =
    invoice.subscription ?? invoice.parent?.subscription_details?.subscription ?? null;
  const { customer: customerId, customer_email: email } = invoice;
  return { kind: 'invoice', customerId, subscriptionId, email };
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
