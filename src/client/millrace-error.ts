import { z } from 'zod';

/** What went wrong where no service says so itself. */
export type ClientErrorCode =
  /** No connection, or it broke before an answer began. */
  | 'NO_ANSWER'
  /** It took longer than the client waits. */
  | 'TIMEOUT'
  /** An answer that Millrace does not give: the address may be that of something else. */
  | 'UNEXPECTED_ANSWER'
  /** The connection broke, and the rest of the answer cannot be had. */
  | 'ANSWER_INTERRUPTED';

interface ErrorFacts {
  /** HTTP status; null when no answer came. */
  status: number | null;
  /** `error_code` of the answer, or one of `ClientErrorCode`. */
  errorCode: string;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** A call that failed. Branch on `errorCode`; `detail` is a sentence for people. */
export class MillraceError extends Error {
  override readonly name: string = 'MillraceError';
  readonly status: number | null;
  readonly errorCode: string;
  readonly detail: string;
  /** Of the failed request, to be given when asking for help; null when no answer came. */
  readonly requestId: string | null;
  /** How long the service asks to wait; null when it does not. */
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
 * The connection broke in the middle of an answer, and the service has no more of it: an answer ends when nobody reads
 * it any more. What there is of it is kept in its session.
 */
export class AnswerInterrupted extends MillraceError {
  override readonly name = 'AnswerInterrupted';
  readonly sessionId: string;
  readonly messageId: number;

  constructor(place: { sessionId: string; messageId: number }, cause: unknown) {
    super(
      `The answer broke off before its end: the connection broke, and an answer ends when nobody reads it. What there is of it is message ${place.messageId} of the session ${place.sessionId}. Ask again.`,
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

/** The error of an answer that is no success. */
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

/** The JSON value of a text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3), as seconds from now. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
