import { describe, expect, it } from 'vitest';

import { frameAsEvents, frameAsLines } from '#src/chat/stream/frame-lines.ts';
import { packetAt, type StreamLine } from '#src/chat/wire/packets.ts';

const DELTA = packetAt(1, { type: 'message_delta', content: 'a\nb' });
const FAILURE = packetAt(1, {
  type: 'error',
  exception: 'No.',
  message: 'No.',
  error_code: 'BAD_GATEWAY',
  is_retryable: false,
  stack_trace: null,
  details: null,
});

async function* streamOf(...lines: StreamLine[]): AsyncGenerator<StreamLine> {
  for (const line of lines) yield line;
}

describe('framing', () => {
  it('writes server-sent events, with an error as a packet', async () => {
    const parts = await Array.fromAsync(frameAsEvents(streamOf(DELTA, FAILURE)));
    expect(parts).toEqual([
      `id: 0\ndata: ${JSON.stringify(DELTA)}\n\n`,
      `id: 1\ndata: ${JSON.stringify(FAILURE)}\n\n`,
    ]);
    expect(parts[0]?.split('\n')).toHaveLength(4);
    const later = await Array.fromAsync(frameAsEvents(streamOf(DELTA), { firstIndex: 7 }));
    expect(later[0]).toMatch(/^id: 7\n/);
  });

  it('writes bare lines, with an error without placement', async () => {
    const parts = await Array.fromAsync(frameAsLines(streamOf(DELTA, FAILURE)));
    expect(parts.map((part) => JSON.parse(part) as unknown)).toEqual([
      DELTA,
      {
        error: 'No.',
        stack_trace: null,
        error_code: 'BAD_GATEWAY',
        is_retryable: false,
        details: null,
      },
    ]);
    expect(
      parts.every((part) => part.endsWith('}\n') && part.indexOf('\n') === part.length - 1),
    ).toBe(true);
  });

  it('sends heartbeats during silence, but never before the first line', async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<StreamLine> {
      await new Promise((resolve) => setTimeout(resolve, 30));
      yield DELTA;
      await gate.promise;
      yield FAILURE;
    }
    const parts: string[] = [];
    for await (const part of frameAsEvents(slow(), { heartbeatMs: 5 })) {
      parts.push(part);
      if (parts.length === 3) gate.resolve();
    }
    expect(parts[0]).toMatch(/^id: 0\ndata: /);
    expect(parts.slice(1, 3)).toEqual([': keep-alive\n\n', ': keep-alive\n\n']);
    expect(parts.at(-1)).toMatch(/^id: 1\ndata: .*"error"/);
  });

  it('passes on a failure before the first line unchanged', async () => {
    const failing = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('not found')) }),
    };
    await expect(frameAsEvents(failing).next()).rejects.toThrow('not found');
  });
});
