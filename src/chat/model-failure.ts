import { z } from 'zod';

import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { ChatModelMessage } from './chat-model.ts';
import { classifyFailure, type ProviderReport } from './classify-failure.ts';
import { hideEchoes } from './hide-echoes.ts';
import { StreamTimeout } from './iterate-within.ts';
import { type ModelErrorCode, ModelFailed } from './model-failed.ts';

const MAX_WORDS = 300;
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** What the provider library puts on its errors; all of it is theirs, so all of it is optional. */
const providerError = z.object({
  message: z.string().catch(''),
  statusCode: z.number().optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  data: z.unknown().optional(),
});
type ProviderError = z.output<typeof providerError>;

/** The error object of an answer, or of an event in the middle of one. */
const label = z.union([z.string(), z.number()]).nullish().catch(null);
const errorObject = z.object({ type: label, code: label });

export interface ModelFailure {
  problem: ModelFailed;
  /** Whether the same call may succeed within the seconds that a user waits. */
  retryNow: boolean;
  /** The pause that the provider asked for. */
  retryAfterMs: number | null;
}

/** The model, or a filter of its provider, would not answer. The message says so in their words. */
export class AnswerWithheld extends Error {
  override readonly name = 'AnswerWithheld';
  readonly errorCode: 'MODEL_REFUSAL' | 'CONTENT_POLICY';

  constructor(errorCode: 'MODEL_REFUSAL' | 'CONTENT_POLICY', message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** Failures that pass by themselves, as a rule. */
const TRANSIENT: ReadonlySet<ModelErrorCode> = new Set([
  'RATE_LIMIT',
  'SERVICE_UNAVAILABLE',
  'CONNECTION_ERROR',
  'API_ERROR',
]);

/**
 * Turns whatever a provider call threw into a ModelFailed in the provider's own words. The key is masked, what was
 * asked is left out where the provider repeats it, and so is the cause: it carries the prompt.
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
  const parsed = providerError.safeParse(error);
  const known = parsed.success ? parsed.data : { message: String(error) };
  const report = reportOf(error, known);
  const errorCode = classifyFailure(report);
  const isTransient = TRANSIENT.has(errorCode);
  const askedMs = retryAfterMs(known.responseHeaders?.['retry-after'] ?? null, Date.now());
  const said = report.status === null ? 'failed' : `answered ${report.status}`;
  const words = hideEchoes(
    mask(shorten(report.words), apiKey),
    messages.map(({ content }) => content),
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

function reportOf(error: unknown, known: ProviderError): ProviderReport {
  const { statusCode } = known;
  return {
    // A status below 400 is that of an answer that broke later.
    status: statusCode === undefined || statusCode < 400 ? null : statusCode,
    labels: labelsOf(error, known.data),
    words: wordsOf(known),
    isFromLibrary: error instanceof Error,
  };
}

function labelsOf(error: unknown, data: unknown): string[] {
  const wrapped = z.object({ error: errorObject }).safeParse(data);
  const bare = errorObject.safeParse(error);
  const found = wrapped.success ? wrapped.data.error : bare.success ? bare.data : {};
  return Object.values(found).flatMap((value) => (value == null ? [] : [String(value)]));
}

/** The provider's sentence: parsed by the library into `message`, or the raw body when it was no JSON that it knows. */
function wordsOf(error: ProviderError): string {
  const body = error.responseBody?.trim() ?? '';
  const isReadableBody = error.data === undefined && body !== '' && !body.startsWith('<');
  return isReadableBody ? body : error.message;
}

function shorten(words: string): string {
  return words.trim() === '' ? 'it gave no reason' : words.slice(0, MAX_WORDS).toWellFormed();
}

function mask(words: string, apiKey: string | null): string {
  return apiKey === null || apiKey === '' ? words : words.replaceAll(apiKey, '***');
}
