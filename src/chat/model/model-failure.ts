import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { ChatModelMessage } from './chat-model.ts';
import { classifyFailure } from './classify-failure.ts';
import { redactEchoes } from './redact-echoes.ts';
import { StreamTimeout } from './iterate-within.ts';
import { type ModelErrorCode, ModelFailed } from './model-failed.ts';
import { readProviderError } from './read-provider-error.ts';

const MAX_WORDS = 300;
/** How much of a provider's message is searched for its key. */
const MAX_MASKED = 10_000;
const DEFAULT_RETRY_AFTER_MS = 5_000;

export interface ModelFailure {
  problem: ModelFailed;
  /** Whether the same call may succeed within the seconds that a user waits. */
  retryNow: boolean;
  /** The pause that the provider asked for. */
  retryAfterMs: number | null;
}

/** The model, or its provider's filter, refused to answer. The message is their explanation. */
export class AnswerWithheld extends Error {
  override readonly name = 'AnswerWithheld';
  readonly errorCode: 'MODEL_REFUSAL' | 'CONTENT_POLICY';

  constructor(errorCode: 'MODEL_REFUSAL' | 'CONTENT_POLICY', message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** Failures that usually pass by themselves. */
const TRANSIENT: ReadonlySet<ModelErrorCode> = new Set([
  'RATE_LIMIT',
  'SERVICE_UNAVAILABLE',
  'CONNECTION_ERROR',
  'API_ERROR',
]);

/**
 * Converts any error of a provider call to a ModelFailed with the provider's own message. The key is masked; parts of
 * the request that the provider repeats are removed, and so is the cause, which contains the prompt.
 */
export function describeModelFailure(
  error: unknown,
  settings: { provider: string; model: string; apiKey: string | null },
  messages: readonly ChatModelMessage[],
): ModelFailure {
  const { provider, model, apiKey } = settings;
  const details = { model, provider };
  if (error instanceof AnswerWithheld) {
    const said = `The language model ${model} gave no answer: ${shorten(error.message)}`;
    const problem = new ModelFailed(said, { errorCode: error.errorCode, details });
    return { problem, retryNow: false, retryAfterMs: null };
  }
  const report = readProviderError(error);
  const errorCode = classifyFailure(report);
  const isTransient = TRANSIENT.has(errorCode);
  const askedMs = retryAfterMs(report.retryAfter, Date.now());
  const said = report.status === null ? 'failed' : `answered ${report.status}`;
  // The key first: if the text is cut inside the key, the remaining half would not be recognized.
  const words = redactEchoes(
    shorten(mask(report.words.slice(0, MAX_MASKED), apiKey)),
    messages.flatMap(sentIn),
  );
  const problem = new ModelFailed(`The language model ${model} ${said}: ${words}`, {
    errorCode,
    details,
    ...(isTransient && {
      retryAfterSeconds: Math.ceil((askedMs ?? DEFAULT_RETRY_AFTER_MS) / 1000),
    }),
  });
  return {
    problem,
    retryNow: isTransient && !(error instanceof StreamTimeout),
    retryAfterMs: askedMs,
  };
}

function sentIn(message: ChatModelMessage): string[] {
  if (message.role !== 'assistant') return [message.content];
  const { content, toolCalls = [], state } = message;
  const thoughts = Object.values(state ?? {}).map((value) => JSON.stringify(value));
  return [content, ...toolCalls.map((call) => call.arguments), ...thoughts];
}

function shorten(words: string): string {
  return words.trim() === '' ? 'it gave no reason' : words.slice(0, MAX_WORDS).toWellFormed();
}

function mask(words: string, apiKey: string | null): string {
  return apiKey === null || apiKey === '' ? words : words.replaceAll(apiKey, '***');
}
