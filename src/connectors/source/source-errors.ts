/** The source does not accept the credential (any more). The pair is paused until an admin acts. */
export class CredentialRejected extends Error {
  override readonly name = 'CredentialRejected';
}

/** The source understood the request and refused it: wrong settings, a missing resource, a missing permission. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
  /** HTTP status, if there was one. */
  readonly status: number | null;

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status ?? null;
  }
}

/** The source is unavailable at the moment. The run continues from its checkpoint later. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  /** The wait that the source asked for; null when it stated none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
