import { z } from 'zod';

/** Failures that the service itself does not report. */
export type ClientErrorCode =
  /** No connection, or it broke before an answer started. */
  | 'NO_ANSWER'
  /** The call exceeded the client's timeout. */
  | 'TIMEOUT'
  /** An answer that Millrace does not send: the address may belong to another service. */
  | 'UNEXPECTED_ANSWER'
  /** The connection broke, and the rest of the answer is lost. */
  | 'ANSWER_INTERRUPTED';

interface ErrorFacts {
  /** HTTP status; null without an answer. */
  status: number | null;
  /** `error_code` of the answer, or one of `ClientErrorCode`. */
  errorCode: string;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** A failed call. Branch on `errorCode`; `detail` is a message for people. */
export class MillraceError extends Error {
  override readonly name: string = 'MillraceError';
  readonly status: number | null;
  readonly errorCode: string;
  readonly detail: string;
  /** Id of the failed request, for support; null without an answer. */
  readonly requestId: string | null;
  /** Delay requested by the service; null when there is none. */
  readonly retryAfterSeconds: number | null;

  constructor(detail: string, facts: ErrorFacts) {
    super(detail, facts.cause === undefined ? {} : { cause: facts.cause });
    this.detail = detail;
    this.status = facts.status;
    this.errorCode = facts.errorCode;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/**
 * The connection broke in the middle of an answer, and the service has no more of it, because an answer ends when
 * nobody reads it. The text so far is kept in its session.
 */
export class AnswerInterrupted extends MillraceError {
  override readonly name = 'AnswerInterrupted';
  readonly sessionId: string;
  readonly messageId: number;

  constructor(place: { sessionId: string; messageId: number }, cause: unknown) {
    super(
      `The answer broke off before its end: the connection broke, and an answer ends when nobody reads it. The text so far is message ${place.messageId} of session ${place.sessionId}. Ask again.`,
      { status: null, errorCode: 'ANSWER_INTERRUPTED', cause },
    );
    this.sessionId = place.sessionId;
    this.messageId = place.messageId;
  }
}

const errorBody = z.object({
  error_code: z.string(),
  detail: z.string(),
  request_id: z.string().nullish(),
});
const MAX_SHOWN_BODY = 300;

/** The error for an unsuccessful answer. */
export async function errorOf(call: string, response: Response): Promise<MillraceError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const parsed = errorBody.safeParse(parseJson(text));
  const retryAfterSeconds = secondsOf(headers.get('retry-after'));
  if (parsed.success) {
    const { error_code: errorCode, detail, request_id: requestId } = parsed.data;
    return new MillraceError(detail, {
      status,
      errorCode,
      requestId: requestId ?? headers.get('x-request-id'),
      retryAfterSeconds,
    });
  }
  const shown = text.replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_BODY);
  return new MillraceError(
    `${call} answered ${status}${shown && `: ${shown}`}. Is this the address of a Millrace service?`,
    { status, errorCode: 'UNEXPECTED_ANSWER', retryAfterSeconds },
  );
}

/** The parsed JSON value of a text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds from now, from seconds or a date (RFC 9110, section 10.2.3). */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
