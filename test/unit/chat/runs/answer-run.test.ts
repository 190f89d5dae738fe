import { describe, expect, it } from 'vitest';

import { Problem } from '#src/platform/errors.ts';
import { packetAt, type StreamLine } from '#src/chat/wire/packets.ts';
import { type AnswerLines, AnswerRun, type AnswerRunOptions } from '#src/chat/runs/answer-run.ts';
import type { ChatSessionId } from '#src/ids.ts';

const line = (content: string): StreamLine => packetAt(0, { type: 'message_delta', content });
// Ids get their brand where rows are created; no row is created here.
const STOP = packetAt(0, { type: 'stop', stop_reason: null });
const SUMMARY = { chat_session_id: 's' as ChatSessionId, tool_calls: [] };
const ALWAYS = new AbortController().signal;

interface Script {
  run: AnswerRun;
  /** How many lines were requested. */
  drawn: () => number;
  ended: () => string;
}

const describeFailure = (error: unknown): Problem =>
  new Problem('SERVICE_UNAVAILABLE', error instanceof Error ? error.message : 'Nobody came back.');

/** The last line of an interrupted answer. */
const broken = (message: string): unknown => ({
  placement: expect.anything() as unknown,
  obj: expect.objectContaining({ type: 'error', message }) as unknown,
});

function script(
  count: number,
  wait: Promise<void> = Promise.resolve(),
  untilAbandoned: AnswerRunOptions['untilAbandoned'] = null,
): Script {
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
      yield STOP;
      ended = 'complete';
      return SUMMARY;
    } finally {
      ended ||= 'early';
    }
  }
  const run = new AnswerRun(lines(), {
    abandoned: SUMMARY,
    abandon: () => abandoned.reject(new Error('abandoned')),
    untilAbandoned,
    describeFailure,
  });
  return { run, drawn: () => drawn, ended: () => ended };
}

describe('a run', () => {
  it('is pulled by its readers, no faster than they read', async () => {
    const { run, drawn, ended } = script(3);
    const reader = run.follow(0, ALWAYS);
    await reader.next();
    expect(drawn()).toBe(1);
    expect(await Array.fromAsync(reader)).toHaveLength(3);
    expect(ended()).toBe('complete');
    expect(run.isOver).toBe(true);
  });

  it('gives each reader the lines from its own cursor once', async () => {
    const { run, drawn } = script(4);
    const readers = [0, 2, 5, 9].map((cursor) => run.follow(cursor, ALWAYS));
    const read = await Promise.all(readers.map((reader) => Array.fromAsync(reader)));
    expect(read.map((lines) => lines.length)).toEqual([5, 3, 1, 1]);
    expect(read[1]).toEqual([line('2'), line('3'), STOP]);
    // A reader at or beyond the end is told how the run ended.
    expect(read.slice(2)).toEqual([[STOP], [STOP]]);
    expect(drawn()).toBe(4);
  });

  it('can be followed after its end', async () => {
    const { run } = script(2);
    await Array.fromAsync(run.follow(0, ALWAYS));
    expect(await Array.fromAsync(run.follow(1, ALWAYS))).toEqual([line('1'), STOP]);
    expect(await Array.fromAsync(run.follow(7, ALWAYS))).toEqual([STOP]);
  });

  it('continues while one reader is left, and ends when the last one leaves', async () => {
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

  it('ends when its reader leaves while waiting for the next line', async () => {
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

  it('that was abandoned can still be read as far as it got', async () => {
    const { run } = script(10);
    const reader = run.follow(0, ALWAYS);
    await reader.next();
    await reader.return(SUMMARY);
    expect(await Array.fromAsync(run.follow(0, ALWAYS))).toEqual([
      line('0'),
      broken('Nobody came back.'),
    ]);
  });

  it('throws the error of the answer', async () => {
    const run = new AnswerRun(
      (async function* failing(): AnswerLines {
        await Promise.reject(new Error('no model'));
        yield line('never');
        return SUMMARY;
      })(),
      { abandoned: SUMMARY, abandon: () => undefined, untilAbandoned: null, describeFailure },
    );
    await expect(run.follow(0, ALWAYS).next()).rejects.toThrow('no model');
  });

  it('that fails after its first line ends with an error for every reader', async () => {
    const run = new AnswerRun(
      (async function* failing(): AnswerLines {
        yield line('0');
        await Promise.reject(new Error('not saved'));
        return SUMMARY;
      })(),
      { abandoned: SUMMARY, abandon: () => undefined, untilAbandoned: null, describeFailure },
    );
    for (const cursor of [0, 0])
      expect(await Array.fromAsync(run.follow(cursor, ALWAYS))).toEqual([
        line('0'),
        broken('not saved'),
      ]);
    expect(await Array.fromAsync(run.follow(5, ALWAYS))).toEqual([broken('not saved')]);
  });
});

describe('a run without readers', () => {
  /** A grace period for readers to come back, which the test ends. */
  function absence() {
    const time = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const untilAbandoned = (signal: AbortSignal): Promise<void> => {
      signals.push(signal);
      const back = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => back.reject(new Error('back')));
      return Promise.race([time.promise, back.promise]);
    };
    return { untilAbandoned, signals, pass: time.resolve, fail: time.reject };
  }

  it('continues, and is complete when a reader comes back', async () => {
    const { untilAbandoned, signals } = absence();
    const { run, ended } = script(50, Promise.resolve(), untilAbandoned);
    const reader = run.follow(0, ALWAYS);
    await reader.next();
    await reader.return(SUMMARY);
    await run.over;
    expect(ended()).toBe('complete');
    expect(await Array.fromAsync(run.follow(49, ALWAYS))).toEqual([line('49'), STOP]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is followed live by readers that come back in time, however often', async () => {
    const { untilAbandoned, signals } = absence();
    const gate = Promise.withResolvers<void>();
    const { run, ended } = script(3, gate.promise, untilAbandoned);
    for (let round = 0; round < 3; round += 1) {
      const reader = run.follow(0, ALWAYS);
      await reader.next();
      await reader.return(SUMMARY);
    }
    const last = Array.fromAsync(run.follow(1, ALWAYS));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    gate.resolve();
    expect(await last).toEqual([line('1'), line('2'), STOP]);
    expect(ended()).toBe('complete');
  });

  it.each(['pass', 'fail'] as const)(
    'ends when nobody comes back in time, and tells late readers (%s)',
    async (how) => {
      const wait = absence();
      const never = Promise.withResolvers<void>();
      const { run, ended } = script(3, never.promise, wait.untilAbandoned);
      const reader = run.follow(0, ALWAYS);
      await reader.next();
      await reader.return(SUMMARY);
      expect([ended(), run.isOver]).toEqual(['', false]);
      if (how === 'pass') wait.pass();
      else wait.fail(new Error('The database is away.'));
      await run.over;
      expect(ended()).toBe('early');
      for (const cursor of [0, 1, 8]) {
        const lines = await Array.fromAsync(run.follow(cursor, ALWAYS));
        expect(lines.at(-1)).toEqual(broken('Nobody came back.'));
      }
    },
  );
});
