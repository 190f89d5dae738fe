import { describe, expect, it } from 'vitest';
import { stripeEvent, stripeSubscription } from '#src/billing/stripe-object.ts';
import { type Snapshot, snapshotOf } from '#src/billing/stripe-snapshot.ts';
import { addSnapshot, orderSnapshots, pastDueSince } from '#src/billing/stripe-snapshot-order.ts';
import {
  type EventFixture,
  eventFixture,
  lifeOf,
  permutations,
  START,
  subscriptionFixture,
} from '#test/support/stripe-fixtures.ts';
import { LIVES } from '#test/support/stripe-lives.ts';

function snapshot(event: EventFixture): Snapshot {
  const made = snapshotOf(stripeEvent.parse(event), stripeSubscription.parse(event.data.object));
  if (!made) throw new Error('The fixture is no subscription.');
  return made;
}

const received = (events: readonly EventFixture[]) =>
  events.map(snapshot).reduce<Snapshot[]>((kept, one) => addSnapshot(kept, one), []);
const updated = (
  fields: Record<string, unknown>,
  previous: Record<string, unknown> | undefined,
  created = START,
) =>
  eventFixture('customer.subscription.updated', subscriptionFixture('sub_1', fields), {
    created,
    previous,
  });

describe('events of a subscription', () => {
  it.each(Object.entries(LIVES))('of %s are put in their order from any other', (_, life) => {
    const events = lifeOf('sub_1', life.base, life.steps);
    const told = ({ status, planTier, cancelAtPeriodEnd }: Snapshot) => ({
      status,
      planTier,
      cancelAtPeriodEnd,
    });
    const states = events.map((event) => told(snapshot(event)));
    expect(states.at(-1)?.status).toBe(life.end.status);
    let tried = 0;
    for (const order of permutations(events)) {
      tried += 1;
      // Two events that say the same may change places; what they say may not.
      expect(received(order).map(told)).toEqual(states);
    }
    expect(tried).toBeGreaterThan(1);
  });

  it('that come twice count once', () => {
    const events = lifeOf('sub_1', {}, [
      { kind: 'created', change: {} },
      { kind: 'updated', change: { status: 'past_due' } },
    ]);
    expect(received([...events, ...events])).toEqual(received(events));
  });

  it('that are over stay over, whatever a clock says', () => {
    const over = updated({ status: 'canceled' }, { status: 'active' }, START);
    const late = updated({ status: 'active' }, { status: 'past_due' }, START + 500);
    expect(received([over, late]).at(-1)?.status).toBe('canceled');
    expect(received([late, over]).at(-1)?.status).toBe('canceled');
  });

  it('of one second follow each other by the values that they say were there before', () => {
    const there = updated({ cancel_at_period_end: true }, { cancel_at_period_end: false });
    const back = updated({ cancel_at_period_end: false }, { cancel_at_period_end: true });
    const before = updated({ status: 'active' }, { status: 'trialing' }, START - 10);
    for (const order of permutations([before, there, back])) {
      expect(received(order).at(-1)?.cancelAtPeriodEnd).toBe(false);
    }
  });

  it('of one second that say nothing of before follow by where states lead', () => {
    const trial = updated({ status: 'trialing' }, undefined);
    const active = updated({ status: 'active' }, undefined);
    expect(received([active, trial]).at(-1)?.status).toBe('active');
    expect(received([trial, active]).at(-1)?.status).toBe('active');
  });

  it('that nothing tells apart stay as they came', () => {
    const late = updated({ status: 'past_due' }, undefined);
    const paid = updated({ status: 'active' }, undefined);
    expect(received([late, paid]).at(-1)?.status).toBe('active');
    expect(received([paid, late]).at(-1)?.status).toBe('past_due');
  });

  it('with a state that Stripe has only just invented are kept as they are', () => {
    const known = updated({ status: 'active' }, undefined);
    const unknown = updated({ status: 'hibernating' }, { status: 'active' });
    expect(received([unknown, known]).at(-1)?.status).toBe('hibernating');
  });

  it('by the dozen in one second take no time to speak of', () => {
    const many = Array.from({ length: 25 }, (_, n) =>
      snapshot(updated({ latest_invoice: `in_${n + 1}` }, { latest_invoice: `in_${n}` })),
    );
    const startedAt = performance.now();
    expect(orderSnapshots(many)).toHaveLength(25);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('late payment', () => {
  const late = (day: number, fields: Record<string, unknown> = {}) =>
    updated({ status: 'past_due', ...fields }, undefined, START + day * 86_400);

  it('counts from the first event that told of it since the last payment', () => {
    const paid = updated({ status: 'active' }, undefined, START + 86_400);
    expect(pastDueSince(received([late(0), paid, late(5), late(3)]))).toBe(START + 3 * 86_400);
    expect(pastDueSince(received([late(0), paid]))).toBeNull();
  });

  it('is not forgotten with the event that told of it', () => {
    const events = Array.from({ length: 200 }, (_, day) => late(day));
    const kept = received(events);
    expect(kept.length).toBeLessThan(50);
    expect(pastDueSince(kept)).toBe(START);
  });
});
