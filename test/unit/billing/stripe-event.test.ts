import { describe, expect, it } from 'vitest';
import { readStripeEvent } from '#src/billing/read-stripe-event.ts';
import { readChange } from '#src/billing/stripe-change.ts';
import { stripeEvent } from '#src/billing/stripe-object.ts';
import { Problem } from '#src/platform/errors.ts';
import { eventFixture, sessionFixture } from '#test/support/stripe-fixtures.ts';

const EVENT = { id: 'evt_1', type: 'invoice.paid', created: 1_700_000_000, data: { object: {} } };

describe('a signed event', () => {
  it('without a creation time was created when it was signed', () => {
    const { created: _, ...without } = EVENT;
    expect(readStripeEvent(without, 't=1700000009,v1=ab').created).toBe(1_700_000_009);
    expect(readStripeEvent(EVENT, 't=1700000009,v1=ab').created).toBe(EVENT.created);
  });

  it('with text that a database cannot store is read with a replacement character', () => {
    const event = {
      ...EVENT,
      id: 'evt_\ud800',
      data: { object: { 'a\0': 'b\udc00', '\\u0000': '' } },
    };
    const read = readStripeEvent(event, undefined);
    expect(read.id).toBe('evt_\ufffd');
    expect(JSON.stringify(read.data)).toContain('"a\ufffd":"b\ufffd"');
    expect(JSON.stringify(read.data)).toContain('"\\\\u0000":""');
  });

  it('nested thousands of levels deep is refused', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const event = { ...EVENT, data: { object: deep } };
    expect(() => readStripeEvent(event, undefined)).toThrow(Problem);
  });
});

it('a checkout whose payment failed later is unpaid, whatever its session says', () => {
  const session = sessionFixture('cs_1', { payment_status: 'paid' });
  const paidAt = (type: string) => {
    const change = readChange(stripeEvent.parse(eventFixture(type, session)));
    return change.kind === 'checkout' ? change.checkout.paidAt : 'no checkout';
  };
  expect(paidAt('checkout.session.completed')).toEqual(expect.any(Number));
  expect(paidAt('checkout.session.async_payment_failed')).toBeNull();
});
