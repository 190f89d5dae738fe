import type { ImapFailure } from '#src/platform/imap-failure.ts';
import { GREETING_TIMEOUT_MS, type ImapAddress } from '#src/platform/imap-session.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { cleanMessage } from '#src/connectors/source/source-message.ts';

/** Translates a session's failure into a connector error, with a remedy where one is known. */
export function sourceError(address: ImapAddress, failure: ImapFailure): Error {
  const { host, port, password } = address;
  const { kind, words: raw, cause } = failure;
  const options = { cause: cause ?? failure };
  // Some servers echo their input, which includes the password.
  const words = cleanMessage(raw, secretsOf(password));
  const sentence = `${host}: ${words}`;
  switch (kind) {
    case 'host_refused':
      return new SourceRefused(raw, options);
    case 'host_unavailable':
      return new SourceUnavailable(raw, options);
    case 'unresolved':
      return unresolved(host, cause);
    case 'plain_answer':
      return new SourceRefused(
        `${host} answers without TLS on port ${port}. Set "use_tls" to false, to use STARTTLS, or "port" to one with TLS from the start (993).`,
        options,
      );
    case 'no_greeting':
      return new SourceUnavailable(
        `${host} sent no greeting on port ${port} within ${GREETING_TIMEOUT_MS / 1_000} s, like a server that waits for TLS. Set "use_tls" to true, or "port" to one with STARTTLS (143).`,
        options,
      );
    case 'tls':
    case 'refused':
      return new SourceRefused(sentence, options);
    case 'credential':
      return new CredentialRejected(sentence, options);
    case 'closed':
      return new SourceUnavailable(`${host} closed the connection${words ? `: ${words}` : '.'}`);
    case 'stopped':
      return new SourceUnavailable(`${host} ${words}.`);
    case 'unavailable':
      return new SourceUnavailable(sentence, options);
  }
}

/** Name servers fail, too: then a run waits and asks again. */
function unresolved(host: string, cause: unknown): SourceUnavailable {
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

/** Shorter secrets would blot out parts of ordinary words, and reveal themselves that way. */
const MIN_SECRET_LENGTH = 6;

function secretsOf(password: string): string[] {
  return password.length < MIN_SECRET_LENGTH ? [] : [password];
}
