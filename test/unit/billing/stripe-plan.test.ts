import { describe, expect, it } from 'vitest';
import { tierNamed, tierOfSubscription } from '#src/billing/plan-of-price.ts';
import { monthlyAmount } from '#src/billing/stripe-amount.ts';
import { readChange } from '#src/billing/stripe-change.ts';
import { stripeEvent, stripeSubscription } from '#src/billing/stripe-object.ts';
import { snapshotOf } from '#src/billing/stripe-snapshot.ts';
import {
  eventFixture,
  itemsFixture,
  priceFixture,
  sessionFixture,
  START,
  subscriptionFixture,
} from '#test/support/stripe-fixtures.ts';

const subscription = (fields: Record<string, unknown>) =>
  stripeSubscription.parse(subscriptionFixture('sub_1', fields));
const change = (type: string, object: Record<string, unknown>) =>
  readChange(stripeEvent.parse(eventFixture(type, object)));

describe('the plan of a price', () => {
  it.each([
    ['pro', 'Pro'],
    ['PRO', 'Pro'],
    ['pro_monthly', 'Pro'],
    ['millrace-Pro-yearly', 'Pro'],
    ['pro_free_trial', 'Pro'],
    ['free', 'Free'],
    ['agency.2026', 'Agency'],
    ['promotion', null],
    ['professional', null],
    ['pro_to_agency', null],
    ['', null],
    [null, null],
    [5900, null],
    [{ plan_tier: 'Pro' }, null],
  ])('named %j is %s', (text, tier) => {
    expect(tierNamed(text)).toBe(tier);
  });

  it('comes from the price first, then from its product, then from the metadata', () => {
    const product = { id: 'prod_1', metadata: { plan_tier: 'Agency' } };
    const metadata = { plan_tier: 'Personal' };
    const silent = { product, metadata: {} };
    const tierOf = (price: Record<string, unknown>) =>
      tierOfSubscription(subscription({ items: itemsFixture(price), metadata }));
    expect(tierOf(priceFixture('pro', silent))).toBe('Pro');
    expect(tierOf(priceFixture(null, { product, metadata: { plan_tier: 'pro' } }))).toBe('Pro');
    expect(tierOf(priceFixture(null, silent))).toBe('Agency');
    expect(tierOf(priceFixture(null))).toBe('Personal');
  });

  it('may be in the metadata as plan, which comes after plan_tier', () => {
    const tierOf = (metadata: Record<string, unknown>) =>
      tierOfSubscription(subscription({ items: itemsFixture(priceFixture(null)), metadata }));
    expect(tierOf({ plan: 'pro' })).toBe('Pro');
    expect(tierOf({ plan: 'pro', plan_tier: 'Agency' })).toBe('Agency');
    expect(tierOf({ plan: 'pro', plan_tier: '' })).toBe('Pro');
    const product = { id: 'prod_1', metadata: { plan: 'Agency' } };
    const items = itemsFixture(priceFixture(null, { product }));
    expect(tierOfSubscription(subscription({ items }))).toBe('Agency');
  });

  it('is never guessed from an amount', () => {
    const items = itemsFixture(priceFixture(null, { unit_amount: 5900 }));
    expect(tierOfSubscription(subscription({ items }))).toBeNull();
  });

  it('is the highest one, since add-ons are billed beside it', () => {
    const data = ['addon_seats', 'agency', 'personal'].map((key) => ({ price: priceFixture(key) }));
    expect(tierOfSubscription(subscription({ items: { data } }))).toBe('Agency');
  });
});

