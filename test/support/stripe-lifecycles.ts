import { itemsFixture, type LifeStep, priceFixture, START } from './stripe-fixtures.ts';

/** The life of a subscription, and its expected final state. */
export interface Lifecycle {
  base: Record<string, unknown>;
  steps: readonly LifeStep[];
  end: { status: string; planTier: string; pastDueSince?: number };
}

const DAY = 86_400;
const agency = { items: itemsFixture(priceFixture('agency_monthly', { unit_amount: 14_900 })) };
const personal = { items: itemsFixture(priceFixture('personal', { unit_amount: 2900 })) };
const ended = (reason: string | null) => ({
  status: 'canceled',
  ended_at: START + 90 * DAY,
  canceled_at: START + 60 * DAY,
  cancellation_details: { comment: null, feedback: null, reason },
});

/** Steps without `after` happen in the same second as the previous step, where `created` does not tell their order. */
export const LIFECYCLES: Record<string, Lifecycle> = {
  'from trial over a late payment to its end': {
    base: { status: 'trialing', trial_end: START + 14 * DAY },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'active' }, after: 14 * DAY },
      { kind: 'updated', change: { status: 'past_due' }, after: 30 * DAY },
      { kind: 'updated', change: { status: 'active' } },
      {
        kind: 'updated',
        change: { cancel_at_period_end: true, cancel_at: START + 90 * DAY },
        after: DAY,
      },
      { kind: 'deleted', change: ended('cancellation_requested'), after: 30 * DAY },
    ],
    end: { status: 'canceled', planTier: 'Free' },
  },
  'all within one second': {
    base: { status: 'incomplete', latest_invoice: 'in_1' },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'active' } },
      { kind: 'updated', change: { default_payment_method: 'pm_1' } },
      { kind: 'updated', change: { cancel_at_period_end: true } },
      { kind: 'updated', change: { cancel_at_period_end: false } },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'a first payment that came in time': {
    base: { status: 'incomplete' },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'active' } },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'a first payment that never came': {
    base: { status: 'incomplete' },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { latest_invoice: 'in_2' } },
      { kind: 'updated', change: { status: 'incomplete_expired' }, after: DAY },
    ],
    end: { status: 'incomplete_expired', planTier: 'Free' },
  },
  'a trial that ended without a card, and was taken up again': {
    base: { status: 'trialing' },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'trial_will_end', change: {}, after: 11 * DAY },
      { kind: 'updated', change: { status: 'paused' }, after: 3 * DAY },
      { kind: 'paused', change: {} },
      { kind: 'updated', change: { status: 'active' }, after: DAY },
      { kind: 'resumed', change: {} },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'moves between plans': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: personal, after: DAY },
      { kind: 'updated', change: agency },
      { kind: 'updated', change: { latest_invoice: 'in_2' } },
    ],
    end: { status: 'active', planTier: 'Agency' },
  },
  'a late payment that ended it': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'past_due', latest_invoice: 'in_2' }, after: 30 * DAY },
      { kind: 'updated', change: { latest_invoice: 'in_3' }, after: DAY },
      { kind: 'deleted', change: ended('payment_failed'), after: DAY },
      { kind: 'updated', change: { cancellation_details: { reason: 'payment_failed' } } },
    ],
    end: { status: 'canceled', planTier: 'Free' },
  },
  'a late payment that invoices alone tell of': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'invoice.paid', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: 30 * DAY },
      { kind: 'invoice.payment_failed', change: {}, after: 3 * DAY },
    ],
    end: { status: 'past_due', planTier: 'Free', pastDueSince: START + 30 * DAY },
  },
  'a trial, then a late payment made up for, told of by invoices alone': {
    base: { status: 'trialing' },
    steps: [
      { kind: 'created', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: 14 * DAY },
      { kind: 'invoice.payment_failed', change: {}, after: DAY },
      { kind: 'invoice.paid', change: {}, after: DAY },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'a late payment that only its invoice says was made up for': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: 30 * DAY },
      { kind: 'updated', change: { status: 'past_due', latest_invoice: 'in_2' } },
      { kind: 'updated', change: { latest_invoice: 'in_3' }, after: DAY },
      { kind: 'invoice.paid', change: {}, after: DAY },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'a late payment that its invoice told of first': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: 30 * DAY },
      { kind: 'updated', change: { status: 'past_due' }, after: 2 },
      { kind: 'invoice.payment_failed', change: {}, after: 3 * DAY },
    ],
    end: { status: 'past_due', planTier: 'Free', pastDueSince: START + 30 * DAY },
  },
  'late payments that both tell of, made up for in the same second': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'past_due' }, after: 30 * DAY },
      { kind: 'invoice.payment_failed', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: DAY },
      { kind: 'updated', change: { status: 'active' } },
    ],
    end: { status: 'active', planTier: 'Pro' },
  },
  'an end that no invoice takes back': {
    base: {},
    steps: [
      { kind: 'created', change: {} },
      { kind: 'invoice.payment_failed', change: {}, after: 30 * DAY },
      { kind: 'deleted', change: ended('payment_failed'), after: DAY },
      { kind: 'invoice.paid', change: {}, after: DAY },
    ],
    end: { status: 'canceled', planTier: 'Free' },
  },
};
