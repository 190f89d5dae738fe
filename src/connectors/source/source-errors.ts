/** The source does not take the credential (any more). The pair is paused until somebody acts. */
export class CredentialRejected extends Error {
  override readonly name = 'CredentialRejected';
}

/** The source understood and said no: wrong settings, something that does not exist, a missing permission. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
  /** HTTP status, where there was one. */
  readonly status: number | null;

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status ?? null;
  }
}

/** The source cannot be used at the moment. The run goes on from its checkpoint later. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  /** What the source asked for; null when it did not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
