import { setTimeout as wait } from 'node:timers/promises';

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

import type { ChatModel, ChatModelPart, ChatModelRequest } from './chat-model.ts';
import { iterateWithin } from './iterate-within.ts';
import { describeModelFailure } from './model-failure.ts';

const PROVIDER = 'openai-compatible';
const MAX_RETRIES = 2;
/** A provider that asks for a longer pause than this is as good as down while a user waits. */
const MAX_RETRY_DELAY_MS = 10_000;

export interface ChatModelTimings {
  firstTokenMs: number;
  betweenTokensMs: number;
  /** Pause before the first retry; it doubles each time, half of it random. */
  retryDelayMs: number;
}

const TIMINGS: ChatModelTimings = {
  firstTokenMs: 60_000,
  betweenTokensMs: 30_000,
  retryDelayMs: 500,
};

export interface ChatModelSettings {
  /** Everything before `/chat/completions`, such as `https://provider.example/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  fetch?: typeof globalThis.fetch;
  timings?: Partial<ChatModelTimings>;
}

/** A chat model behind any OpenAI-compatible endpoint. Nothing is called before the first `stream`. */
export function createChatModel(settings: ChatModelSettings): ChatModel {
  const timings = { ...TIMINGS, ...settings.timings };
  const provider = createOpenAICompatible({
    name: PROVIDER,
    baseURL: settings.baseUrl,
    ...(settings.apiKey === null ? {} : { apiKey: settings.apiKey }),
    ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
  });
  const model = provider.chatModel(settings.model);

  async function* stream(request: ChatModelRequest): AsyncGenerator<ChatModelPart, void> {
    for (let retries = 0; ; retries += 1) {
      let started = false;
      try {
        for await (const part of streamOnce(model, request, timings)) {
          started = true;
          yield part;
        }
        return;
      } catch (error) {
        request.signal.throwIfAborted();
        const failure = describeModelFailure(error, settings);
        // After the first token a second try would say things twice.
        const delayMs = failure.retryAfterMs ?? backoffMs(retries, timings.retryDelayMs);
        const isWorthwhile = failure.retryNow && delayMs <= MAX_RETRY_DELAY_MS;
        if (started || !isWorthwhile || retries >= MAX_RETRIES) throw failure.problem;
        await wait(delayMs, undefined, { signal: request.signal });
      }
    }
  }
  return { provider: PROVIDER, name: settings.model, stream };
}

async function* streamOnce(
  model: Parameters<typeof streamText>[0]['model'],
  request: ChatModelRequest,
  timings: ChatModelTimings,
): AsyncGenerator<ChatModelPart, void> {
  request.signal.throwIfAborted();
  const upstream = new AbortController();
  const instructions = request.messages.filter((message) => message.role === 'system');
  const result = streamText({
    model,
    instructions: instructions.map((message) => message.content).join('\n\n'),
    messages: request.messages.flatMap(({ role, content }) =>
      role === 'system' ? [] : [{ role, content }],
    ),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    maxRetries: 0,
    abortSignal: AbortSignal.any([request.signal, upstream.signal]),
    // Without a handler the library writes errors to the console; they arrive as parts anyway.
    onError: () => undefined,
  });
  // The library's own timeouts do not cover a server that accepts the call and never answers.
  const parts = iterateWithin(result.fullStream, {
    firstMs: timings.firstTokenMs,
    nextMs: timings.betweenTokensMs,
    counts: (part) => part.type === 'text-delta' || part.type === 'reasoning-delta',
    signal: request.signal,
  });
  try {
    for await (const part of parts) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw new Error(part.reason ?? 'the call was aborted');
      if (part.type === 'text-delta' && part.text !== '') yield { type: 'text', text: part.text };
      if (part.type === 'reasoning-delta' && part.text !== '')
        yield { type: 'reasoning', text: part.text };
    }
  } finally {
    upstream.abort();
  }
}

/** Exponential with jitter: half of the pause is random, so that callers who failed together do not return together. */
function backoffMs(retries: number, firstMs: number): number {
  const ceiling = firstMs * 2 ** retries;
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}
