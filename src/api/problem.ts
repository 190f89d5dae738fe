import { Problem, type ProblemCode, RetryLater } from '#src/platform/errors.ts';

/** The HTTP status of each error code: docs/http-api.md, "Errors". */
export const STATUS_OF_CODE: Readonly<Record<ProblemCode, number>> = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  UNAUTHORIZED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
};

const RETRY_AFTER_OUTAGE_SECONDS = 2;

/** The error body of both families. */
export interface ProblemBody {
  error_code: ProblemCode;
  detail: string;
  request_id: string;
}

export function problemBody(problem: Problem, requestId: string): ProblemBody {
  return { error_code: problem.code, detail: problem.message, request_id: requestId };
}

/** The public form of an error; anything not meant for callers becomes a neutral message. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RetryLater) {
    return new Problem('SERVICE_UNAVAILABLE', error.message, {
      cause: error,
      retryAfterSeconds: Math.max(1, Math.ceil(error.delayMs / 1000)),
    });
  }
  if (isUnstorableText(error)) {
    return new Problem(
      'BAD_REQUEST',
      'A text in the request contains a character that cannot be stored (NUL or half of a surrogate pair). Remove it.',
      { cause: error },
    );
  }
  if (isOutage(error)) {
    return new Problem(
      'SERVICE_UNAVAILABLE',
      'The database or the queue cannot be reached at the moment. Try again shortly.',
      { cause: error, retryAfterSeconds: RETRY_AFTER_OUTAGE_SECONDS },
    );
  }
  return new Problem(
    'INTERNAL_SERVER_ERROR',
    'The server failed to answer this request. Try again; if it persists, report the request_id.',
    { cause: error },
  );
}

/** An error for the log: name, message, code and stack, without the row values that drivers attach. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    name: error.name,
    message: error.message,
    code: codeOf(error),
    stack: error.stack,
    ...(error.cause !== undefined && depth < 3
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  };
}

/** SQLSTATE 22021 and 22P05 (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function isUnstorableText(error: unknown): boolean {
  return ['22021', '22P05'].includes(codeOf(error) ?? '');
}

/**
 * SQLSTATE classes 08 (connection), 53 (resources), 57P0x (shutdown), serialization and lock failures, and socket
 * errors of the drivers.
 */
const OUTAGE_CODE =
  /^(08...|53...|57P0.|40001|40P01|55P03|57014|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH)$/;
/** pg and ioredis raise these without a code. */
const OUTAGE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Connection is closed|Stream isn't writeable|Command timed out|Reached the max retries per request)/;

function isOutage(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false;
  if (OUTAGE_CODE.test(codeOf(error) ?? '') || OUTAGE_MESSAGE.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some((one) => isOutage(one, depth + 1)))
    return true;
  return isOutage(error.cause, depth + 1);
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
