import { describe, expect, it } from 'vitest';
import { createFairOrder, type FairOrder } from '#src/documents/fair-order.ts';

const SLICE = 100;

/** Gives turns of one slice to the first of those who wait, and says who had them. */
function turns(order: FairOrder<string>, waiting: readonly string[], count: number): string {
  return Array.from({ length: count }, () => {
    const [first = ''] = order.entitled(waiting);
    order.charge(first, SLICE);
    return first;
  }).join('');
}

describe('turns', () => {
  it('go round those who wait all the time', () => {
    expect(turns(createFairOrder(SLICE), ['a', 'b', 'c'], 9)).toBe('abcabcabc');
  });

  it('go next to whoever comes, however much others had before, and then round again', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['a'], 1_000);
    expect(order.entitled(['a', 'z'])).toEqual(['z']);
    expect(turns(order, ['a', 'z'], 6)).toBe('zzazaz');
  });

  it('are not saved up by whoever stays away', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['a', 'b'], 10);
    turns(order, ['a'], 1_000);
    const after = turns(order, ['a', 'b'], 20);
    expect(after.split('b').length - 1).toBeLessThanOrEqual(11);
  });

  it('are counted by what they cost', () => {
    const order = createFairOrder<string>(SLICE);
    order.charge('large', 10 * SLICE);
    order.charge('small', SLICE);
    expect(turns(order, ['large', 'small'], 9)).toBe('small'.repeat(9));
  });

  it('are shared by those who have had about the same', () => {
    const order = createFairOrder<string>(SLICE);
    turns(order, ['old'], 50);
    expect(order.entitled(['old', 'new-1', 'new-2', 'new-3'])).toEqual(['new-1', 'new-2', 'new-3']);
  });
});

it('stays fair among those who wait when it has seen more keys than it keeps', () => {
  const order = createFairOrder<string>(SLICE);
  for (let n = 0; n < 25_000; n += 1) order.charge(`visitor-${n}`, 1);
  expect(turns(order, ['a', 'b'], 4)).toBe('abab');
});
