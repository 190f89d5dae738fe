/** What a caller can be told; `src/api/problem.ts` maps each code to its HTTP status. */
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

/** The work should be tried again in `delayMs`; it costs the job none of its attempts. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
    this.delayMs = delayMs;
  }
}

/** The work can never succeed as it stands; trying again is pointless. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options);
  }
}

/** The process cannot start as things stand; the message says what to change. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Nothing that the process is for works any more: it ends at once, as if it were killed, and can be started again. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** A server that the process needs does not answer now, and may by and by. */
export class ServerAway extends StartError {
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
