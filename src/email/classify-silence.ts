import type { ClassifiedFailure, SmtpFailure } from './smtp-failure.ts';
import { isImplicitTls } from './smtp-port.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

const permanent = (errorClass: SmtpErrorClass): ClassifiedFailure => ({
  errorClass,
  isTemporary: false,
  limit: null,
});
const temporary = (errorClass: SmtpErrorClass): ClassifiedFailure => ({
  errorClass,
  isTemporary: true,
  limit: null,
});

/** Classifies failures without a negative reply: the connection or TLS failed, or the reply was not SMTP. */
export function classifySilence(failure: SmtpFailure, port: number): ClassifiedFailure {
  if (failure.code === 'EDNS') {
    return failure.originalCode === 'EAI_AGAIN' ? temporary('dns_error') : permanent('dns_error');
  }
  const systemCode = failure.originalCode || failure.code;
  const ofTls = classOfTls(systemCode, port);
  if (ofTls !== null) return permanent(ofTls);
  if (UNREACHABLE.has(systemCode)) return temporary('connection_refused');
  if (systemCode === 'ETIMEDOUT') return temporary('timeout');
  switch (failure.code) {
    case 'ENOAUTH':
      return permanent('auth_unavailable');
    case 'EAUTH':
      // The first: a missing password. The second: a reply that is neither positive nor negative is not SMTP.
      return permanent(failure.replyCode === null ? 'auth_failed' : 'not_smtp');
    case 'EPROTOCOL':
      return permanent('not_smtp');
    case 'EMESSAGE':
      // Larger than the server's announced maximum.
      return permanent(failure.command === 'MAIL FROM' ? 'message_rejected' : 'not_smtp');
    case 'EENVELOPE':
      return permanent(failure.replyCode === null ? 'failed' : 'not_smtp');
    case 'ETLS':
      return failure.command === 'STARTTLS'
        ? permanent('starttls_unavailable')
        : temporary('tls_failed');
    case 'ECONNECTION':
    case 'ESOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return temporary('connection_closed');
    default:
      return permanent('failed');
  }
}

/** Nothing listens there, or there is no route. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPERM',
]);

/** OpenSSL's errors for a response that is not TLS. */
const NO_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNKNOWN_PROTOCOL',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** Node's X.509 verification codes, from "X509 certificate error codes" in its TLS documentation. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_C|INVALID_|PATH_LENGTH_EXCEEDED$)/;

function classOfTls(systemCode: string, port: number): SmtpErrorClass | null {
  if (systemCode === 'ERR_TLS_CERT_ALTNAME_INVALID' || systemCode === 'HOSTNAME_MISMATCH') {
    return 'tls_hostname_mismatch';
  }
  if (UNTRUSTED.test(systemCode)) return 'tls_untrusted';
  if (NO_TLS.has(systemCode) && isImplicitTls(port)) return 'tls_mode_mismatch';
  return /^ERR_(?:SSL|TLS)_|^EPROTO$/.test(systemCode) ? 'tls_failed' : null;
}
