import Stripe from 'stripe';
import type { Answer, ApiClient } from './api-client.ts';

export const WEBHOOK_SECRET = 'whsec_test_of_billing';
/** 2026-01-01 in Stripe's format. */
export const START = 1_767_225_600;
const MONTH = 30 * 86_400;

type Json = Record<string, unknown>;

/** An event as Stripe posts it. */
export interface EventFixture {
  id: string;
  object: string;
  type: string;
  created: number;
  data: { object: Json; previous_attributes?: Json };
  [more: string]: unknown;
}

let made = 0;

export function eventFixture(
  type: string,
  object: Json,
  { created = START, previous }: { created?: number; previous?: Json | undefined } = {},
): EventFixture {
  made += 1;
  return {
    id: `evt_${String(made).padStart(6, '0')}`,
    object: 'event',
    api_version: '2026-07-29.dahlia',
    created,
    livemode: false,
    pending_webhooks: 1,
    type,
    data: { object, ...(previous && { previous_attributes: previous }) },
  };
}

export function priceFixture(lookupKey: string | null, fields: Json = {}): Json {
  return {
    id: `price_${lookupKey ?? 'silent'}`,
    object: 'price',
    lookup_key: lookupKey,
    unit_amount: 5900,
    unit_amount_decimal: '5900',
    currency: 'usd',
    metadata: {},
    product: `prod_${lookupKey ?? 'silent'}`,
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    ...fields,
  };
}

export function subscriptionFixture(id: string, fields: Json = {}): Json {
  return {
    id,
    object: 'subscription',
    status: 'active',
    customer: `cus_${id}`,
    currency: 'usd',
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    trial_end: null,
    latest_invoice: 'in_1',
    default_payment_method: null,
    pause_collection: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    metadata: {},
    items: itemsFixture(priceFixture('pro')),
    ...fields,
  };
}

export function itemsFixture(price: Json, quantity = 1, periodEnd: number = START + MONTH): Json {
  return { object: 'list', data: [{ id: 'si_1', quantity, current_period_end: periodEnd, price }] };
}

export function sessionFixture(id: string, fields: Json = {}): Json {
  return {
    id,
    object: 'checkout.session',
    mode: 'subscription',
    status: 'complete',
    payment_status: 'paid',
    client_reference_id: null,
    customer: null,
    customer_email: null,
    customer_details: { email: 'buyer@example.com', name: 'A Buyer' },
    subscription: null,
    amount_total: 5900,
    currency: 'usd',
    metadata: {},
    ...fields,
  };
}

/** In the format since 2025-03-31.basil; older invoices name it in `subscription`. */
export function invoiceFixture(subscription: string, fields: Json = {}): Json {
  return {
    id: `in_${subscription}`,
    object: 'invoice',
    customer: `cus_${subscription}`,
    customer_email: 'buyer@example.com',
    parent: { type: 'subscription_details', subscription_details: { subscription } },
    ...fields,
  };
}

/** One step in the life of a subscription: the change, and Stripe's name for it. */
export interface LifeStep {
  /** The last part of the event type, or the whole type of an invoice event, which changes nothing by itself. */
  kind:
    | 'created'
    | 'updated'
    | 'paused'
    | 'resumed'
    | 'deleted'
    | 'trial_will_end'
    | 'invoice.paid'
    | 'invoice.payment_failed';
  change: Json;
  /** Seconds after the previous step; default 0. */
  after?: number;
}

/** The events of a life; `updated` ones have Stripe's `previous_attributes`. */
export function lifeOf(id: string, base: Json, steps: readonly LifeStep[]): EventFixture[] {
  let object = subscriptionFixture(id, base);
  let created = START;
  return steps.map(({ kind, change, after = 0 }) => {
    created += after;
    if (kind === 'invoice.paid' || kind === 'invoice.payment_failed')
      return eventFixture(kind, invoiceFixture(id), { created });
    const previous = Object.fromEntries(Object.keys(change).map((name) => [name, object[name]]));
    object = { ...object, ...change };
    return eventFixture(`customer.subscription.${kind}`, object, {
      created,
      previous: kind === 'updated' ? previous : undefined,
    });
  });
}

export function signatureOf(payload: string, secret = WEBHOOK_SECRET, at = Date.now()): string {
  const timestamp = Math.floor(at / 1000);
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

/** Posts an event as Stripe does. */
export function postEvent(
  { call }: Pick<ApiClient, 'call'>,
  event: unknown,
  { signature }: { signature?: string } = {},
): Promise<Answer> {
  const payload = JSON.stringify(event);
  return call('POST', '/billing/stripe/webhook', payload, {
    key: null,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': signature ?? signatureOf(payload),
    },
  });
}

/** All permutations. */
export function* permutations<T>(things: readonly T[]): Generator<T[]> {
  if (things.length === 0) yield [];
  for (const [index, first] of things.entries()) {
    for (const rest of permutations(things.toSpliced(index, 1))) yield [first, ...rest];
  }
}
