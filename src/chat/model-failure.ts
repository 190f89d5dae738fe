import { z } from 'zod';

import { Problem } from '#src/platform/errors.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import { StreamTimeout } from './iterate-within.ts';

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

export interface ModelFailure {
  problem: Problem;
  /** Whether the same call may succeed within the seconds that a user waits. */
  retryNow: boolean;
  /** The pause that the provider asked for. */
  retryAfterMs: number | null;
}

/**
 * Turns whatever a provider call threw into a Problem in the provider's own words. The key is masked and the cause
 * left out: it carries the prompt.
 */
export function describeModelFailure(
  error: unknown,
  settings: { model: string; apiKey: string | null },
): ModelFailure {
  const parsed = providerError.safeParse(error);
  const known = parsed.success ? parsed.data : { message: String(error) };
  const status = known.statusCode ?? null;
  const isTimeout = error instanceof StreamTimeout;
  const isTransient =
    status === null || status < 400 || status === 408 || status === 429 || status >= 500;
  const askedMs = retryAfterMs(known.responseHeaders?.['retry-after'] ?? null, Date.now());
  const said = status === null || status < 400 ? 'failed' : `answered ${status}`;
  const problem = new Problem(
    'BAD_GATEWAY',
    `The language model ${settings.model} ${said}: ${mask(wordsOf(known), settings.apiKey)}`,
    isTransient ? { retryAfterSeconds: Math.ceil((askedMs ?? DEFAULT_RETRY_AFTER_MS) / 1000) } : {},
  );
  return {
    problem,
    retryNow: isTransient && !isTimeout,
    retryAfterMs: askedMs,
  };
}

/** The provider's sentence: parsed by the library into `message`, or the raw body when it was no JSON that it knows. */
function wordsOf(error: ProviderError): string {
  const body = error.responseBody?.trim() ?? '';
  const isReadableBody = error.data === undefined && body !== '' && !body.startsWith('<');
  const words = isReadableBody ? body : error.message;
  return words === '' ? 'it gave no reason' : words.slice(0, MAX_WORDS);
}

function mask(words: string, apiKey: string | null): string {
  return apiKey === null || apiKey === '' ? words : words.replaceAll(apiKey, '***');
}
