import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineQueue, parseJobData, UnreadableJob } from '#queues/queue.ts';

const queue = defineQueue({
  name: 'row-work',
  payload: z.object({ row: z.int(), secret: z.string() }),
});

describe('defineQueue', () => {
  it.each(['Row-Work', 'row:work', '12', 'row--work', '-row', '', 'r'.repeat(51)])(
    'refuses the name "%s"',
    (name) => {
      expect(() => defineQueue({ name, payload: z.object({}) })).toThrow(/not usable/);
    },
  );

  it('gives a queue default limits', () => {
    expect(queue).toMatchObject({
      attempts: 3,
      concurrency: 1,
      timeoutMs: 60_000,
      key: null,
      everyMs: null,
    });
  });
});

describe('parseJobData', () => {
  it('names the invalid field and never its value', () => {
    const data = { payload: { row: 'x-secret-x', secret: 5 }, requestId: null };
    expect(() => parseJobData(queue, data)).toThrow(UnreadableJob);
    expect(() => parseJobData(queue, data)).toThrow(/row-work.*row: .*secret: /);
    expect(() => parseJobData(queue, data)).not.toThrow(/x-secret-x/);
  });

  it.each([null, 'text', {}, { payload: null }, { row: 1, secret: 's' }, [1]])(
    'refuses data that is not an envelope: %j',
    (data) => {
      expect(() => parseJobData(queue, data)).toThrow(UnreadableJob);
    },
  );

  it('reads an envelope without a request id', () => {
    expect(parseJobData(queue, { payload: { row: 1, secret: 's' } })).toEqual({
      payload: { row: 1, secret: 's' },
      requestId: null,
    });
  });
});
