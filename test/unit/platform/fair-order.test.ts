import { describe, expect, it } from 'vitest';
import { createFairOrder, type FairOrder } from '#src/platform/fair-order.ts';

const SLICE = 100;

/** Gives turns of one slice to the first waiting key, and returns the keys that got them. */
function turns(order: FairOrder<string>, waiting: readonly string[], count: number): string {
  return Array.from({ length: count }, () => {
    const [first = ''] = order.next(waiting);
    order.charge(first, SLICE);
    return first;
  }).join('');
}

describe('turns in a fair order', () => {
  it('rotate among keys that always wait', () => {
    expect(turns(createFairOrder(SLICE), ['a', 'b', 'c'], 9)).toBe('abcabcabc');
  });

  it('go next to a newcomer, whatever the others had before, then rotate again', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['a'], 1_000);
    expect(order.next(['a', 'z'])).toEqual(['z']);
    expect(turns(order, ['a', 'z'], 6)).toBe('zzazaz');
  });

  it('cannot be saved up by staying away', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['a', 'b'], 10);
    turns(order, ['a'], 1_000);
    const after = turns(order, ['a', 'b'], 20);
    expect(after.split('b').length - 1).toBeLessThanOrEqual(11);
  });

  it('are charged by cost', () => {
    const order = createFairOrder<string>(SLICE);
    order.charge('large', 10 * SLICE);
    order.charge('small', SLICE);
    expect(turns(order, ['large', 'small'], 9)).toBe('small'.repeat(9));
  });

  it('are shared by keys with about the same usage', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['old'], 50);
    expect(order.next(['old', 'new-1', 'new-2', 'new-3'])).toEqual(['new-1', 'new-2', 'new-3']);
  });
});

it('stays fair among waiting keys after seeing more keys than it remembers', () => {
  const order = createFairOrder<string>(SLICE);
  for (let n = 0; n < 25_000; n += 1) order.charge(`visitor-${n}`, 1);
  expect(turns(order, ['a', 'b'], 4)).toBe('abab');
});