describe('the monthly amount', () => {
  const amount = (quantity: number, fields: Record<string, unknown>) =>
    monthlyAmount(
      subscription({ items: itemsFixture(priceFixture('pro', fields), quantity) }).items,
    );
  const every = (interval: string, interval_count = 1) => ({
    recurring: { interval, interval_count, usage_type: 'licensed' },
  });

  it.each([
    ['one month', 1, {}, 5900],
    ['three seats', 3, {}, 17_700],
    ['a year', 1, { unit_amount: 70_800, ...every('year') }, 5900],
    ['three months', 1, { unit_amount: 17_700, ...every('month', 3) }, 5900],
    ['a week', 1, { unit_amount: 1000, ...every('week') }, 4345],
    ['a day', 1, { unit_amount: 100, ...every('day') }, 3042],
    ['half a cent', 1000, { unit_amount: null, unit_amount_decimal: '0.5' }, 500],
    ['nothing', 1, { unit_amount: 0 }, 0],
    ['more than fits the column', 1e9, {}, 2_147_483_647],
  ])('for %s', (_, quantity, fields, expected) => {
    expect(amount(quantity, fields)).toBe(expected);
  });

  it('is unknown for metered or tiered prices, which add nothing to others', () => {
    const metered = { recurring: { interval: 'month', interval_count: 1, usage_type: 'metered' } };
    const tiered = { unit_amount: null, unit_amount_decimal: null };
    expect(amount(1, metered)).toBeNull();
    expect(amount(1, tiered)).toBeNull();
    expect(amount(1, every('fortnight'))).toBeNull();
    const data = [{ price: priceFixture('pro') }, { price: priceFixture('calls', metered) }];
    expect(monthlyAmount(subscription({ items: { data } }).items)).toBe(5900);
  });
});

describe('Stripe data', () => {
  it('has the end of the period in both API versions', () => {
    const end = START + 100;
    const item = { price: priceFixture('pro') };
    const before = subscription({ current_period_end: end, items: { data: [item] } });
    const after = subscription({ items: itemsFixture(priceFixture('pro'), 1, end) });
    for (const one of [before, after]) {
      const event = stripeEvent.parse(eventFixture('customer.subscription.updated', {}));
      expect(snapshotOf(event, one)?.currentPeriodEnd).toBe(end);
    }
  });

  it('has the subscription of an invoice in both API versions', () => {
    const invoice = { customer: 'cus_1', customer_email: 'a@example.com' };
    const parent = { subscription_details: { subscription: 'sub_1' } };
    const expected = { kind: 'invoice', customerId: 'cus_1', subscriptionId: 'sub_1' };
    expect(change('invoice.paid', { ...invoice, subscription: 'sub_1' })).toMatchObject(expected);
    expect(change('invoice.paid', { ...invoice, parent })).toMatchObject(expected);
  });

  it('is read whether an object is expanded or an id', () => {
    const session = sessionFixture('cs_1', { customer: { id: 'cus_1' }, subscription: 'sub_1' });
    expect(change('checkout.session.completed', session)).toMatchObject({
      checkout: { customerId: 'cus_1', subscriptionId: 'sub_1' },
    });
  });

  it.each([
    ['completed', 'paid', true],
    ['completed', 'no_payment_required', true],
    ['completed', 'unpaid', false],
    ['async_payment_succeeded', 'paid', true],
    ['async_payment_failed', 'unpaid', false],
    ['async_payment_failed', 'paid', false],
  ])('of a checkout %s with status %s means paid: %s', (type, payment_status, isPaid) => {
    const session = sessionFixture('cs_1', { payment_status });
    expect(change(`checkout.session.${type}`, session)).toMatchObject({
      checkout: { paidAt: isPaid ? START : null },
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['an unknown type', 'treasury.vault.opened', { id: 'x' }],
    ['a checkout that saves a card', 'checkout.session.completed', { id: 'cs_1', mode: 'setup' }],
    ['a subscription without id', 'customer.subscription.updated', { status: 'active' }],
    ['an id of another type', 'checkout.session.completed', { id: 7 }],
    ['an invoice without subscription', 'invoice.paid', { customer_email: 'a@example.com' }],
    ['an invoice event without information', 'invoice.updated', { subscription: 'sub_1' }],
  ])('with %s changes nothing', (_, type, object) => {
    expect(change(type, object)).toEqual({ kind: 'nothing' });
  });

  it('of a connected account, or without an object, changes nothing', () => {
    const event = eventFixture('customer.subscription.updated', subscriptionFixture('sub_1'));
    const connected = stripeEvent.parse({ ...event, account: 'acct_1' });
    expect(readChange(connected)).toEqual({ kind: 'nothing' });
    const thin = stripeEvent.parse({
      id: 'evt_1',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      created: '2026-01-01T00:00:00.000Z',
      related_object: { id: 'mtr_1' },
    });
    expect([thin.created, readChange(thin)]).toEqual([START, { kind: 'nothing' }]);
  });
});
