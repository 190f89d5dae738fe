import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { SourceHabits } from '#src/connectors/source/source-http.ts';
import { cleanMessage } from '#src/connectors/source/source-message.ts';

/** Two formats: that of the APIs, and that of the token endpoint (RFC 6749 section 5.2). */
const googleError = z.union([
  z.object({
    error: z.object({
      message: z.string().nullish(),
      errors: z.array(z.object({ reason: z.string().nullish() })).nullish(),
      status: z.string().nullish(),
    }),
  }),
  z.object({ error: z.string(), error_description: z.string().nullish() }),
]);

/** The rate limit of a project or a user: Google asks for a pause without stating its length. */
const RATE_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);
const RATE_PAUSE_MS = 5_000;
const DAY_REASONS = new Set(['dailyLimitExceeded', 'quotaExceeded']);
const DAY_PAUSE_MS = 3_600_000;

/** How Google's APIs report errors. https://developers.google.com/workspace/drive/api/guides/handle-errors */
export const GOOGLE_HABITS: SourceHabits = {
  words: (response) => readGoogleError(response)?.words ?? null,
  waitMs(response, nowMs) {
    if (response.status !== 403) return null;
    const reason = readGoogleError(response)?.reason ?? '';
    const told = retryAfterMs(response.headers.get('retry-after'), nowMs);
    if (RATE_REASONS.has(reason)) return told ?? RATE_PAUSE_MS;
    return DAY_REASONS.has(reason) ? (told ?? DAY_PAUSE_MS) : null;
  },
};

/** Null when the response is not in one of Google's error formats. */
export function readGoogleError(
  response: OutboundResponse,
): { reason: string; words: string } | null {
  const parsed = googleError.safeParse(parseJson(response.text()));
  if (!parsed.success) return null;
  const answer = parsed.data;
  if (typeof answer.error === 'string') {
    const description = 'error_description' in answer ? answer.error_description : null;
    const words = description ? `${answer.error}: ${description}` : answer.error;
    return { reason: answer.error, words: cleanMessage(words, []) };
  }
  const { message, errors, status } = answer.error;
  const reason = errors?.[0]?.reason ?? status ?? '';
  const words = reason === '' ? (message ?? '') : `${message ?? ''} (${reason})`;
  return { reason, words: cleanMessage(words, []) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not JSON, so not a Google error
  }
}
