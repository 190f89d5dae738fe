import { describe, expect, it } from 'vitest';

import { iterateWithin, StreamTimeout } from '#src/chat/model/iterate-within.ts';

interface Item {
  value: number;
  counts: boolean;
}

/** Items after pauses of that many milliseconds; then it hangs, unless `ends` is set. */
async function* source(
  items: readonly { afterMs?: number; counts?: boolean }[],
  ends = true,
): AsyncGenerator<Item, void> {
  for (const [value, { afterMs, counts = true }] of items.entries()) {
    if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs));
    yield { value, counts };
  }
  if (!ends) await new Promise(() => undefined);
}

async function take(
  items: AsyncIterable<Item>,
  deadlines: { firstMs?: number; nextMs?: number; signal?: AbortSignal } = {},
  onItem: () => Promise<void> = async () => undefined,
): Promise<{ values: number[]; error: unknown }> {
  const values: number[] = [];
  const { signal } = new AbortController();
  const within = { firstMs: 60_000, nextMs: 60_000, signal, ...deadlines };
  try {
    for await (const { value } of iterateWithin(items, {
      ...within,
      counts: (item) => item.counts,
    })) {
      values.push(value);
      await onItem();
    }
    return { values, error: null };
  } catch (error) {
    return { values, error };
  }
}

describe('a stream with deadlines', () => {
  it('passes on everything that arrives in time', async () => {
    const items = Array.from({ length: 100 }, () => ({}));
    const { values, error } = await take(source(items));
    expect([values.length, values.at(-1), error]).toEqual([100, 99, null]);
  });

  it('limits the wait for the first item and for each next one', async () => {
    const first = await take(source([], false), { firstMs: 20 });
    expect(first.error).toEqual(new StreamTimeout('nothing arrived for 0.02 s'));
    const next = await take(source([{}, {}], false), { nextMs: 30 });
    expect(next.values).toEqual([0, 1]);
    expect(next.error).toEqual(new StreamTimeout('nothing arrived for 0.03 s'));
  });

  it('does not count keep-alives as progress', async () => {
    const keepAlives = Array.from({ length: 1_000 }, () => ({ afterMs: 5, counts: false }));
    const { values, error } = await take(source([{}, ...keepAlives]), { nextMs: 60 });
    expect(error).toBeInstanceOf(StreamTimeout);
    expect(values.length).toBeLessThan(100);
  });

  it('does not count the time its consumer takes', async () => {
    const slowly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));
    const items = [{}, { counts: false }, {}];
    const { values, error } = await take(source(items), { firstMs: 20, nextMs: 20 }, slowly);
    expect([values, error]).toEqual([[0, 1, 2], null]);
  });

  it('rejects with the reason of the signal, before the source starts or while it hangs', async () => {
    const gone = new Error('gone');
    expect(await take(source([{}]), { signal: AbortSignal.abort(gone) })).toEqual({
      values: [],
      error: gone,
    });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(gone), 10);
    expect(await take(source([{}], false), { signal: leaving.signal })).toEqual({
      values: [0],
      error: gone,
    });
  });

  it('ends the source when its consumer stops', async () => {
    let isEnded = false;
    async function* endless(): AsyncGenerator<number, void> {
      try {
        for (let value = 0; ; value += 1) yield value;
      } finally {
        isEnded = true;
      }
    }
    const { signal } = new AbortController();
    const within = { firstMs: 1_000, nextMs: 1_000, counts: () => true, signal };
    for await (const value of iterateWithin(endless(), within)) if (value === 3) break;
    await expect.poll(() => isEnded).toBe(true);
  });
});
