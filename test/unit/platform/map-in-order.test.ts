import { expect, it } from 'vitest';
import { mapInOrder } from '#src/platform/map-in-order.ts';

async function* count(to: number, onRead: (n: number) => void = () => undefined) {
  for (let n = 0; n < to; n += 1) {
    onRead(n);
    yield n;
  }
}

async function collect<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
}

const later = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

it('keeps the order of the items, whatever order the work finishes in', async () => {
  const results = mapInOrder(count(20), 5, async (n) => {
    await later((20 - n) % 7);
    return n;
  });
  expect(await collect(results)).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

it('yields a result while the source still waits for its next item', async () => {
  const gate = Promise.withResolvers<void>();
  async function* slow() {
    yield 1;
    await gate.promise;
    yield 2;
  }
  const results = mapInOrder(slow(), 10, async (n) => n);
  expect((await results.next()).value).toBe(1);
  gate.resolve();
  expect((await results.next()).value).toBe(2);
  expect((await results.next()).done).toBe(true);
});

it('reads no further than the limit while no results are taken', async () => {
  let read = 0;
  const source = count(100, (n) => (read = n));
  const results = mapInOrder(source, 4, async (n) => n);
  await results.next();
  await later(5);
  expect(read).toBeLessThanOrEqual(5);
  await results.return();
});

it('throws the error of the source after the results already started', async () => {
  async function* broken() {
    yield 1;
    yield 2;
    throw new Error('cut off');
  }
  const seen: number[] = [];
  const drain = async () => {
    for await (const n of mapInOrder(broken(), 10, async (one) => one)) seen.push(n);
  };
  await expect(drain()).rejects.toThrow('cut off');
  expect(seen).toEqual([1, 2]);
});

it('closes the source when the consumer stops early', async () => {
  let closed = false;
  async function* source() {
    try {
      for (let n = 0; ; n += 1) yield n;
    } finally {
      closed = true;
    }
  }
  for await (const n of mapInOrder(source(), 3, async (one) => one)) {
    if (n === 1) break;
  }
  expect(closed).toBe(true);
});

it('drops the item that was read and not worked on when the consumer stops early', async () => {
  const [worked, dropped]: [number[], number[]] = [[], []];
  const work = async (n: number) => worked.push(n);
  for await (const taken of mapInOrder(count(10), 3, work, (n) => void dropped.push(n))) {
    if (taken === 2) break;
  }
  expect(dropped).toHaveLength(1);
  expect([...worked, ...dropped]).toEqual(Array.from({ length: worked.length + 1 }, (_, n) => n));
});

it('drops nothing when everything was worked on', async () => {
  const dropped: number[] = [];
  const results = mapInOrder(
    count(5),
    3,
    async (n) => n,
    (n) => void dropped.push(n),
  );
  expect(await collect(results)).toHaveLength(5);
  expect(dropped).toEqual([]);
});
