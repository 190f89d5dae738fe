import { AsyncLocalStorage } from 'node:async_hooks';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

import { AnswerEvents } from './answer-events.ts';
import type {
  ChatModel,
  ChatModelPart,
  ChatModelRequest,
  ModelToolCall,
  ModelUsage,
} from './chat-model.ts';
import { iterateWithin } from './iterate-within.ts';
import { deltaOf } from './json-members.ts';
import { libraryCall, type LibraryModel, type LibraryPart } from './library-call.ts';
import { describeModelFailure } from './model-failure.ts';
import { StateCollector } from './provider-state.ts';
import { type AnswerPiece, readAnswer } from './read-answer.ts';
import { RequestQuirks, type RequestTry } from './request-quirks.ts';
import { retryBeforeStart } from './retry-before-start.ts';

/** Limit on text, reasoning and arguments together: nobody would read more. */
const MAX_CHARACTERS = 200_000;
/** In every language, tokens are shorter than this on average. */
const MAX_CHARACTERS_PER_TOKEN = 16;
/** `MAX_CHARACTERS` in chunks of one character each. */
const MAX_ANSWER_BYTES = 64_000_000;

/** Made once: an error takes time to collect its stack. */
const LEFT = new Error('The answer is no longer read.');

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
  /** The provider's name in requests. */
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
  /** Limit of one answer: text, reasoning and arguments together. */
  maxCharacters?: number;
  /** Limit of one response in bytes. */
  maxAnswerBytes?: number;
}

/** A chat model behind any OpenAI-compatible endpoint. No request is made before the first `stream`. */
export function createChatModel(settings: ChatModelSettings): ChatModel {
  const endpoint: Endpoint = {
    ...settings,
    timings: { ...TIMINGS, ...settings.timings },
    quirks: new RequestQuirks(),
    library: openLibrary(settings),
  };
  const stream = (request: ChatModelRequest): AsyncGenerator<ChatModelPart, void> =>
    streamInFull(request, endpoint);
  const { provider, model: name, contextTokens, callsTools, readsImages } = settings;
  return { provider, name, contextTokens, callsTools, readsImages, stream };
}

interface Endpoint extends ChatModelSettings {
  timings: ChatModelTimings;
  quirks: RequestQuirks;
  library: LibraryModel;
}

/**
 * The answer. If the length limit was spent entirely on reasoning, it asks again without a limit, and from then on
 * always does.
 */
async function* streamInFull(
  request: ChatModelRequest,
  endpoint: Endpoint,
): AsyncGenerator<ChatModelPart, void> {
  const { maxOutputTokens, ...unbounded } = request;
  const isBounded = maxOutputTokens !== undefined && !endpoint.quirks.reasoningCountsTowardsLimit;
  let hasOutput = false;
  let spent: ModelUsage | null = null;
  for await (const part of streamWithRetries(isBounded ? request : unbounded, endpoint)) {
    hasOutput ||= part.type === 'text' || part.type === 'tool-call';
    if (isBounded && !hasOutput && part.type === 'finish' && part.reason === 'length') {
      spent = part.usage;
      endpoint.quirks.reasoningCountsTowardsLimit = true;
    } else yield part;
  }
  if (!endpoint.quirks.reasoningCountsTowardsLimit || hasOutput || !isBounded) return;
  for await (const part of streamWithRetries(unbounded, endpoint))
    yield part.type === 'finish' ? { ...part, usage: sumOf(spent, part.usage) } : part;
}

function sumOf(a: ModelUsage | null, b: ModelUsage | null): ModelUsage | null {
  if (a === null || b === null) return b ?? a;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** Retries while the provider is busy, until the answer has begun. */
function streamWithRetries(
  request: ChatModelRequest,
  endpoint: Endpoint,
): AsyncGenerator<ChatModelPart, void> {
  return retryBeforeStart(() => streamAsTaken(request, endpoint), {
    describe: (error) => describeModelFailure(error, endpoint, request.messages),
    retryDelayMs: endpoint.timings.retryDelayMs,
    signal: request.signal,
  });
}

/** Retries with a changed request while the model refuses it for a reason that can be worked around. */
async function* streamAsTaken(
  request: ChatModelRequest,
  endpoint: Endpoint,
): AsyncGenerator<ChatModelPart, void> {
  const shaped = endpoint.quirks.begin();
  for (;;) {
    let hasBegun = false;
    try {
      for await (const part of streamOnce(request, shaped, endpoint)) {
        if (!hasBegun) shaped.accept();
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (hasBegun || !shaped.learn(error)) throw error;
    }
  }
}

interface LibraryRun {
  shaped: RequestTry;
  events: AnswerEvents;
}

/**
 * The current call of the library. Its model is opened once, because that builds schemas, and its hooks are told nothing
 * of the call that they serve.
 */
const libraryRun = new AsyncLocalStorage<LibraryRun>();

function openLibrary({ baseUrl, apiKey, model }: ChatModelSettings): LibraryModel {
  return createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl,
    includeUsage: true,
    fetch: (input, init) => currentRun().events.fetch(input, init),
    transformRequestBody: (body) => currentRun().shaped.shape(body),
    ...(apiKey === null ? {} : { apiKey }),
  }).chatModel(model);
}

