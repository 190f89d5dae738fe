import { describe, expect, it } from 'vitest';

import type { ChatModelPart } from '#src/chat/chat-model.ts';
import { createChatModel, type ChatModelTimings } from '#src/chat/llm.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  answerError,
  chunkEvent,
  END_EVENTS,
  startEvents,
  startScriptedLlm,
  type ScriptedLlm,
} from '#test/support/scripted-llm.ts';

const KEY = 'sk-very-secret';
const QUICK: Partial<ChatModelTimings> = { retryDelayMs: 1 };

const plain =
  (...texts: string[]) =>
  (response: Parameters<typeof startEvents>[0]): void => {
    startEvents(response);
    for (const content of texts) response.write(chunkEvent({ content }));
    response.end(END_EVENTS);
  };

interface Outcome {
  parts: ChatModelPart[];
  problem: Problem | null;
}

async function ask(
  llm: ScriptedLlm,
  timings: Partial<ChatModelTimings> = QUICK,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const model = createChatModel({ baseUrl: llm.baseUrl, apiKey: KEY, model: 'm', timings });
  const parts: ChatModelPart[] = [];
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Hi' },
  ];
  try {
    for await (const part of model.stream({ messages, temperature: 0.3, signal })) parts.push(part);
    return { parts, problem: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { parts, problem: error };
  }
}

const said = ({ parts }: Outcome): string => parts.map(({ text }) => text).join('');

describe('a language model over HTTP', () => {
  it('streams its text and is sent the messages, the temperature and the key', async () => {
    await using llm = await startScriptedLlm(plain('Hello', ' you'));
    expect(await ask(llm)).toEqual({
      parts: [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: ' you' },
      ],
      problem: null,
    });
    expect(llm.calls).toEqual([
      {
        authorization: `Bearer ${KEY}`,
        body: expect.objectContaining({
          model: 'm',
          temperature: 0.3,
          stream: true,
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hi' },
          ],
        }) as unknown,
      },
    ]);
  });

  it('tells reasoning from text', async () => {
    await using llm = await startScriptedLlm((response) => {
      startEvents(response);
      response.write(chunkEvent({ reasoning_content: 'Hm' }));
      response.end(chunkEvent({ content: 'Yes' }) + END_EVENTS);
    });
    expect((await ask(llm)).parts).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Yes' },
    ]);
  });

  it('reads a stream that arrives one byte at a time', async () => {
    await using llm = await startScriptedLlm(async (response) => {
      startEvents(response);
      response.socket?.setNoDelay(true);
      for (const byte of Buffer.from(chunkEvent({ content: 'é😀' }) + END_EVENTS)) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(said(await ask(llm))).toBe('é😀');
  });

  it('gives up at once on a rejected key, in the words of the provider but without the key', async () => {
    await using llm = await startScriptedLlm(
      answerError(401, `Incorrect API key provided: ${KEY}`),
    );
    const { problem } = await ask(llm);
    expect(problem).toMatchObject({ code: 'BAD_GATEWAY', retryAfterSeconds: null });
    expect(problem?.message).toBe(
      'The language model m answered 401: Incorrect API key provided: ***',
    );
    expect(llm.calls).toHaveLength(1);
  });

  it('tries again after 429 and 500 before the first token', async () => {
    await using llm = await startScriptedLlm(
      answerError(429, 'slow down', { 'retry-after': '0' }),
      answerError(500, 'oops'),
      plain('Hello'),
    );
    expect(said(await ask(llm))).toBe('Hello');
    expect(llm.calls).toHaveLength(3);
  });

  it('fails after two retries, and at once when it is asked to wait too long', async () => {
    await using broken = await startScriptedLlm((response) => {
      response.writeHead(503).end('overloaded');
    });
    expect((await ask(broken)).problem?.message).toBe(
      'The language model m answered 503: overloaded',
    );
    expect(broken.calls).toHaveLength(3);
    await using busy = await startScriptedLlm(answerError(429, 'quota', { 'retry-after': '3600' }));
    expect((await ask(busy)).problem).toMatchObject({ retryAfterSeconds: 3600 });
    expect(busy.calls).toHaveLength(1);
  });

  it.each([
    [
      'cut off',
      (response: Parameters<typeof startEvents>[0]) => setTimeout(() => response.destroy(), 20),
    ],
    [
      'ended without a finish reason',
      (response: Parameters<typeof startEvents>[0]) => response.end(),
    ],
    [
      'broken by an error event',
      (response: Parameters<typeof startEvents>[0]) =>
        response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'),
    ],
  ])('is never asked again once it has begun to speak: %s', async (_name, finish) => {
    await using llm = await startScriptedLlm((response) => {
      startEvents(response);
      response.write(chunkEvent({ content: 'Hel' }));
      finish(response);
    });
    const outcome = await ask(llm);
    expect(said(outcome)).toBe('Hel');
    expect(outcome.problem?.code).toBe('BAD_GATEWAY');
    expect(llm.calls).toHaveLength(1);
  });

  it('waits for the first token and for the next one only so long', async () => {
    await using silent = await startScriptedLlm(() => undefined);
    const { problem } = await ask(silent, { ...QUICK, firstTokenMs: 50 });
    expect(problem?.message).toBe('The language model m failed: nothing arrived for 0.05 s');
    expect(silent.calls).toHaveLength(1);
    await using stalled = await startScriptedLlm((response) => {
      startEvents(response);
      response.write(chunkEvent({ content: 'Hel' }));
    });
    const outcome = await ask(stalled, { ...QUICK, betweenTokensMs: 50 });
    expect([said(outcome), outcome.problem?.code]).toEqual(['Hel', 'BAD_GATEWAY']);
  });

  it('stops at once, and stops the provider, when the signal aborts', async () => {
    await using llm = await startScriptedLlm(() => undefined);
    const leaving = new AbortController();
    const asked = ask(llm, QUICK, leaving.signal);
    while (llm.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    while (llm.closedEarly() === 0) await new Promise((resolve) => setImmediate(resolve));
    await expect(ask(llm, QUICK, AbortSignal.abort(new Error('never')))).rejects.toThrow('never');
    expect(llm.calls).toHaveLength(1);
  });

  it('names the failure when nobody listens at the address', async () => {
    const llm = await startScriptedLlm(() => undefined);
    await llm[Symbol.asyncDispose]();
    const { problem } = await ask(llm);
    expect(problem?.message).toMatch(/^The language model m failed: Cannot connect/);
  });
});
