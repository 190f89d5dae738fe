import type { ImapAddress } from './imap-session.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { cleanMessage } from '#src/connectors/source/source-message.ts';

/** What the library adds to plain errors; every field may be absent. */
interface ImapFailure extends Error {
  code?: string;
  tlsFailed?: boolean;
  responseText?: string;
  responseStatus?: string;
  serverResponseCode?: string;
  authenticationFailed?: boolean;
}

/** Shorter than the deadline of an administrator's check, which can then say what is wrong. */
export const GREETING_TIMEOUT_MS = 10_000;

/** Name servers fail, too: then a run waits and asks again. */
export function unresolved(host: string, cause: unknown): SourceUnavailable {
  const { code }: NodeJS.ErrnoException =
    cause instanceof Error ? cause : { name: '', message: '' };
  const words =
    code === 'ENOTFOUND'
      ? 'has no address in the DNS'
      : `could not be looked up (${code ?? String(cause)})`;
  return new SourceUnavailable(`The host ${host} ${words}. Check "host" in the settings.`, {
    cause,
  });
}

/** Codes of a refused sign-in that are temporary (RFC 5530). */
const PASSING_CODES = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']);
/** Gmail, Exchange and others say so only in the message, under `[ALERT]` or without a code. */
const PASSING_WORDS =
  /too many (?:simultaneous|concurrent|connections|log)|maximum number of connections|rate.?limit|throttl|temporar|try again|not connected|server (?:busy|unavailable)|internal error/i;

/** https://www.rfc-editor.org/rfc/rfc5530 */
export function sourceError(address: ImapAddress, error: unknown): Error {
  const { host, password } = address;
  if (!(error instanceof Error) || error instanceof SourceUnavailable) {
    return error instanceof Error ? error : new SourceUnavailable(String(error));
  }
  const mismatch = tlsMismatch(address, error);
  if (mismatch) return mismatch;
  const details: ImapFailure = error;
  // Some servers echo what they were sent.
  const words = cleanMessage(details.responseText || error.message, secretsOf(password));
  const sentence = `${host}: ${words}`;
  const options = { cause: error };
  const isNo = details.responseStatus === 'NO' || details.responseStatus === 'BAD';
  if (details.tlsFailed === true || /CERT|TLS|SSL|SIGNATURE/.test(details.code ?? '')) {
    return new SourceRefused(sentence, options);
  }
  const isTransient =
    PASSING_CODES.has(details.serverResponseCode?.toUpperCase() ?? '') || PASSING_WORDS.test(words);
  if (isNo && !isTransient) {
    return details.authenticationFailed === true
      ? new CredentialRejected(sentence, options)
      : new SourceRefused(sentence, options);
  }
  return new SourceUnavailable(sentence, options);
}

/** One side speaks TLS and the other does not; neither OpenSSL nor a timeout reports that in plain words. */
function tlsMismatch({ host, port, useTls }: ImapAddress, error: ImapFailure): Error | null {
  const options = { cause: error };
  const isPlainAnswer = /wrong version number|packet length too long/i.test(error.message);
  if (useTls && (isPlainAnswer || PLAIN_ANSWER_CODES.has(error.code ?? ''))) {
    return new SourceRefused(
      `${host} answers without TLS on port ${port}. Set "use_tls" to false, so that STARTTLS is used, or "port" to one with TLS from the start (993).`,
      options,
    );
  }
  if (!useTls && error.code === 'GREETING_TIMEOUT') {
    return new SourceUnavailable(
      `${host} sent no greeting on port ${port} within ${GREETING_TIMEOUT_MS / 1_000} s, like a server that waits for TLS. Set "use_tls" to true, or "port" to one with STARTTLS (143).`,
      options,
    );
  }
  return null;
}

const PLAIN_ANSWER_CODES = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** Shorter secrets would blot out parts of ordinary words, and reveal themselves that way. */
const MIN_SECRET_LENGTH = 6;

export function secretsOf(password: string): string[] {
  return password.length < MIN_SECRET_LENGTH ? [] : [password];
}
