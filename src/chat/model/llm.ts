import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

import { boundedFetch } from './bounded-fetch.ts';
import type { ChatModel, ChatModelPart, ChatModelRequest, ModelToolCall } from './chat-model.ts';
import { iterateWithin } from './iterate-within.ts';
import { describeModelFailure } from './model-failure.ts';
import { type AnswerPiece, readAnswer } from './read-answer.ts';
import { retryBeforeStart } from './retry-before-start.ts';

/** Of text, reasoning and arguments together; what nobody would read to the end is no answer. */
const MAX_CHARACTERS = 200_000;
/** Tokens are shorter than this on average in every language. */
const MAX_CHARACTERS_PER_TOKEN = 16;
/** `MAX_CHARACTERS` in chunks of one character each. */
const MAX_ANSWER_BYTES = 64_000_000;

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
  /** What requests call the provider. */
  provider: string;
  /** Everything before `/chat/completions`, such as `https://provider.example/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  contextTokens: number;
  callsTools: boolean;
  readsImages: boolean;
  fetch: typeof globalThis.fetch;
  timings?: Partial<ChatModelTimings>;
  /** Of one answer, text, reasoning and arguments together. */
  maxCharacters?: number;
  /** Of one answer as it is sent. */
  maxAnswerBytes?: number;
}

// The library's own model, below the machinery that would run tools, keep whole answers and parse arguments.
type LibraryModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
type LibraryCall = Parameters<LibraryModel['doStream']>[0];
type LibraryMessage = LibraryCall['prompt'][number];
type LibraryStream = Awaited<ReturnType<LibraryModel['doStream']>>['stream'];
type LibraryPart = LibraryStream extends ReadableStream<infer Part> ? Part : never;

/** A chat model behind any OpenAI-compatible endpoint. Nothing is called before the first `stream`. */
export function createChatModel(settings: ChatModelSettings): ChatModel {
  const timings = { ...TIMINGS, ...settings.timings };
  const library = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: settings.baseUrl,
    includeUsage: true,
    fetch: boundedFetch(settings.fetch, settings.maxAnswerBytes ?? MAX_ANSWER_BYTES),
    ...(settings.apiKey === null ? {} : { apiKey: settings.apiKey }),
  }).chatModel(settings.model);

  const stream = (request: ChatModelRequest): AsyncGenerator<ChatModelPart, void> =>
    retryBeforeStart(() => streamOnce(library, request, settings, timings), {
      describe: (error) => describeModelFailure(error, settings, request.messages),
      retryDelayMs: timings.retryDelayMs,
      signal: request.signal,
    });
  const { provider, model: name, contextTokens, callsTools, readsImages } = settings;
  return { provider, name, contextTokens, callsTools, readsImages, stream };
}

async function* streamOnce(
  library: LibraryModel,
  request: ChatModelRequest,
  settings: ChatModelSettings,
  timings: ChatModelTimings,
): AsyncGenerator<ChatModelPart, void> {
  request.signal.throwIfAborted();
  const upstream = new AbortController();
  const abortSignal = AbortSignal.any([request.signal, upstream.signal]);
  // The library's own timeouts do not cover a server that accepts the call and never answers.
  const pieces = iterateWithin(callLibrary(library, libraryCall(request, settings, abortSignal)), {
    firstMs: timings.firstTokenMs,
    nextMs: timings.betweenTokensMs,
    counts: (piece) => !('delta' in piece) || piece.delta !== '',
    signal: request.signal,
  });
  try {
    yield* readAnswer(pieces, maxCharactersOf(request, settings));
  } finally {
    upstream.abort();
  }
}

/** What an endpoint sends, without what tells nothing. */
async function* callLibrary(
  library: LibraryModel,
  call: LibraryCall,
): AsyncGenerator<AnswerPiece, void> {
  const { stream } = await library.doStream(call);
  let refusal = '';
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    else if (part.type === 'raw') {
      refusal = refusalIn(part.rawValue);
      if (refusal !== '') yield { type: 'refusal', delta: refusal };
    } else if (part.type === 'text-delta') {
      // The library passes a refusal off as text.
      if (refusal === '' || part.delta !== refusal) yield { type: 'text', delta: part.delta };
    } else if (part.type === 'reasoning-delta') yield { type: 'reasoning', delta: part.delta };
    else if (part.type === 'tool-input-delta') yield { type: 'arguments', delta: part.delta };
    else if (part.type === 'tool-call') yield { type: 'call', call: toCall(part) };
    else if (part.type === 'finish') yield endOf(part);
  }
}

function libraryCall(
  request: ChatModelRequest,
  { callsTools, readsImages }: ChatModelSettings,
  abortSignal: AbortSignal,
): LibraryCall {
  const tools = callsTools ? (request.tools ?? []) : [];
  return {
    prompt: request.messages.map((message) => libraryMessage(message, readsImages)),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: { type: request.toolChoice ?? 'auto' },
    }),
    // Only in the raw chunks can a refusal be told from an answer.
    includeRawChunks: true,
    abortSignal,
  };
}

function libraryMessage(
  message: ChatModelRequest['messages'][number],
  readsImages: boolean,
): LibraryMessage {
  switch (message.role) {
    case 'system':
      return message;
    case 'user': {
      const images = readsImages ? (message.images ?? []) : [];
      const files = images.map(({ mediaType, bytes }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data: bytes },
      }));
      return { role: 'user', content: [{ type: 'text', text: message.content }, ...files] };
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        // Sent back as it was written; the library quotes what is no JSON.
        input: call.arguments,
      }));
      return { role: 'assistant', content: [{ type: 'text', text: message.content }, ...calls] };
    }
    case 'tool': {
      const { toolCallId, toolName, content } = message;
      const output = { type: 'text' as const, value: content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
}

function maxCharactersOf(request: ChatModelRequest, settings: ChatModelSettings): number {
  const maxCharacters = settings.maxCharacters ?? MAX_CHARACTERS;
  if (request.maxOutputTokens === undefined) return maxCharacters;
  return Math.min(maxCharacters, request.maxOutputTokens * MAX_CHARACTERS_PER_TOKEN);
}

function toCall(part: Extract<LibraryPart, { type: 'tool-call' }>): ModelToolCall {
  const written = part.input.replaceAll('\0', '').toWellFormed();
  return { id: part.toolCallId, name: part.toolName, arguments: written };
}

/** Looked for in every chunk of every answer, so without a schema. */
function refusalIn(chunk: unknown): string {
  const delta = member(member(member(chunk, 'choices'), 0), 'delta');
  const refusal = member(delta, 'refusal');
  return typeof refusal === 'string' ? refusal : '';
}

function member(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function endOf({ finishReason, usage }: Extract<LibraryPart, { type: 'finish' }>): AnswerPiece {
  if (finishReason.raw === 'error') throw new Error('the provider ended the answer with an error');
  const { inputTokens, outputTokens } = usage;
  const isCounted = inputTokens.total !== undefined || outputTokens.total !== undefined;
  return {
    type: 'end',
    reason: finishReason.unified,
    usage: isCounted
      ? {
          inputTokens: inputTokens.total ?? 0,
          outputTokens: outputTokens.total ?? 0,
          reasoningTokens: outputTokens.reasoning ?? 0,
        }
      : null,
  };
}
