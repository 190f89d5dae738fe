import { PLAN_TIERS, type PlanTier } from '#src/tables/accounts.ts';
import type { StripeItem, StripePrice } from './stripe-object.ts';

/**
 * The tier that appears as a word in a text, ignoring case: `pro`, `pro_monthly`, `millrace-Pro-yearly`. Null when
 * there is none or more than one; `pro_free_trial` is Pro.
 */
export function tierNamed(text: unknown): PlanTier | null {
  if (typeof text !== 'string') return null;
  const words = new Set(text.toLowerCase().split(/[^a-z0-9]+/));
  const named = PLAN_TIERS.filter((tier) => words.has(tier.toLowerCase()));
  const paid = named.filter((tier) => tier !== 'Free');
  return paid.length > 1 ? null : (paid[0] ?? named[0] ?? null);
}

/** `plan_tier`, or `plan` if that names none. */
export function tierOfMetadata(metadata: Record<string, unknown>): PlanTier | null {
  return tierNamed(metadata['plan_tier']) ?? tierNamed(metadata['plan']);
}

/**
 * From what the operator wrote on the price or its product. Never from the amount: amounts differ by currency, change
 * and repeat.
 */
export function tierOfPrice(price: StripePrice): PlanTier | null {
  return (
    tierNamed(price.lookup_key) ??
    tierOfMetadata(price.metadata) ??
    tierOfMetadata(price.product?.metadata ?? {})
  );
}

/** The highest tier among the items, since add-ons may be billed next to the plan. */
export function tierOfItems(items: readonly StripeItem[]): PlanTier | null {
  const tiers = items.map(({ price }) => price && tierOfPrice(price));
  return PLAN_TIERS.findLast((tier) => tiers.includes(tier)) ?? null;
}

/** The price takes precedence over the metadata, because only the price changes when a subscriber switches plans. */
export function tierOfSubscription(subscription: {
  items: readonly StripeItem[];
  metadata: Record<string, unknown>;
}): PlanTier | null {
  return tierOfItems(subscription.items) ?? tierOfMetadata(subscription.metadata);
}
