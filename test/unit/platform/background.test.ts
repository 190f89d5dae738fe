import { expect, it, onTestFinished, vi } from 'vitest';
import { createBackground } from '#src/platform/background.ts';

/** Timers of Node go on; those of the work are the test's. */
function stage() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const order: string[] = [];
  let isIdle = false;
  const inBackground = createBackground(() => (isIdle ? 1_000 : 0));
  const run = (name: string) => inBackground(async () => void order.push(name));
  return { order, run, setIdle: (value: boolean) => void (isIdle = value) };
}

it('starts when the database has become idle', async () => {
  const { order, run, setIdle } = stage();
  const done = run('work');
  await vi.advanceTimersByTimeAsync(50);
  expect(order).toEqual([]);
  setIdle(true);
  await vi.advanceTimersByTimeAsync(50);
  await done;
  expect(order).toEqual(['work']);
});

it('starts after a quarter of a second, however busy the database is', async () => {
  const { order, run } = stage();
  const done = run('work');
  await vi.advanceTimersByTimeAsync(300);
  await done;
  expect(order).toEqual(['work']);
});

it('runs one piece after the other, also when one fails', async () => {
  const inBackground = createBackground(() => 1_000);
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const failed = inBackground(() => first.promise);
  const second = inBackground(async () => void order.push('second'));
  await Promise.resolve();
  expect(order).toEqual([]);
  first.reject(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  await second;
  expect(order).toEqual(['second']);
});

it('starts at once on a server', async () => {
  const inBackground = createBackground(null);
  const never = new Promise(() => undefined);
  void inBackground(() => never);
  expect(await inBackground(async () => 'second')).toBe('second');
});
