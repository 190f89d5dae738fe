import type { PlanTier } from '#src/tables/accounts.ts';
import { tierOfSubscription } from './plan-of-price.ts';
import { monthlyAmount } from './stripe-amount.ts';
import { type StripeEvent, type StripeSubscription, stripeSubscription } from './stripe-object.ts';

/** Values of a subscription that tell two states of it apart, each as text. */
export type Traits = Record<string, string>;

/** What one event said of a subscription. Kept as JSON, so moments are Stripe's seconds. */
export interface Snapshot {
  eventId: string;
  /** The last word of the event's type: `created`, `updated`, `paused`, `resumed`, `deleted`, … */
  kind: string;
  created: number;
  status: string;
  traits: Traits;
  /** What the traits that changed were before; null where the event does not say. */
  previous: Traits | null;
  customerId: string | null;
  planTier: PlanTier | null;
  amountMonthly: number | null;
  currency: string | null;
  currentPeriodEnd: number | null;
  cancelAtPeriodEnd: boolean;
  cancellationReason: string | null;
  endedAt: number | null;
  /** Since when payment was late, where the snapshots that said so are no longer kept. */
  pastDueSince?: number;
}

/** Null when the object is no subscription. */
export function snapshotOf(event: StripeEvent, subscription: StripeSubscription): Snapshot | null {
  if (subscription.status === null) return null;
  const { items } = subscription;
  const periodEnds = items.map((item) => item.current_period_end).filter((end) => end !== null);
  return {
    eventId: event.id,
    kind: event.type.slice(event.type.lastIndexOf('.') + 1),
    created: event.created,
    status: subscription.status,
    traits: traitsOf(event.data?.object ?? {}),
    previous: event.data?.previous_attributes ? traitsOf(event.data.previous_attributes) : null,
    customerId: subscription.customer,
    planTier: tierOfSubscription(subscription),
    amountMonthly: monthlyAmount(items),
    currency: subscription.currency ?? items.find(({ price }) => price)?.price?.currency ?? null,
    currentPeriodEnd:
      subscription.current_period_end ?? (periodEnds.length === 0 ? null : Math.min(...periodEnds)),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancellationReason: subscription.cancellation_details?.reason ?? null,
    endedAt: subscription.ended_at ?? subscription.canceled_at,
  };
}

const PLAIN_TRAITS = [
  'status',
  'cancel_at_period_end',
  'cancel_at',
  'canceled_at',
  'current_period_start',
  'current_period_end',
  'trial_end',
  'ended_at',
  'latest_invoice',
  'default_payment_method',
  'collection_method',
  'pause_collection',
  'quantity',
] as const;

/** Of a whole subscription, or of the part that an event tells as its `previous_attributes`. */
function traitsOf(object: Record<string, unknown>): Traits {
  const traits: Traits = {};
  for (const name of PLAIN_TRAITS) {
    const value = object[name];
    if (value !== undefined) traits[name] = JSON.stringify(idOrValue(value));
  }
  const items = object['items'] === undefined ? null : itemsTrait(object);
  if (items !== null) traits['items'] = items;
  return traits;
}

/** Expanded in one event, an id in another. */
function idOrValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
}

/** Prices and quantities; null when only parts of them are told. */
function itemsTrait(object: Record<string, unknown>): string | null {
  const parsed = stripeSubscription.shape.items.parse(object['items']);
  if (parsed.length === 0 || parsed.some(({ price }) => !price?.id)) return null;
  return parsed.map(({ price, quantity }) => `${price?.id}×${quantity ?? 1}`).join(' ');
}
