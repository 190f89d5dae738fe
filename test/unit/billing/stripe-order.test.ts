import { describe, expect, it } from 'vitest';
import { readChange } from '#src/billing/stripe-change.ts';
import { stripeEvent, stripeSubscription } from '#src/billing/stripe-object.ts';
import { type Snapshot, snapshotOf } from '#src/billing/stripe-snapshot.ts';
import { addSnapshot, orderSnapshots } from '#src/billing/stripe-snapshot-order.ts';
import { addPayment, type PaymentUpdate, standingOf } from '#src/billing/stripe-standing.ts';
import {
  type EventFixture,
  eventFixture,
  invoiceFixture,
  lifeOf,
  permutations,
  START,
  subscriptionFixture,
} from '#test/support/stripe-fixtures.ts';
import { LIFECYCLES } from '#test/support/stripe-lifecycles.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

function snapshot(event: EventFixture): Snapshot {
  const made = snapshotOf(stripeEvent.parse(event), stripeSubscription.parse(event.data.object));
  if (!made) throw new Error('The fixture is not a subscription.');
  return made;
}

const isInvoice = ({ type }: EventFixture) => type.startsWith('invoice.');
const received = (events: readonly EventFixture[]) =>
  events
    .filter((event) => !isInvoice(event))
    .map(snapshot)
    .reduce<Snapshot[]>((kept, one) => addSnapshot(kept, one), []);
/** The standing of a subscription after its own events and those of its invoices. */
const standing = (events: readonly EventFixture[]) => {
  let payments: PaymentUpdate[] = [];
  for (const event of events.filter(isInvoice)) {
    const change = readChange(stripeEvent.parse(event));
    if (change.kind === 'invoice' && change.payment)
      payments = addPayment(payments, change.payment);
  }
  return standingOf(received(events), payments);
};
const invoice = (type: string, created: number) =>
  eventFixture(`invoice.${type}`, invoiceFixture('sub_1'), { created });
const updated = (
  fields: Record<string, unknown>,
  previous: Record<string, unknown> | undefined,
  created = START,
) =>
  eventFixture('customer.subscription.updated', subscriptionFixture('sub_1', fields), {
    created,
    previous,
  });

describe('subscription events', () => {
  it.each(Object.entries(LIFECYCLES))(
    'of %s are put in order whatever order they arrive in',
    (_, life) => {
      const events = lifeOf('sub_1', life.base, life.steps);
      const told = ({ status, planTier, cancelAtPeriodEnd }: Snapshot) => ({
        status,
        planTier,
        cancelAtPeriodEnd,
      });
      const states = events
        .filter((event) => !isInvoice(event))
        .map((event) => told(snapshot(event)));
      const { status, pastDueSince = null } = life.end;
      let tried = 0;
      for (const order of permutations(events)) {
        tried += 1;
        // Two events with the same content may swap places; their content may not.
        expect(received(order).map(told)).toEqual(states);
        expect(standing(order)).toEqual({ status, pastDueSince });
      }
      expect(tried).toBeGreaterThan(1);
    },
  );

  it('count once when delivered twice', () => {
    const events = lifeOf('sub_1', {}, [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'past_due' } },
    ]);
    expect(received([...events, ...events])).toEqual(received(events));
  });

  it('that are final stay final, whatever their timestamps', () => {
    const over = updated({ status: 'canceled' }, { status: 'active' }, START);
    const late = updated({ status: 'active' }, { status: 'past_due' }, START + 500);
    expect(received([over, late]).at(-1)?.status).toBe('canceled');
    expect(received([late, over]).at(-1)?.status).toBe('canceled');
  });

  it('of the same second are ordered by their previous values', () => {
    const there = updated({ cancel_at_period_end: true }, { cancel_at_period_end: false });
    const back = updated({ cancel_at_period_end: false }, { cancel_at_period_end: true });
    const before = updated({ status: 'active' }, { status: 'trialing' }, START - 10);
    for (const order of permutations([before, there, back])) {
      expect(received(order).at(-1)?.cancelAtPeriodEnd).toBe(false);
    }
  });

  it('of the same second without previous values are ordered by possible status transitions', () => {
    const trial = updated({ status: 'trialing' }, undefined);
    const active = updated({ status: 'active' }, undefined);
    expect(received([active, trial]).at(-1)?.status).toBe('active');
    expect(received([trial, active]).at(-1)?.status).toBe('active');
  });

  it('that cannot be ordered stay in order of arrival', () => {
    const late = updated({ status: 'past_due' }, undefined);
    const paid = updated({ status: 'active' }, undefined);
    expect(received([late, paid]).at(-1)?.status).toBe('active');
    expect(received([paid, late]).at(-1)?.status).toBe('past_due');
  });

  it('with a status unknown to this code are kept as they are', () => {
    const known = updated({ status: 'active' }, undefined);
    const unknown = updated({ status: 'hibernating' }, { status: 'active' });
    expect(received([unknown, known]).at(-1)?.status).toBe('hibernating');
  });

  it('are ordered quickly even when dozens share one second', () => {
    const many = Array.from({ length: 25 }, (_, n) =>
      snapshot(updated({ latest_invoice: `in_${n + 1}` }, { latest_invoice: `in_${n}` })),
    );
    const cpuMs = cpuMsOf(() => {
      expect(orderSnapshots(many)).toHaveLength(25);
    });
    expect(cpuMs).toBeLessThan(500);
  });
});

