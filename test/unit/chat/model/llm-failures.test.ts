import { describe, expect, it } from 'vitest';

import { askLlm, finished, LLM_KEY, reasoning, said, text } from '#test/support/ask-llm.ts';
import {
  answerError,
  answersText,
  chunkEvent,
  END_EVENTS,
  endEvents,
  errorEvent,
  type LlmScript,
  plays,
  playsAndBreaks,
  reasoningEvent,
  refusalEvent,
  startScriptedLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';

const fails = (status: number, body: string): LlmScript => {
  return (response) => void response.writeHead(status).end(body);
};

describe('a failing provider', () => {
  it.each<[status: number, code: string, isRetryable: boolean, calls: number]>([
    [400, 'BAD_REQUEST', true, 1],
    [401, 'AUTH_ERROR', false, 1],
    [402, 'BUDGET_EXCEEDED', false, 1],
    [403, 'PERMISSION_DENIED', false, 1],
    [404, 'NOT_FOUND', false, 1],
    [408, 'CONNECTION_ERROR', true, 3],
    [409, 'BAD_REQUEST', true, 1],
    [413, 'REQUEST_TOO_LARGE', false, 1],
    [422, 'UNPROCESSABLE_ENTITY', true, 1],
    [429, 'RATE_LIMIT', true, 3],
    [500, 'API_ERROR', true, 3],
    [502, 'SERVICE_UNAVAILABLE', true, 3],
    [503, 'SERVICE_UNAVAILABLE', true, 3],
    [504, 'CONNECTION_ERROR', true, 3],
    [529, 'SERVICE_UNAVAILABLE', true, 3],
  ])(
    'that answers %i gets the code %s, retryable: %s, after %i calls',
    async (status, code, isRetryable, calls) => {
      await using llm = await startScriptedLlm(answerError(status, 'No, thank you'));
      expect((await askLlm(llm)).failure).toMatchObject({
        code: 'BAD_GATEWAY',
        message: `The language model m answered ${status}: No, thank you`,
        errorCode: code,
        isRetryable,
        details: { model: 'm', provider: 'openai-compatible' },
      });
      expect(llm.calls).toHaveLength(calls);
    },
  );

  it.each<[status: number, message: string, labels: Record<string, unknown>, code: string]>([
    [
      400,
      "This model's maximum context length is 8192 tokens.",
      { type: 'invalid_request_error', code: 'context_length_exceeded' },
      'CONTEXT_TOO_LONG',
    ],
    [400, 'the request exceeds the available context size', {}, 'CONTEXT_TOO_LONG'],
    [500, 'input is too long for the context window', {}, 'CONTEXT_TOO_LONG'],
    [413, 'Prompt is too long: 210000 tokens', {}, 'CONTEXT_TOO_LONG'],
    [
      400,
      'The response was filtered due to the prompt triggering Azure OpenAI’s content management policy.',
      { code: 'content_filter' },
      'CONTENT_POLICY',
    ],
    [403, 'Your input was flagged by moderation.', {}, 'CONTENT_POLICY'],
    [
      429,
      'You exceeded your current quota, please check your plan and billing details.',
      { type: 'insufficient_quota' },
      'BUDGET_EXCEEDED',
    ],
    [400, 'Budget has been exceeded! Current cost: 10', {}, 'BUDGET_EXCEEDED'],
    [400, 'thinking.budget_tokens must be at least 1024', {}, 'BAD_REQUEST'],
    [429, 'Rate limit reached: tokens per min, maximum context 1', {}, 'RATE_LIMIT'],
  ])('that answers %i with "%s" is classified', async (status, message, labels, code) => {
    await using llm = await startScriptedLlm(answerError(status, message, {}, labels));
    const { failure } = await askLlm(llm);
    expect(failure?.errorCode).toBe(code);
    expect(failure?.message).toContain(message.slice(0, 40));
  });

  it.each<[body: string, words: string]>([
    ['{"detail":"Model is loading"}', 'Model is loading'],
    ['{"error":"model not loaded"}', 'model not loaded'],
    ['{"object":"error","message":"Bad seed","type":"BadRequestError","code":400}', 'Bad seed'],
    ['plain words', 'plain words'],
    ['{"odd":true}', '{"odd":true}'],
    ['<html>nginx</html>', 'Bad Request'],
    ['', 'Bad Request'],
  ])('is quoted from a body like %s', async (body, words) => {
    await using llm = await startScriptedLlm(fails(400, body));
    expect((await askLlm(llm)).failure?.message).toBe(
      `The language model m answered 400: ${words}`,
    );
  });

  it('is quoted up to a length limit', async () => {
    await using llm = await startScriptedLlm(fails(400, 'x'.repeat(5_000)));
    expect((await askLlm(llm)).failure?.message).toBe(
      `The language model m answered 400: ${'x'.repeat(300)}`,
    );
  });

  it('is quoted without the key and without the prompt', async () => {
    const secret = 'The merger is called Project Nightjar.';
    await using llm = await startScriptedLlm(
      answerError(400, `Key ${LLM_KEY} sent «${secret}», which is too rude.`),
    );
    const messages = [{ role: 'user' as const, content: `Context: ${secret} What follows?` }];
    const { failure } = await askLlm(llm, { messages });
    expect(failure?.message).toBe(
      'The language model m answered 400: Key *** sent «[…]», which is too rude.',
    );
    expect(failure?.cause).toBeUndefined();
  });

  it('is retried after 429 and 500 before the first token', async () => {
    await using llm = await startScriptedLlm(
      answerError(429, 'slow down', { 'retry-after': '0' }),
      answerError(500, 'oops'),
      answersText('Hello'),
    );
    expect(said(await askLlm(llm))).toBe('Hello');
    expect(llm.calls).toHaveLength(3);
  });

  it('is given the delay it asks for', async () => {
    await using llm = await startScriptedLlm(
      answerError(429, 'slow down', { 'retry-after': '1' }),
      answersText('Hello'),
    );
    const startedAt = performance.now();
    expect(said(await askLlm(llm))).toBe('Hello');
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it('is given up at once when it asks for a long delay', async () => {
    await using llm = await startScriptedLlm(answerError(429, 'quota', { 'retry-after': '3600' }));
    expect((await askLlm(llm)).failure).toMatchObject({
      errorCode: 'RATE_LIMIT',
      retryAfterSeconds: 3600,
    });
    expect(llm.calls).toHaveLength(1);
  });

  it('is retried when the connection breaks before the first token', async () => {
    await using llm = await startScriptedLlm(
      (response) => void response.destroy(),
      playsAndBreaks(chunkEvent({ role: 'assistant' })),
      answersText('Hello'),
    );
    expect(said(await askLlm(llm))).toBe('Hello');
    expect(llm.calls).toHaveLength(3);
  });

  it('is reported when nothing listens at the address', async () => {
    const llm = await startScriptedLlm(() => undefined);
    await llm[Symbol.asyncDispose]();
    const { failure } = await askLlm(llm);
    expect(failure?.message).toMatch(/^The language model m failed: Cannot connect/);
    expect(failure).toMatchObject({ errorCode: 'CONNECTION_ERROR', isRetryable: true });
  });
});

describe('a provider that fails during its answer', () => {
  it.each<[name: string, script: LlmScript, code: string, words: RegExp]>([
    ['breaks the connection', playsAndBreaks(textEvent('Hel')), 'CONNECTION_ERROR', /other side/],
    [
      'ends without a finish reason',
      plays(textEvent('Hel')),
      'CONNECTION_ERROR',
      /without a finish/,
    ],
    [
      'reports that it is overloaded',
      plays(textEvent('Hel'), errorEvent('overloaded')),
      'SERVICE_UNAVAILABLE',
      /overloaded/,
    ],
    [
      'reports a status',
      plays(textEvent('Hel'), 'data: {"error":{"message":"slower","code":429}}\n\n'),
      'RATE_LIMIT',
      /slower/,
    ],
    [
      'reports that its context is full',
      plays(textEvent('Hel'), errorEvent('context length exceeded', 'x')),
      'CONTEXT_TOO_LONG',
      /context/,
    ],
    [
      'reports an error in its own format',
      plays(textEvent('Hel'), 'data: {"error":"CUDA out of memory"}\n\n'),
      'API_ERROR',
      /CUDA/,
    ],
    [
      'gives an error as the finish reason',
      plays(textEvent('Hel'), endEvents('error')),
      'API_ERROR',
      /ended the answer with an error/,
    ],
  ])(
    'keeps its partial answer and is not retried when it %s',
    async (_name, script, code, words) => {
      await using llm = await startScriptedLlm(script);
      const outcome = await askLlm(llm);
      expect(outcome.parts).toEqual([text('Hel')]);
      expect(outcome.failure?.errorCode).toBe(code);
      expect(outcome.failure?.message).toMatch(words);
      expect(llm.calls).toHaveLength(1);
    },
  );

  it('is not retried once it has begun to reason', async () => {
    await using llm = await startScriptedLlm(playsAndBreaks(reasoningEvent('Hm')));
    expect((await askLlm(llm)).parts).toEqual([reasoning('Hm')]);
    expect(llm.calls).toHaveLength(1);
  });
});

describe('a model that gives no answer', () => {
  it('fails with its own words when it refuses', async () => {
    await using llm = await startScriptedLlm(
      plays(refusalEvent('I cannot '), refusalEvent('help with that.'), END_EVENTS),
    );
    const { parts, failure } = await askLlm(llm);
    expect(parts).toEqual([]);
    expect(failure).toMatchObject({
      message: 'The language model m gave no answer: I cannot help with that.',
      errorCode: 'MODEL_REFUSAL',
      isRetryable: false,
      details: { model: 'm', provider: 'openai-compatible' },
    });
    expect(llm.calls).toHaveLength(1);
  });

  it('keeps its partial answer when it refuses to continue', async () => {
    await using llm = await startScriptedLlm(
      plays(textEvent('First'), refusalEvent('I cannot help with that.'), END_EVENTS),
    );
    expect((await askLlm(llm)).parts).toEqual([text('First'), finished('content-filter')]);
  });

  it('fails when a filter removed everything', async () => {
    await using llm = await startScriptedLlm(
      plays(reasoningEvent('Hm'), endEvents('content_filter')),
    );
    expect((await askLlm(llm)).failure).toMatchObject({
      message: 'The language model m gave no answer: its content filter withheld the answer',
      errorCode: 'CONTENT_POLICY',
      isRetryable: false,
    });
  });

  it('may return an empty answer', async () => {
    await using llm = await startScriptedLlm(plays(END_EVENTS));
    expect(await askLlm(llm)).toEqual({ parts: [finished()], failure: null });
    expect(llm.calls).toHaveLength(1);
  });
});
