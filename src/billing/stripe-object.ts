import { z } from 'zod';

/**
 * The fields of Stripe's objects that are used, in every version of its API. A missing or malformed field is null, so
 * that a new version breaks only what it removes.
 */
const text = z.string().nullable().catch(null);
const MAX_SECONDS = 253_402_300_799;
const seconds = z.int().min(0).max(MAX_SECONDS);
const timestamp = seconds.nullable().catch(null);
const whole = z.int().nullable().catch(null);
const metadata = z.record(z.string(), z.unknown()).catch({});
/** An id, or the object itself if expanded. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullable()
  .catch(null);
const id = z.string().min(1).max(255);

const product = z
  .union([
    z.string().transform((productId) => ({ id: productId, metadata: null })),
    z.object({ id: z.string(), metadata: z.record(z.string(), z.unknown()).nullable().catch({}) }),
  ])
  .nullable()
  .catch(null);

export const stripePrice = z.object({
  id: text,
  lookup_key: text,
  unit_amount: z.number().nullable().catch(null),
  unit_amount_decimal: text,
  currency: text,
  metadata,
  product,
  recurring: z
    .object({ interval: text, interval_count: whole, usage_type: text })
    .nullable()
    .catch(null),
});
export type StripePrice = z.output<typeof stripePrice>;

const stripeItem = z.object({
  quantity: whole,
  current_period_end: timestamp,
  price: stripePrice.nullable().catch(null),
});
export type StripeItem = z.output<typeof stripeItem>;

const items = z
  .object({ data: z.array(stripeItem) })
  .transform(({ data }) => data)
  .catch([]);

export const stripeSubscription = z.object({
  id,
  status: text,
  customer: reference,
  currency: text,
  cancel_at_period_end: z.boolean().catch(false),
  canceled_at: timestamp,
  ended_at: timestamp,
  /** On the subscription until 2025-03-31.basil, on the items since. */
  current_period_end: timestamp,
  cancellation_details: z.object({ reason: text }).nullable().catch(null),
  metadata,
  items,
});
export type StripeSubscription = z.output<typeof stripeSubscription>;

export const stripeSession = z.object({
  id,
  mode: text,
  payment_status: text,
  client_reference_id: text,
  customer: reference,
  customer_email: text,
  customer_details: z.object({ email: text }).nullable().catch(null),
  subscription: reference,
  amount_total: whole,
  currency: text,
  metadata,
});
export type StripeSession = z.output<typeof stripeSession>;

export const stripeInvoice = z.object({
  customer: reference,
  billing_reason: text,
  customer_email: text,
  /** On the invoice until 2025-03-31.basil, on its parent since. */
  subscription: reference,
  parent: z
    .object({ subscription_details: z.object({ subscription: reference }).nullable().catch(null) })
    .nullable()
    .catch(null),
});

export const stripeCustomer = z.object({ id, email: text });

const iso = z.iso.datetime({ offset: true }).transform((at) => Math.floor(Date.parse(at) / 1000));

/** An event of either kind: a snapshot of an object, or a thin event (`v2.core.event`) without one. */
export const stripeEvent = z.object({
  id,
  type: z.string().min(1).max(255),
  created: z.union([seconds, iso]),
  /** Set for an event of an account connected to the operator's. */
  account: text,
  data: z
    .object({
      object: z.record(z.string(), z.unknown()),
      previous_attributes: z.record(z.string(), z.unknown()).nullable().catch(null),
    })
    .nullable()
    .catch(null),
});
export type StripeEvent = z.output<typeof stripeEvent>;

export function dateOf(time: number): Date;
export function dateOf(time: number | null): Date | null;
export function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time * 1000);
}
