import type { PlanTier } from '#src/tables/accounts.ts';
import { tierOfSubscription } from './plan-of-price.ts';
import { monthlyAmount } from './stripe-amount.ts';
import { type StripeEvent, type StripeSubscription, stripeSubscription } from './stripe-object.ts';

/** Values that distinguish two states of a subscription, each as text. */
export type Traits = Record<string, string>;

/** What one event says about a subscription. Kept as JSON, so times are Stripe's seconds. */
export interface Snapshot {
  eventId: string;
  /** The last segment of the event's type: `created`, `updated`, `paused`, `resumed`, `deleted`, … */
  kind: string;
  created: number;
  status: string;
  traits: Traits;
  /** Earlier values of the changed traits; null when the event does not give them. */
  previous: Traits | null;
  customerId: string | null;
  planTier: PlanTier | null;
  amountMonthly: number | null;
  currency: string | null;
  currentPeriodEnd: number | null;
  cancelAtPeriodEnd: boolean;
  cancellationReason: string | null;
  endedAt: number | null;
  /** When payment became late, if the snapshots that said so have been dropped. */
  pastDueSince?: number;
}

/** Null when the object is not a subscription. */
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

/** From a whole subscription, or from the part that an event contains as its `previous_attributes`. */
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

/** Expanded in some events, an id in others. */
function idOrValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
}

/** Prices and quantities; null when the event contains only some of them. */
function itemsTrait(object: Record<string, unknown>): string | null {
  const parsed = stripeSubscription.shape.items.parse(object['items']);
  if (parsed.length === 0 || parsed.some(({ price }) => !price?.id)) return null;
  return parsed.map(({ price, quantity }) => `${price?.id}×${quantity ?? 1}`).join(' ');
}
