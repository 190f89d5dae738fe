import type { StripeItem, StripePrice } from './stripe-object.ts';

const MAX_AMOUNT = 2_147_483_647;
const MONTHS_OF: Readonly<Record<string, number>> = {
  day: 12 / 365,
  week: (12 * 7) / 365,
  month: 1,
  year: 12,
};

/**
 * The monthly cost of the items in minor units, before discounts and taxes: a yearly price counts one twelfth, with 365
 * days to a year. Metered and tiered items have no fixed amount and count nothing; null when no item has a fixed
 * amount.
 */
export function monthlyAmount(items: readonly StripeItem[]): number | null {
  const amounts = items.map(amountOf).filter((amount) => amount !== null);
  if (amounts.length === 0) return null;
  const total = Math.round(amounts.reduce((sum, amount) => sum + amount, 0));
  return Math.max(0, Math.min(total, MAX_AMOUNT));
}

function amountOf({ price, quantity }: StripeItem): number | null {
  if (!price || price.recurring?.usage_type === 'metered') return null;
  const unit = unitAmount(price);
  const months = MONTHS_OF[price.recurring?.interval ?? 'month'];
  if (unit === null || months === undefined) return null;
  return (unit * (quantity ?? 1)) / (months * Math.max(1, price.recurring?.interval_count ?? 1));
}

/** Prices below one minor unit have only the decimal field. */
function unitAmount({ unit_amount, unit_amount_decimal }: StripePrice): number | null {
  if (unit_amount !== null) return unit_amount;
  const decimal = Number(unit_amount_decimal ?? Number.NaN);
  return Number.isFinite(decimal) ? decimal : null;
}
