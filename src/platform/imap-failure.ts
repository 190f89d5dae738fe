/** The kinds of IMAP failures. */
export type ImapFailureKind =
  /** The host has a forbidden address; `words` says which. */
  | 'host_refused'
  /** The host has no address at the moment; `words` says why. */
  | 'host_unavailable'
  /** The name server failed or does not know the host; `cause` has the code. */
  | 'unresolved'
  /** The server answers without TLS on a port where TLS was expected. */
  | 'plain_answer'
  /** No greeting on a port for STARTTLS, like a server that waits for TLS. */
  | 'no_greeting'
  /** The certificate is invalid, or TLS itself failed. */
  | 'tls'
  /** The sign-in was permanently refused. */
  | 'credential'
  /** The server understood a command and refused it. */
  | 'refused'
  /** The server closed the connection; `words` has its last message. */
  | 'closed'
  /** The session was ended here, for the reason in `words`. */
  | 'stopped'
  /** Any other failure; a retry may succeed. */
  | 'unavailable';

/** Everything that an IMAP session throws, except the signal's reason. */
export class ImapFailure extends Error {
  override readonly name = 'ImapFailure';
  readonly kind: ImapFailureKind;
  /**
   * The message of the server or the library. It may echo what was sent, including the password: clean it, or show
   * none.
   */
  readonly words: string;

  constructor(kind: ImapFailureKind, words: string, options: { cause?: unknown } = {}) {
    super(`The IMAP session failed: ${kind}.`, options);
    this.kind = kind;
    this.words = words;
  }
}

/** The library's additions to errors; any may be absent. */
interface LibraryError extends Error {
  code?: string;
  tlsFailed?: boolean;
  responseText?: string;
  responseStatus?: string;
  serverResponseCode?: string;
  authenticationFailed?: boolean;
}

/** Codes of temporary sign-in failures (RFC 5530). */
const PASSING_CODES = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']);
const PASSING_WORDS =
  /too many (?:simultaneous|concurrent|connections|log)|maximum number of connections|rate.?limit|throttl|temporar|try again|not connected|server (?:busy|unavailable)|internal error/i;

/**
 * Whether the text of a sign-in failure says that it is temporary. Gmail, Exchange and others say so only there, under
 * `[ALERT]` or without a code.
 */
export function soundsTemporary(words: string): boolean {
  return PASSING_WORDS.test(words);
}

const PLAIN_ANSWER_CODES = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/**
 * Classifies an error of the library.
 * https://www.rfc-editor.org/rfc/rfc5530
 */
export function imapFailureOf(error: unknown, { useTls }: { useTls: boolean }): ImapFailure {
  if (error instanceof ImapFailure) return error;
  if (!(error instanceof Error)) return new ImapFailure('unavailable', String(error));
  const details: LibraryError = error;
  const options = { cause: error };
  const words = details.responseText || error.message;
  // One side speaks TLS and the other does not; neither OpenSSL nor a timeout reports that in plain words.
  const isPlainAnswer = /wrong version number|packet length too long/i.test(error.message);
  if (useTls && (isPlainAnswer || PLAIN_ANSWER_CODES.has(details.code ?? ''))) {
    return new ImapFailure('plain_answer', words, options);
  }
  if (!useTls && details.code === 'GREETING_TIMEOUT') {
    return new ImapFailure('no_greeting', words, options);
  }
  if (details.tlsFailed === true || /CERT|TLS|SSL|SIGNATURE/.test(details.code ?? '')) {
    return new ImapFailure('tls', words, options);
  }
  const isNo = details.responseStatus === 'NO' || details.responseStatus === 'BAD';
  const isPassing =
    PASSING_CODES.has(details.serverResponseCode?.toUpperCase() ?? '') || soundsTemporary(words);
  if (!isNo || isPassing) return new ImapFailure('unavailable', words, options);
  const isSignIn = details.authenticationFailed === true;
  return new ImapFailure(isSignIn ? 'credential' : 'refused', words, options);
}
