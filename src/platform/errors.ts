/** The kinds of failure a caller can be told about; `src/api/problem.ts` maps each code to its HTTP status. */
export type ProblemCode =
  | 'UNAUTHENTICATED'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'BAD_GATEWAY'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR';

/** A failure that the caller can act on. The message says what was wrong, where, and the remedy. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ProblemCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** The work should be retried in `delayMs`, without using up an attempt of the job. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
    this.delayMs = delayMs;
  }
}

/** The work can never succeed as it stands; retrying is pointless. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
  }
}

/** The process cannot start; the message says what to change. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The process cannot work any more: it exits at once, as if it were killed, and can be restarted. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** A required server does not answer now, but may later. */
export class ServerUnavailable extends StartError {
  readonly server: string;
  readonly reason: string;

  constructor(
    { server, reason, remedy }: { server: string; reason: string; remedy: string },
    options: { cause?: unknown } = {},
  ) {
    super(`${server} does not answer (${reason}). ${remedy}`, options);
    this.server = server;
    this.reason = reason;
  }
}