describe('late payment', () => {
  const late = (day: number, fields: Record<string, unknown> = {}) =>
    updated({ status: 'past_due', ...fields }, undefined, START + day * 86_400);

  it('counts from the first event reporting it since the last payment', () => {
    const paid = updated({ status: 'active' }, undefined, START + 86_400);
    expect(standing([late(0), paid, late(5), late(3)])?.pastDueSince).toBe(START + 3 * 86_400);
    expect(standing([late(0), paid])?.pastDueSince).toBeNull();
  });

  it('is remembered after the event that reported it is dropped', () => {
    const events = Array.from({ length: 200 }, (_, day) => late(day));
    const kept = received(events);
    expect(kept.length).toBeLessThan(50);
    expect(standingOf(kept, [])?.pastDueSince).toBe(START);
  });
});

describe('an invoice', () => {
  const told = (status: string) => updated({ status }, undefined);
  const PAYMENTS = ['payment_failed', 'paid'] as const;

  it.each([
    ['active', 'past_due', 'active'],
    ['trialing', 'past_due', 'trialing'],
    ['past_due', 'past_due', 'active'],
    ['incomplete', 'incomplete', 'incomplete'],
    ['unpaid', 'unpaid', 'unpaid'],
    ['paused', 'paused', 'paused'],
    ['canceled', 'canceled', 'canceled'],
    ['hibernating', 'hibernating', 'hibernating'],
  ])('makes %s %s when its payment failed, %s when it is paid', (before, ...after) => {
    for (const [index, type] of PAYMENTS.entries()) {
      expect(standing([told(before), invoice(type, START + 1)])?.status).toBe(after[index]);
    }
  });

  it.each([
    ['of the same second', START],
    ['of an earlier second', START - 1],
  ])('%s changes nothing', (_, at) => {
    for (const status of ['active', 'past_due']) {
      for (const type of PAYMENTS) {
        expect(standing([invoice(type, at), told(status)])?.status).toBe(status);
      }
    }
  });

  it('that is paid comes after an unpaid one of the same second', () => {
    const both = PAYMENTS.map((type) => invoice(type, START + 1));
    for (const order of permutations([told('active'), ...both])) {
      expect(standing(order)?.status).toBe('active');
    }
  });

  it('is ignored when nothing is known about its subscription', () => {
    expect(standing([invoice('paid', START)])).toBeNull();
  });

  it('dates a late payment even after the events around it are dropped', () => {
    const failedAt = START + 10;
    const payments = [{ at: failedAt, isPaid: false }];
    const events = [told('active'), ...Array.from({ length: 50 }, (_, n) => lateAt(failedAt + n))];
    const kept = events
      .map(snapshot)
      .reduce<Snapshot[]>((snapshots, one) => addSnapshot(snapshots, one, payments), []);
    expect(kept.length).toBeLessThan(50);
    expect(standingOf(kept, payments)?.pastDueSince).toBe(failedAt);
  });

  const lateAt = (at: number) => updated({ status: 'past_due' }, undefined, at + 1);
});
