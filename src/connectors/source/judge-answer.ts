import type { OutboundResponse } from '#src/platform/http.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { PreparedRequest } from './prepare-request.ts';
import { CredentialRejected, SourceRefused } from './source-errors.ts';
import type { SourceHabits } from './source-http.ts';
import { cleanMessage, findMessage } from './source-message.ts';

/** How to proceed after a response. */
export type Judgement<T> =
  | { kind: 'usable'; value: T }
  /** The source stated how long. */
  | { kind: 'wait'; ms: number; reason: string }
  | { kind: 'again'; reason: string; cause: unknown }
  | { kind: 'final'; error: Error };

/** Judges a response by the habits of its source first, then by its status. */
export function judgeAnswer(
  response: OutboundResponse,
  request: PreparedRequest,
  habits: SourceHabits,
  nowMs: number,
): Judgement<OutboundResponse> {
  const { status } = response;
  const askedMs = tryHabit(() => habits.waitMs?.(response, nowMs));
  if (askedMs !== null) {
    return { kind: 'wait', ms: askedMs, reason: describe(response, request, habits) };
  }
  if (tryHabit(() => habits.rejected?.(response)) === true) {
    return { kind: 'final', error: new CredentialRejected(describe(response, request, habits)) };
  }
  if ((status >= 200 && status < 300) || request.expect.includes(status)) {
    return { kind: 'usable', value: response };
  }
  const reason = describe(response, request, habits);
  if (status === 401) return { kind: 'final', error: new CredentialRejected(reason) };
  if (isTransient(status)) {
    const toldMs = retryAfterMs(response.headers.get('retry-after'), nowMs);
    return toldMs === null
      ? { kind: 'again', reason, cause: null }
      : { kind: 'wait', ms: toldMs, reason };
  }
  return { kind: 'final', error: new SourceRefused(reason, { status }) };
}

/** Habits parse the vendor's JSON; the HTML of a gateway makes them throw, which must not end the run. */
function tryHabit<T>(read: () => T | null | undefined): T | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}

/** Request timeout, too early, too many requests, and all server errors. */
function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** "api.example.com/issues answered 403: You need the scope read:issues." */
function describe(
  response: OutboundResponse,
  { place, secrets }: PreparedRequest,
  habits: SourceHabits,
): string {
  const words = cleanMessage(
    tryHabit(() => habits.words?.(response)) ?? findMessage(response) ?? '',
    secrets,
  );
  return `${place} answered ${response.status}${words === '' ? '.' : `: ${words}`}`;
}
