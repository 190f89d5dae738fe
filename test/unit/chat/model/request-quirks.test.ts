import { describe, expect, it } from 'vitest';

import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';
import { askLlm, finished, openLlm, said } from '#test/support/ask-llm.ts';
import {
  answerError,
  answersText,
  endEvents,
  type LlmRequestBody,
  type LlmScript,
  plays,
  reasoningEvent,
  startLlm,
  startScriptedLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';

const user: ChatModelMessage = { role: 'user', content: 'Hi' };

type Model = ReturnType<typeof openLlm>;

async function answerOf(
  model: Model,
  request: {
    messages?: readonly ChatModelMessage[];
    temperature?: number;
    maxOutputTokens?: number;
  },
): Promise<string> {
  const { signal } = new AbortController();
  const asked = { messages: [user], temperature: null, signal, ...request };
  let words = '';
  for await (const part of model.stream(asked)) if (part.type === 'text') words += part.text;
  return words;
}

describe('a setting that a model refuses', () => {
  const refuses = (name: string, message: string) => (body: LlmRequestBody) =>
    body[name] === undefined ? answersText('Yes') : answerError(400, message, {}, { param: name });

  it.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0.2 with this model."],
    ['max_tokens', 'Unrecognized request argument supplied: max_tokens'],
    ['stream_options', "Extra inputs are not permitted, field: 'stream_options'"],
  ])('is omitted once it has been refused: %s', async (name, message) => {
    await using llm = await startLlm(refuses(name, message));
    const model = openLlm(llm);
    for (const calls of [2, 3, 4]) {
      expect(await answerOf(model, { temperature: 0.2, maxOutputTokens: 50 })).toBe('Yes');
      expect(llm.calls).toHaveLength(calls);
    }
    const names = Object.keys(llm.calls.at(-1)?.body ?? {});
    expect(names).not.toContain(name);
    expect(names.length).toBe(Object.keys(llm.calls[0]?.body ?? {}).length - 1);
  });

  it('costs one request, even when several are refused in turn or requests run concurrently', async () => {
    const message = "'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    await using llm = await startLlm((body) =>
      body['temperature'] === undefined
        ? refuses('max_tokens', message)(body)
        : refuses('temperature', 'invalid temperature')(body),
    );
    const model = openLlm(llm);
    const request = { temperature: 0.2, maxOutputTokens: 50 };
    expect(await answerOf(model, request)).toBe('Yes');
    expect(llm.calls).toHaveLength(3);
    const answers = await Promise.all([1, 2, 3].map(() => answerOf(model, request)));
    expect(answers).toEqual(['Yes', 'Yes', 'Yes']);
    expect(llm.calls).toHaveLength(6);
    expect(llm.calls.at(-1)?.body).toMatchObject({ max_completion_tokens: 50 });
    // Another model of the same server has its own quirks.
    await answerOf(openLlm(llm, { model: 'other' }), request);
    expect(llm.calls).toHaveLength(9);
  });

  it('is sent again when only its value was out of range', async () => {
    await using llm = await startLlm((body) =>
      Number(body['temperature'] ?? 0) > 1
        ? answerError(400, 'temperature must be between 0 and 1')
        : answersText('Yes'),
    );
    const model = openLlm(llm);
    expect(await answerOf(model, { temperature: 1.7 })).toBe('Yes');
    expect(await answerOf(model, { temperature: 0.4 })).toBe('Yes');
    expect(llm.calls.map(({ body }) => body['temperature'])).toEqual([1.7, undefined, 0.4]);
  });

  it('is kept when it did not cause the error', async () => {
    let isBroken = true;
    const message = 'You sent «What temperature is it?» with an image that is broken.';
    await using llm = await startLlm(() =>
      isBroken ? answerError(400, message) : answersText('Yes'),
    );
    const model = openLlm(llm);
    await expect(answerOf(model, { temperature: 0.2 })).rejects.toMatchObject({
      errorCode: 'BAD_REQUEST',
    });
    expect(llm.calls).toHaveLength(2);
    isBroken = false;
    await answerOf(model, { temperature: 0.2 });
    expect(llm.calls.at(-1)?.body).toMatchObject({ temperature: 0.2 });
  });

  it('is omitted when the model spent the whole length limit on reasoning', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 50 };
    await using llm = await startLlm((body) =>
      body['max_tokens'] === undefined
        ? plays(textEvent('A title'), endEvents('stop', usage))
        : plays(reasoningEvent('Hm, let me think'), endEvents('length', usage)),
    );
    const model = openLlm(llm);
    const { signal } = new AbortController();
    const asked = { messages: [user], temperature: null, maxOutputTokens: 50, signal };
    const parts = await Array.fromAsync(model.stream(asked));
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(['A title']);
    expect(parts.filter(({ type }) => type === 'finish')).toEqual([
      {
        ...finished(),
        usage: { inputTokens: 20, outputTokens: 100, reasoningTokens: 0 },
      },
    ]);
    expect(await answerOf(model, { maxOutputTokens: 50 })).toBe('A title');
    expect(llm.calls).toHaveLength(3);
  });

  it('is named in the error even when the refusal is a list', async () => {
    const body = JSON.stringify([{ error: { code: 400, message: 'No such thing' } }]);
    await using llm = await startScriptedLlm((response) => void response.writeHead(400).end(body));
    const outcome = await askLlm(llm);
    expect(said(outcome)).toBe('');
    expect(outcome.failure?.message).toBe('The language model m answered 400: No such thing');
  });
});

describe('the state of a tool call', () => {
  it('is omitted after a server has refused it once', async () => {
    const refuses = (body: LlmRequestBody): LlmScript =>
      body.messages.some((message) => 'reasoning' in message)
        ? answerError(400, 'messages[1].reasoning: reasoning is not supported with this model')
        : answersText('Yes');
    await using llm = await startLlm(refuses);
    const model = openLlm(llm);
    const messages: ChatModelMessage[] = [
      user,
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'find', arguments: '{}' }],
        state: { reasoning: 'Hm' },
      },
      { role: 'tool', toolCallId: 'a', toolName: 'find', content: 'found' },
    ];
    for (const calls of [2, 3]) {
      expect(await answerOf(model, { messages })).toBe('Yes');
      expect(llm.calls).toHaveLength(calls);
    }
  });
});