function currentRun(): LibraryRun {
  const run = libraryRun.getStore();
  if (run === undefined) throw new Error('The library calls a model only for libraryRun.');
  return run;
}

async function* streamOnce(
  request: ChatModelRequest,
  shaped: RequestTry,
  endpoint: Endpoint,
): AsyncGenerator<ChatModelPart, void> {
  const { timings } = endpoint;
  request.signal.throwIfAborted();
  const upstream = new AbortController();
  const abortSignal = AbortSignal.any([request.signal, upstream.signal]);
  // The library's own timeouts do not cover a server that accepts the call and never answers.
  const pieces = iterateWithin(callLibrary({ ...request, signal: abortSignal }, shaped, endpoint), {
    firstMs: timings.firstTokenMs,
    nextMs: timings.betweenTokensMs,
    counts: (piece) => !('delta' in piece) || piece.delta !== '',
    signal: request.signal,
  });
  try {
    yield* readAnswer(pieces, maxCharactersOf(request, endpoint));
  } finally {
    upstream.abort(LEFT);
  }
}

/** The parts from the endpoint, without empty ones. */
async function* callLibrary(
  request: ChatModelRequest,
  shaped: RequestTry,
  endpoint: Endpoint,
): AsyncGenerator<AnswerPiece, void> {
  const events = new AnswerEvents(endpoint.fetch, endpoint.maxAnswerBytes ?? MAX_ANSWER_BYTES);
  const { stream } = await libraryRun.run({ shaped, events }, () =>
    endpoint.library.doStream(libraryCall(request, endpoint)),
  );
  const state = new StateCollector();
  for await (const { chunk, reasoning, text } of events.words()) {
    state.add(chunk);
    if (reasoning !== '') yield { type: 'reasoning', delta: reasoning };
    if (text !== '') yield { type: 'text', delta: text };
  }
  let refusal = '';
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    else if (part.type === 'raw') {
      state.add(part.rawValue);
      refusal = refusalIn(part.rawValue);
      if (refusal !== '') yield { type: 'refusal', delta: refusal };
    } else if (part.type === 'text-delta') {
      // The library presents a refusal as text.
      if (refusal === '' || part.delta !== refusal) yield { type: 'text', delta: part.delta };
    } else if (part.type === 'reasoning-delta') yield { type: 'reasoning', delta: part.delta };
    else if (part.type === 'tool-input-delta') yield { type: 'arguments', delta: part.delta };
    else if (part.type === 'tool-call') yield { type: 'call', call: toCall(part, state) };
    else if (part.type === 'finish') yield endOf(part, state);
  }
}

function maxCharactersOf(request: ChatModelRequest, settings: ChatModelSettings): number {
  const maxCharacters = settings.maxCharacters ?? MAX_CHARACTERS;
  if (request.maxOutputTokens === undefined) return maxCharacters;
  return Math.min(maxCharacters, request.maxOutputTokens * MAX_CHARACTERS_PER_TOKEN);
}

function toCall(
  { toolCallId: id, toolName: name, input }: Extract<LibraryPart, { type: 'tool-call' }>,
  collector: StateCollector,
): ModelToolCall {
  const state = collector.ofCall(id);
  const written = input.replaceAll('\0', '').toWellFormed();
  return { id, name, arguments: written, ...(state !== undefined && { state }) };
}

function refusalIn(chunk: unknown): string {
  const refusal = deltaOf(chunk)?.['refusal'];
  return typeof refusal === 'string' ? refusal : '';
}

function endOf(
  { finishReason, usage }: Extract<LibraryPart, { type: 'finish' }>,
  state: StateCollector,
): AnswerPiece {
  if (finishReason.raw === 'error') throw new Error('the provider ended the answer with an error');
  const { inputTokens, outputTokens } = usage;
  const isCounted = inputTokens.total !== undefined || outputTokens.total !== undefined;
  return {
    type: 'end',
    reason: finishReason.unified,
    state: state.ofMessage(),
    usage: isCounted
      ? {
          inputTokens: inputTokens.total ?? 0,
          outputTokens: outputTokens.total ?? 0,
          reasoningTokens: outputTokens.reasoning ?? 0,
        }
      : null,
  };
}
