import { describe, expect, it } from 'vitest';

import { packetAt, type StreamLine } from '#src/chat/packets.ts';
import { type AnswerLines, AnswerRun } from '#src/chat/runs/answer-run.ts';
import type { ChatSessionId } from '#src/ids.ts';

const line = (content: string): StreamLine => packetAt(0, { type: 'message_delta', content });
// Ids are branded where rows are made; no row is made here.
const SUMMARY = { chat_session_id: 's' as ChatSessionId, tool_calls: [] };
const ALWAYS = new AbortController().signal;

interface Script {
  run: AnswerRun;
  /** How many lines were asked for. */
  drawn: () => number;
  ended: () => string;
}

function script(count: number, wait: Promise<void> = Promise.resolve()): Script {
  let drawn = 0;
  let ended = '';
  const abandoned = Promise.withResolvers<never>();
  abandoned.promise.catch(() => undefined);
  async function* lines(): AnswerLines {
    try {
      for (let index = 0; index < count; index += 1) {
        drawn += 1;
        if (index > 0) await Promise.race([wait, abandoned.promise]);
        yield line(String(index));
      }
      ended = 'complete';
      return SUMMARY;
    } finally {
      ended ||= 'early';
    }
  }
  const run = new AnswerRun(lines(), SUMMARY, () => abandoned.reject(new Error('abandoned')));
  return { run, drawn: () => drawn, ended: () => ended };
}

describe('a run', () => {
  it('is drawn by its readers, no faster than they read', async () => {
    const { run, drawn, ended } = script(3);
    const reader = run.follow(0, ALWAYS);
    await reader.next();
    expect(drawn()).toBe(1);
    expect(await Array.fromAsync(reader)).toHaveLength(2);
    expect(ended()).toBe('complete');
    expect(run.isOver).toBe(true);
  });

  it('gives each reader the lines from its own cursor, once', async () => {
    const { run, drawn } = script(4);
    const readers = [0, 2, 4].map((cursor) => run.follow(cursor, ALWAYS));
    const read = await Promise.all(readers.map((reader) => Array.fromAsync(reader)));
    expect(read.map((lines) => lines.length)).toEqual([4, 2, 0]);
    expect(read[1]).toEqual([line('2'), line('3')]);
    expect(drawn()).toBe(4);
  });

  it('is followed after its end, too', async () => {
    const { run } = script(2);
    await Array.fromAsync(run.follow(0, ALWAYS));
    expect(await Array.fromAsync(run.follow(1, ALWAYS))).toEqual([line('1')]);
  });

  it('goes on while one reader is left, and ends when the last leaves', async () => {
    const { run, ended } = script(10);
    const [first, second] = [run.follow(0, ALWAYS), run.follow(0, ALWAYS)];
    await first.next();
    await second.next();
    await first.return(SUMMARY);
    expect(ended()).toBe('');
    await second.next();
    await second.return(SUMMARY);
    expect(ended()).toBe('early');
  });

  it('ends when its reader goes away while the next line is awaited', async () => {
    const never = Promise.withResolvers<void>();
    const { run, ended } = script(2, never.promise);
    const leaving = new AbortController();
    const reader = run.follow(0, leaving.signal);
    await reader.next();
    const next = reader.next();
    leaving.abort(new Error('gone'));
    await expect(next).rejects.toThrow('gone');
    expect(ended()).toBe('early');
    expect(run.isOver).toBe(true);
  });

  it('that was left can still be read as far as it went', async () => {
    const { run } = script(10);
    const reader = run.follow(0, ALWAYS);
    await reader.next();
    await reader.return(SUMMARY);
    expect(await Array.fromAsync(run.follow(0, ALWAYS))).toEqual([line('0')]);
  });

  it('throws what the answer throws', async () => {
    const run = new AnswerRun(
      (async function* failing(): AnswerLines {
        await Promise.reject(new Error('no model'));
        yield line('never');
        return SUMMARY;
      })(),
      SUMMARY,
      () => undefined,
    );
    await expect(run.follow(0, ALWAYS).next()).rejects.toThrow('no model');
  });
});
