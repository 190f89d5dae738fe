import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  higherPlan,
  isAtLeast,
  PLANS,
  UNLIMITED,
  explainNoEmailAccount,
  explainNoSeat,
  explainPlanLimit,
} from '#src/billing/plans.ts';
import {
  type CheckoutFacts,
  grantedTier,
  type SubscriptionFacts,
} from '#src/billing/settle-plan.ts';
import { PLAN_TIERS } from '#src/tables/accounts.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const terms = { now: NOW, graceDays: 7 };
const STATUSES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
  'something_new',
  null,
];

describe('the table of plans', () => {
  it('has the published prices and seats', () => {
    expect(PLAN_TIERS.map((tier) => [tier, PLANS[tier].amountMonthly, PLANS[tier].seats])).toEqual([
      ['Free', 0, 1],
      ['Personal', 2_900, 3],
      ['Pro', 5_900, 10],
      ['Agency', 14_900, 50],
      ['Enterprise', null, UNLIMITED],
    ]);
  });

  it('removes nothing with a higher plan, and has e-mail accounts from Personal on', () => {
    for (const [index, tier] of PLAN_TIERS.entries()) {
      const plan = PLANS[tier];
      const below = PLANS[PLAN_TIERS[index - 1] ?? tier];
      expect(plan.features.api_access).toBe(true);
      expect(plan.features.email_accounts > 0).toBe(isAtLeast(tier, 'Personal'));
      expect(plan.dailyEmailsPerAccount > 0).toBe(isAtLeast(tier, 'Personal'));
      expect(plan.dailyEmailsPerAccount).toBeGreaterThanOrEqual(below.dailyEmailsPerAccount);
      expect(plan.requestsPerMinute).toBeGreaterThanOrEqual(below.requestsPerMinute);
      expect(plan.features.storage_gb).toBeGreaterThanOrEqual(below.features.storage_gb);
      expect(plan.features.email_accounts).toBeGreaterThanOrEqual(below.features.email_accounts);
      expect(plan.features.custom_domain || !below.features.custom_domain).toBe(true);
    }
  });

  it('orders every pair of plans', () => {
    for (const [rank, tier] of PLAN_TIERS.entries()) {
      for (const [other, needed] of PLAN_TIERS.entries()) {
        expect(isAtLeast(tier, needed), `${tier} ≥ ${needed}`).toBe(rank >= other);
        expect(higherPlan(tier, needed)).toBe(PLAN_TIERS[Math.max(rank, other)]);
      }
    }
  });

  it('names the missing plan and the remedy', () => {
    expect(explainPlanLimit('Free', 'Personal')).toContain(
      'This needs the Personal plan or higher; this workspace is on Free.',
    );
    expect(explainPlanLimit('Agency', 'Enterprise')).toContain('needs the Enterprise plan; this');
    expect(explainPlanLimit('Free', 'Personal')).toContain('POST /billing/checkout');
    expect(explainPlanLimit('Personal', 'Personal')).toBeNull();
  });

  it('refuses a member without a seat, and names the plan that has one', () => {
    expect(explainNoSeat('Personal', 2)).toBeNull();
    expect(explainNoSeat('Personal', 3)).toContain(
      'The Personal plan has 3 seats, and this workspace has 3 members. Remove one, or change to Pro, which has 10 seats.',
    );
    expect(explainNoSeat('Free', 1)).toContain(
      'has 1 seat, and this workspace has 1 member. Remove it, or change to Personal, which has 3 seats',
    );
    expect(explainNoSeat('Free', 12)).toContain('change to Agency, which has 50 seats');
    expect(explainNoSeat('Agency', 50)).toContain(
      'change to Enterprise, which has seats without limit',
    );
    expect(explainNoSeat('Enterprise', 1_000_000)).toBeNull();
  });

  it('refuses a sender account over the limit, and names the plan that allows it', () => {
    expect(explainNoEmailAccount('Personal', 2)).toBeNull();
    expect(explainNoEmailAccount('Personal', 3)).toContain(
      'The Personal plan has 3 sender accounts, and this workspace has 3. Delete one (DELETE /email-accounts/{id}), or change to Pro, which has 10 sender accounts.',
    );
    expect(explainNoEmailAccount('Pro', 60)).toContain(
      'change to Enterprise, which has sender accounts without limit',
    );
    expect(explainNoEmailAccount('Enterprise', 1_000_000)).toBeNull();
  });
});

