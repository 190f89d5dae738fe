import { describe, expect, it } from 'vitest';

import {
  askLlm,
  finished,
  LLM_KEY,
  openLlm,
  reasoning,
  said,
  text,
} from '#test/support/ask-llm.ts';
import {
  answersText,
  chunkEvent,
  DONE,
  END_EVENTS,
  endEvents,
  KEEP_ALIVE,
  plays,
  playsAndHangs,
  playsBytes,
  playsEndlessly,
  reasoningEvent,
  startScriptedLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';

describe('the stream of a language model', () => {
  it('yields text, and the model receives the messages, the temperature and the key', async () => {
    await using llm = await startScriptedLlm(answersText('Hello', ' you'));
    expect(await askLlm(llm)).toEqual({
      parts: [text('Hello'), text(' you'), finished()],
      failure: null,
    });
    expect(llm.calls).toEqual([
      {
        authorization: `Bearer ${LLM_KEY}`,
        body: {
          model: 'm',
          temperature: 0.3,
          stream: true,
          stream_options: { include_usage: true },
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hi' },
          ],
        },
      },
    ]);
  });

  it('sends only the settings that were given', async () => {
    await using llm = await startScriptedLlm(answersText('Hello'));
    await askLlm(llm, { temperature: null }, { apiKey: null });
    expect(llm.calls[0]?.body).not.toHaveProperty('temperature');
    expect(llm.calls[0]?.body).not.toHaveProperty('max_tokens');
    expect(llm.calls[0]?.authorization).toBeUndefined();
    await askLlm(llm, { maxOutputTokens: 50 });
    expect(llm.calls[1]?.body).toMatchObject({ max_tokens: 50 });
  });

  it.each(['reasoning_content', 'reasoning'])(
    'separates reasoning in `%s` from text',
    async (name) => {
      await using llm = await startScriptedLlm(
        plays(chunkEvent({ [name]: 'Hm' }), textEvent('Yes'), END_EVENTS),
      );
      expect((await askLlm(llm)).parts).toEqual([reasoning('Hm'), text('Yes'), finished()]);
    },
  );

  it('ends with the usage counted by the provider', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 30,
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    await using llm = await startScriptedLlm(plays(textEvent('Yes'), endEvents('stop', usage)));
    expect((await askLlm(llm)).parts.at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 12, outputTokens: 30, reasoningTokens: 8 },
    });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'other'],
    ['eos_token', 'other'],
  ] as const)('reports the finish reason `%s` after some text as "%s"', async (reason, called) => {
    await using llm = await startScriptedLlm(plays(textEvent('Well'), endEvents(reason)));
    expect((await askLlm(llm)).parts).toEqual([text('Well'), finished(called)]);
  });

  it.each([1, 2, 3, 7])('arrives intact in chunks of %s bytes', async (size) => {
    const events = [reasoningEvent('Ω…'), textEvent('é😀漢'), textEvent('字'), END_EVENTS];
    await using llm = await startScriptedLlm(playsBytes(size, ...events));
    expect((await askLlm(llm)).parts).toEqual([
      reasoning('Ω…'),
      text('é😀漢'),
      text('字'),
      finished(),
    ]);
  });

  it('joins a character split across two chunks, and replaces an unfinished one', async () => {
    const half = (escaped: string): string => textEvent('~').replace('~', escaped);
    await using llm = await startScriptedLlm(
      plays(
        half(String.raw`a\ud83d`),
        half(String.raw`\ude00b\u0000`),
        half('\\ud83d'),
        END_EVENTS,
      ),
    );
    expect(said(await askLlm(llm))).toBe('a😀b\u{fffd}');
  });

  it('tolerates keep-alives, empty deltas and a placeholder chunk', async () => {
    await using llm = await startScriptedLlm(
      plays(
        KEEP_ALIVE,
        chunkEvent({ role: 'assistant', content: '' }),
        'data: {"id":"","object":"","created":0,"model":"","choices":[]}\n\n',
        KEEP_ALIVE,
        textEvent('Yes'),
        chunkEvent({ content: null }),
        END_EVENTS,
      ),
    );
    expect((await askLlm(llm)).parts).toEqual([text('Yes'), finished()]);
  });

  it('needs no [DONE] after the finish reason', async () => {
    await using llm = await startScriptedLlm(plays(textEvent('Yes'), chunkEvent({}, 'stop')));
    expect(await askLlm(llm)).toEqual({ parts: [text('Yes'), finished()], failure: null });
  });

  it.each([1, 1_000])('ends at [DONE] even if the connection stays open: %s', async (size) => {
    const events = [textEvent('data: [DONE]\ndata: [DONE]'), END_EVENTS];
    const play = playsBytes(size, ...events);
    await using llm = await startScriptedLlm((response) =>
      play(Object.assign(response, { end: () => response })),
    );
    expect((await askLlm(llm)).parts).toEqual([text('data: [DONE]\ndata: [DONE]'), finished()]);
    await expect.poll(() => llm.inProgress()).toBe(0);
  });

  it.each(['content', 'reasoning_content'])(
    'stops an endless `%s` at its limit, and disconnects from the server',
    async (name) => {
      await using llm = await startScriptedLlm(playsEndlessly(chunkEvent({ [name]: '12345678' })));
      const { parts, failure } = await askLlm(llm, {}, { maxCharacters: 1_001 });
      const written = parts.map((part) => ('text' in part ? part.text : '')).join('');
      expect(written).toBe(`${'12345678'.repeat(125)}1`);
      expect(parts.at(-1)).toEqual(finished('length'));
      expect(failure).toBeNull();
      await expect.poll(() => llm.inProgress()).toBe(0);
    },
  );

  it('is limited by the requested number of tokens', async () => {
    await using llm = await startScriptedLlm(playsEndlessly(textEvent('12345678')));
    expect(said(await askLlm(llm, { maxOutputTokens: 10 }))).toHaveLength(160);
  });

  it('stops when a server sends empty deltas forever', async () => {
    await using llm = await startScriptedLlm(playsEndlessly(chunkEvent({ content: '' })));
    const { failure } = await askLlm(llm, {}, { timings: { firstTokenMs: 60 } });
    expect(failure).toMatchObject({ errorCode: 'CONNECTION_ERROR', isRetryable: true });
    await expect.poll(() => llm.inProgress()).toBe(0);
  });

  it('stops an endless line before it exhausts memory', async () => {
    const piece = 'x'.repeat(100_000);
    await using llm = await startScriptedLlm(playsEndlessly(piece));
    const { failure } = await askLlm(llm, {}, { maxAnswerBytes: 1_000_000 });
    expect(failure?.message).toBe(
      'The language model m failed: the answer is larger than 1000000 bytes',
    );
  });

  it('limits the wait for the first and each next token, despite keep-alives', async () => {
    await using silent = await startScriptedLlm(() => undefined);
    const first = await askLlm(silent, {}, { timings: { firstTokenMs: 1_000 } });
    expect(first.failure?.message).toBe('The language model m failed: nothing arrived for 1 s');
    expect(first.failure?.errorCode).toBe('CONNECTION_ERROR');
    expect(silent.calls).toHaveLength(1);
    await using stalled = await startScriptedLlm(
      playsAndHangs(textEvent('Hel'), KEEP_ALIVE, KEEP_ALIVE),
    );
    const next = await askLlm(stalled, {}, { timings: { betweenTokensMs: 50 } });
    expect([said(next), next.failure?.errorCode]).toEqual(['Hel', 'CONNECTION_ERROR']);
    await expect.poll(() => silent.inProgress() + stalled.inProgress()).toBe(0);
  });

  it('stops itself and the provider at once when the signal aborts before or during the answer', async () => {
    for (const script of [() => undefined, playsAndHangs(textEvent('Hel'))]) {
      await using llm = await startScriptedLlm(script);
      const leaving = new AbortController();
      const asked = askLlm(llm, { signal: leaving.signal });
      await expect.poll(() => llm.calls.length).toBe(1);
      leaving.abort(new Error('gone'));
      await expect(asked).rejects.toThrow('gone');
      await expect.poll(() => llm.closedEarly()).toBe(1);
    }
  });

  it('is not requested after an abort, nor retried when the abort comes during a pause', async () => {
    await using llm = await startScriptedLlm((response) => void response.writeHead(503).end());
    const never = AbortSignal.abort(new Error('never'));
    await expect(askLlm(llm, { signal: never })).rejects.toThrow('never');
    expect(llm.calls).toHaveLength(0);
    const leaving = new AbortController();
    const timings = { retryDelayMs: 8_000 };
    const asked = askLlm(llm, { signal: leaving.signal }, { timings });
    await expect.poll(() => [llm.calls.length, llm.inProgress()]).toEqual([1, 0]);
    leaving.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    expect(llm.calls).toHaveLength(1);
  });

  it('closes the connection when its consumer stops reading', async () => {
    await using llm = await startScriptedLlm(playsEndlessly(textEvent('more')));
    const { signal } = new AbortController();
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    for await (const part of openLlm(llm).stream({ messages, temperature: null, signal })) {
      expect(part).toEqual(text('more'));
      break;
    }
    await expect.poll(() => llm.inProgress()).toBe(0);
  });
});

describe('a stream that is not an answer', () => {
  it.each([
    ['contains only [DONE]', DONE],
    ['is not a stream', '<html>Welcome</html>'],
    ['is another kind of answer', '{"choices":[{"message":{"content":"Hello"}}]}'],
  ])('fails when it %s', async (_name, body) => {
    await using llm = await startScriptedLlm(plays(body));
    const { parts, failure } = await askLlm(llm);
    expect(parts).toEqual([]);
    expect(failure).toMatchObject({ errorCode: 'CONNECTION_ERROR', isRetryable: true });
    expect(llm.calls).toHaveLength(3);
  });

  it('fails when it is not JSON', async () => {
    await using llm = await startScriptedLlm(plays(textEvent('Hel'), 'data: {"choices\n\n'));
    const outcome = await askLlm(llm);
    expect(said(outcome)).toBe('Hel');
    expect(outcome.failure).toMatchObject({ errorCode: 'API_ERROR', isRetryable: true });
  });
});
