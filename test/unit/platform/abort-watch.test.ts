import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';

import { AbortWatch } from '#src/platform/deadline.ts';

it('waits for one promise after another with one listener', async () => {
  const { signal } = new AbortController();
  {
    using watch = new AbortWatch(signal);
    for (const value of [1, 2, 3]) expect(await watch.waitFor(Promise.resolve(value))).toBe(value);
    await expect(watch.waitFor(Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('ends the current wait, and every later one, when the signal is aborted', async () => {
  const controller = new AbortController();
  using watch = new AbortWatch(controller.signal);
  const waiting = watch.waitFor(Promise.withResolvers().promise);
  controller.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  await expect(watch.waitFor(Promise.resolve(1))).rejects.toThrow('left');
});
