import type { Logger } from 'pino';
import type { PlanTier } from '#src/tables/accounts.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { tierOfItems, tierOfPrice } from './plan-of-price.ts';
import type { StripeChange } from './stripe-change.ts';
import { isTransient, isRefusal, type Stripe } from './stripe-client.ts';
import {
  stripeCustomer,
  type StripeEvent,
  type StripeItem,
  stripePrice,
  type StripeSubscription,
} from './stripe-object.ts';
import { emailOf } from './stripe-outgoing.ts';
import { isFinal } from './stripe-standing.ts';

/** Stripe waits for the response meanwhile, and resends the event if it gets none. */
const ONE_SHORT_TRY = { timeout: 4_000, maxNetworkRetries: 0 };
const MAX_PRODUCTS = 10;

/**
 * Adds data that the event omits and only Stripe can supply: the plan named in a product's metadata, and the e-mail
 * address of a subscriber for an outgoing webhook. Called before the transaction.
 * @throws Problem SERVICE_UNAVAILABLE when Stripe cannot be asked now, so that it resends the event
 */
export async function completeChange(
  { db, log }: { db: Database; log: Pick<Logger, 'warn'> },
  stripe: Stripe | null,
  event: StripeEvent,
  change: StripeChange,
): Promise<{ change: StripeChange; email: string | null }> {
  const unchanged = { change, email: null };
  if (stripe === null) return unchanged;
  switch (change.kind) {
    case 'subscription': {
      const subscription = await withProducts(stripe, log, change.subscription);
      const email =
        event.type === 'customer.subscription.deleted'
          ? await findEmail(stripe, db, subscription)
          : null;
      return { change: { ...change, subscription }, email };
    }
    case 'checkout': {
      const { checkout } = change;
      if (checkout.planTier !== null || checkout.subscriptionId === null) return unchanged;
      const planTier = await tierOfSession(stripe, log, checkout.id);
      return { change: { ...change, checkout: { ...checkout, planTier } }, email: null };
    }
    case 'invoice':
    case 'customer':
    case 'nothing':
      return unchanged;
  }
}

async function withProducts(
  stripe: Stripe,
  log: Pick<Logger, 'warn'>,
  subscription: StripeSubscription,
): Promise<StripeSubscription> {
  // An ended subscription has no plan any more, and its end must not wait for an answer.
  if (isFinal({ status: subscription.status ?? '' })) return subscription;
  if (tierOfItems(subscription.items) !== null) return subscription;
  const items: StripeItem[] = [];
  for (const item of subscription.items.slice(0, MAX_PRODUCTS)) {
    const product = item.price?.product;
    if (!item.price || !product || product.metadata !== null) {
      items.push(item);
      continue;
    }
    const found = await ask(log, () => stripe.products.retrieve(product.id, {}, ONE_SHORT_TRY));
    const known = { id: product.id, metadata: { ...found?.metadata } };
    items.push({ ...item, price: { ...item.price, product: known } });
  }
  return { ...subscription, items: [...items, ...subscription.items.slice(MAX_PRODUCTS)] };
}

async function tierOfSession(
  stripe: Stripe,
  log: Pick<Logger, 'warn'>,
  sessionId: string,
): Promise<PlanTier | null> {
  const lines = await ask(log, () =>
    stripe.checkout.sessions.listLineItems(
      sessionId,
      { limit: MAX_PRODUCTS, expand: ['data.price.product'] },
      ONE_SHORT_TRY,
    ),
  );
  for (const line of lines?.data ?? []) {
    const { data: price } = stripePrice.safeParse(line.price);
    const tier = price && tierOfPrice(price);
    if (tier) return tier;
  }
  return null;
}

/** Tries once: the e-mail address is useful, but the end of a plan must not wait for it. */
async function findEmail(
  stripe: Stripe,
  db: Database,
  { id, customer }: StripeSubscription,
): Promise<string | null> {
  if (customer === null) return null;
  if ((await emailOf(db, { subscriptionId: id, customerId: customer })) !== null) return null;
  try {
    const found = await stripe.customers.retrieve(customer, {}, ONE_SHORT_TRY);
    return stripeCustomer.safeParse(found).data?.email ?? null;
  } catch (error) {
    if (isTransient(error) || isRefusal(error)) return null;
    throw error;
  }
}

/** Null when Stripe refuses: it would refuse again, so the event is applied as it is. */
async function ask<T>(log: Pick<Logger, 'warn'>, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isTransient(error)) {
      throw new Problem(
        'SERVICE_UNAVAILABLE',
        'Stripe could not be asked which plan this event is about. Send it again shortly.',
        { retryAfterSeconds: 30 },
      );
    }
    if (!isRefusal(error)) throw error;
    log.warn('Stripe does not name the plan of a product: give its price a lookup_key');
    return null;
  }
}
