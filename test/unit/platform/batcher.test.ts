import { expect, it } from 'vitest';
import { Batcher } from '#src/platform/batcher.ts';

const fulfilled = <T>(value: T): PromiseSettledResult<T> => ({ status: 'fulfilled', value });

/** A flush that waits for `release` and records its items. */
function slowFlush() {
  const flushes: number[][] = [];
  const releases: (() => void)[] = [];
  const flush = async (items: number[]) => {
    flushes.push(items);
    await new Promise<void>((resolve) => releases.push(resolve));
    return items.map((item) => fulfilled(item * 10));
  };
  return { flush, flushes, release: () => releases.shift()?.() };
}

/** The batcher waits one turn of the event loop before a flush; after two turns it has begun. */
const tick = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
};

it('collects everything submitted during a flush into the next one', async () => {
  const { flush, flushes, release } = slowFlush();
  const batcher = new Batcher(flush, { items: 100, size: 100 }, () => 1);
  const first = batcher.submit(1);
  await tick();
  const others = [2, 3, 4].map((item) => batcher.submit(item));
  release();
  await tick();
  expect(flushes).toEqual([[1], [2, 3, 4]]);
  release();
  expect(await Promise.all([first, ...others])).toEqual([10, 20, 30, 40]);
  await batcher.idle();
});

it('adds items submitted later in the same turn of the event loop to the first flush', async () => {
  const { flush, flushes, release } = slowFlush();
  const batcher = new Batcher(flush, { items: 100, size: 100 }, () => 1);
  const first = batcher.submit(1);
  for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
  const second = batcher.submit(2);
  await tick();
  expect(flushes).toEqual([[1, 2]]);
  release();
  expect(await Promise.all([first, second])).toEqual([10, 20]);
});

it('limits each flush by items and size, and passes an oversized item alone', async () => {
  const flushes: number[][] = [];
  const flush = async (items: number[]) => {
    flushes.push(items);
    return items.map(fulfilled);
  };
  const batcher = new Batcher(flush, { items: 3, size: 10 }, (item) => item);
  await Promise.all([4, 4, 4, 99, 1, 1, 1, 1].map((item) => batcher.submit(item)));
  expect(flushes).toEqual([[4, 4], [4], [99], [1, 1, 1], [1]]);
});

it('rejects only the item whose result is a rejection', async () => {
  const flush = async (items: number[]) =>
    items.map((item): PromiseSettledResult<number> =>
      item === 2 ? { status: 'rejected', reason: new Error('no twos') } : fulfilled(item),
    );
  const batcher = new Batcher(flush, { items: 10, size: 10 }, () => 1);
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('rejects the items of a flush that throws, then continues with the next', async () => {
  let calls = 0;
  const flush = async (items: number[]) => {
    calls += 1;
    if (calls === 1) throw new Error('database away');
    return items.map(fulfilled);
  };
  const batcher = new Batcher(flush, { items: 1, size: 10 }, () => 1);
  const results = await Promise.allSettled([batcher.submit(1), batcher.submit(2)]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
});

it('rejects an item that the flush did not settle', async () => {
  const batcher = new Batcher<number, number>(
    async () => [],
    { items: 1, size: 1 },
    () => 1,
  );
  await expect(batcher.submit(1)).rejects.toThrow('fewer items');
});

it('waits for items arriving one per turn of the event loop, and does not wait when none come', async () => {
  const flushes: number[][] = [];
  const flush = async (items: number[]) => {
    flushes.push(items);
    return items.map(fulfilled);
  };
  const batcher = new Batcher(flush, { items: 100, size: 100 }, () => 1, { gatherMs: 60_000 });
  const submitted: Promise<number>[] = [];
  for (let item = 0; item < 10; item += 1) {
    submitted.push(batcher.submit(item));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(submitted);
  expect(flushes).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});

it('does not wait forever while items keep coming', async () => {
  const sizes: number[] = [];
  const flush = async (items: number[]) => {
    sizes.push(items.length);
    return items.map(fulfilled);
  };
  const batcher = new Batcher(flush, { items: 4, size: 100 }, () => 1, { gatherMs: 60_000 });
  const submitted: Promise<number>[] = [];
  for (let item = 0; item < 8; item += 1) {
    submitted.push(batcher.submit(item));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(submitted);
  expect(Math.max(...sizes)).toBe(4);
});

it('takes from each key in turn, so that none waits for the backlog of another', async () => {
  const { flush, flushes, release } = slowFlush();
  const keyOf = (item: number): string => (item < 100 ? 'small' : 'large');
  const batcher = new Batcher(flush, { items: 3, size: 100 }, () => 1, { keyOf });
  const settled: Promise<number>[] = [];
  const submit = (...items: number[]) => items.forEach((n) => settled.push(batcher.submit(n)));
  submit(100, 101, 102, 103, 104, 105, 106, 107, 108);
  await tick();
  submit(1, 2);
  for (let flushed = 0; flushed < 4; flushed += 1) {
    release();
    await tick();
  }
  await Promise.all(settled);
  expect(flushes[0]).toEqual([100, 101, 102]);
  expect(flushes[1]).toEqual([1, 103, 2]);
  expect(flushes.flat().filter((item) => item >= 100)).toEqual(
    Array.from({ length: 9 }, (_, n) => 100 + n),
  );
});

it('shares a flush by size, not by number', async () => {
  const flushes: number[][] = [];
  const flush = async (items: number[]) => {
    flushes.push(items);
    return items.map(fulfilled);
  };
  const keyOf = (item: number): string => (item < 10 ? 'small' : 'large');
  const batcher = new Batcher(flush, { items: 100, size: 60 }, (item) => item, { keyOf });
  const items = [50, 51, 52, 53, 1, 2, 3, 4];
  await Promise.all(items.map((item) => batcher.submit(item)));
  expect(flushes[0]).toEqual([50, 1, 2, 3, 4]);
  expect(flushes.slice(1)).toEqual([[51], [52], [53]]);
});