const subscription = (some: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  id: 'sub_1',
  status: 'active',
  plan_tier: 'Pro',
  past_due_since: null,
  ...some,
});
const checkout = (some: Partial<CheckoutFacts> = {}): CheckoutFacts => ({
  subscription_id: 'sub_1',
  plan_tier: 'Pro',
  paid_at: daysAgo(100),
  ...some,
});

describe('the plan granted by subscriptions', () => {
  it.each(STATUSES)('depends on the status %s', (status) => {
    const granted = grantedTier(
      { subscriptions: [subscription({ status })], checkouts: [] },
      terms,
    );
    expect(granted).toBe(status === 'active' || status === 'trialing' ? 'Pro' : null);
  });

  it.each([
    [6.99, 7, 'Pro'],
    [7, 7, null],
    [30, 7, null],
    [0, 0, null],
  ])('with a payment %d days late and %d days of grace is %s', (days, graceDays, expected) => {
    const late = subscription({ status: 'past_due', past_due_since: daysAgo(days) });
    expect(grantedTier({ subscriptions: [late], checkouts: [] }, { now: NOW, graceDays })).toBe(
      expected,
    );
  });

  it('follows the paid checkout until the subscription has a status', () => {
    const paid = { checkouts: [checkout()] };
    const without = (status: string | null) =>
      grantedTier({ subscriptions: [subscription({ status, plan_tier: null })], ...paid }, terms);
    expect(grantedTier({ subscriptions: [], ...paid }, terms)).toBe('Pro');
    expect(without(null)).toBe('Pro');
    expect(without('canceled')).toBeNull();
    expect(without('incomplete')).toBeNull();
    expect(without('active')).toBe('Pro');
  });

  it('lasts a month for a one-time payment', () => {
    const paid = (days: number) =>
      grantedTier(
        {
          subscriptions: [],
          checkouts: [checkout({ subscription_id: null, paid_at: daysAgo(days) })],
        },
        terms,
      );
    expect(paid(0)).toBe('Pro');
    expect(paid(30)).toBe('Pro');
    expect(paid(31)).toBeNull();
  });

  it('is none when the plan is unknown', () => {
    const unknown = subscription({ plan_tier: null });
    expect(grantedTier({ subscriptions: [unknown], checkouts: [] }, terms)).toBeNull();
  });

  it('is the highest of several, in any order', () => {
    const tier = fc.constantFrom(...PLAN_TIERS);
    const any = fc.record({
      id: fc.constantFrom('sub_1', 'sub_2', 'sub_3'),
      status: fc.constantFrom(...STATUSES),
      plan_tier: tier,
      past_due_since: fc.constantFrom(daysAgo(1), daysAgo(100)),
    });
    const bought = fc.record({
      subscription_id: fc.constantFrom('sub_3', 'sub_4'),
      plan_tier: tier,
      paid_at: fc.constant(daysAgo(1)),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(any, { selector: ({ id }) => id }),
        fc.uniqueArray(bought, { selector: ({ subscription_id: id }) => id }),
        (subscriptions, checkouts) => {
          const all = grantedTier({ subscriptions, checkouts }, terms);
          expect(
            grantedTier(
              { subscriptions: subscriptions.toReversed(), checkouts: checkouts.toReversed() },
              terms,
            ),
          ).toBe(all);
          for (const one of subscriptions) {
            const alone = grantedTier({ subscriptions: [one], checkouts: [] }, terms);
            if (alone !== null) expect(all !== null && isAtLeast(all, alone)).toBe(true);
          }
        },
      ),
    );
  });
});
