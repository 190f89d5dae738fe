import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLANS, UNLIMITED } from '#src/billing/plans.ts';
import {
  describeSubscription,
  nextAnniversary,
  type ShownSubscription,
} from '#src/billing/subscription.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const terms = { now: NOW, graceDays: 7 };

describe('the renewal date of a plan without a subscription', () => {
  it.each([
    ['2026-01-31T10:00:00Z', '2026-02-01T00:00:00Z', '2026-02-28T10:00:00Z'],
    ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
    ['2024-01-31T10:00:00Z', '2024-02-10T00:00:00Z', '2024-02-29T10:00:00Z'],
    ['2024-02-29T10:00:00Z', '2025-02-20T00:00:00Z', '2025-02-28T10:00:00Z'],
    ['2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-01-31T23:59:59Z'],
    ['2026-05-05T00:00:00Z', '2026-05-05T00:00:00Z', '2026-06-05T00:00:00Z'],
    ['2026-05-05T00:00:00Z', '2026-05-04T23:00:00Z', '2026-06-05T00:00:00Z'],
  ])('since %s, asked at %s, is %s', (since, now, expected) => {
    expect(nextAnniversary(new Date(since), new Date(now))).toEqual(new Date(expected));
  });

  it('is at most a month ahead, on the same day of the month where it exists', () => {
    const between = {
      min: new Date('2020-01-01Z'),
      max: new Date('2040-01-01Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(between), fc.nat(5_000), (since, days) => {
        const now = new Date(since.getTime() + days * DAY_MS + 1);
        const next = nextAnniversary(since, now);
        expect(next.getTime()).toBeGreaterThan(now.getTime());
        expect(next.getTime() - now.getTime()).toBeLessThanOrEqual(31 * DAY_MS);
        expect(next.getTime() % DAY_MS).toBe(since.getTime() % DAY_MS);
        const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0));
        expect(next.getUTCDate()).toBe(Math.min(since.getUTCDate(), lastDay.getUTCDate()));
      }),
    );
  });
});

describe('the status of a plan', () => {
  const free = { planTier: 'Free', planSince: new Date('2026-01-31T10:00:00Z') } as const;
  const periodEnd = new Date('2026-04-01T00:00:00Z');
  const shown = (some: Partial<ShownSubscription> = {}): ShownSubscription => ({
    status: 'active',
    plan_tier: 'Pro',
    amount_monthly: 4_900,
    currency: 'eur',
    current_period_end: periodEnd,
    past_due_since: daysAgo(1),
    created_at: daysAgo(40),
    ...some,
  });

  it('without a subscription is active at the price of the plan', () => {
    expect(describeSubscription({ ...free, planTier: 'Agency' }, [], terms)).toEqual({
      planTier: 'Agency',
      status: 'active',
      renewalDate: new Date('2026-03-31T10:00:00Z'),
      amountMonthly: 14_900,
      currency: 'usd',
      trialActive: false,
      features: { users: 50, ...PLANS.Agency.features },
    });
    expect(describeSubscription({ ...free, planTier: 'Enterprise' }, [], terms)).toMatchObject({
      amountMonthly: 0,
      features: { users: UNLIMITED, storage_gb: UNLIMITED },
    });
  });

  it('with a subscription is what Stripe reports', () => {
    const status = describeSubscription(
      { ...free, planTier: 'Pro' },
      [shown({ status: 'trialing' })],
      terms,
    );
    expect(status).toMatchObject({
      status: 'trialing',
      renewalDate: periodEnd,
      amountMonthly: 4_900,
      currency: 'eur',
      trialActive: true,
    });
  });

  it('shows a canceled subscription on Free at the price of Free, and omits it on a later plan', () => {
    const canceled = [shown({ status: 'canceled' })];
    expect(describeSubscription(free, canceled, terms)).toMatchObject({
      status: 'canceled',
      amountMonthly: 0,
      currency: 'usd',
      renewalDate: new Date('2026-03-31T10:00:00Z'),
    });
    expect(describeSubscription({ ...free, planTier: 'Pro' }, canceled, terms)).toMatchObject({
      status: 'active',
      amountMonthly: 5_900,
    });
  });

  it('shows the subscription in force, even if others are newer', () => {
    const others = ['canceled', 'incomplete', 'unpaid', 'paused'].map((status, days) =>
      shown({ status, plan_tier: 'Agency', amount_monthly: 1, created_at: daysAgo(days) }),
    );
    const late = shown({ status: 'past_due' });
    for (const subscriptions of [
      [...others, late],
      [late, ...others],
    ]) {
      const status = describeSubscription({ ...free, planTier: 'Pro' }, subscriptions, terms);
      expect(status).toMatchObject({ status: 'past_due', amountMonthly: 4_900 });
    }
    expect(describeSubscription(free, others, terms)).toMatchObject({
      status: 'canceled',
      amountMonthly: 0,
    });
  });

  it('stays past_due after the grace period, but no longer at the price of the subscription', () => {
    const late = shown({ status: 'past_due', past_due_since: daysAgo(8) });
    expect(describeSubscription(free, [late], terms)).toMatchObject({
      status: 'past_due',
      amountMonthly: 0,
    });
  });
});
