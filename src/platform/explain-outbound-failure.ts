import { OutboundError, type OutboundErrorKind } from './outbound.ts';

/**
 * What a failed call means for its caller. The message names only the host, because paths and queries may contain
 * secrets.
 */
export function explainOutboundFailure(error: unknown, host: string): OutboundError {
  const causes = causesOf(error);
  for (const cause of causes) {
    if (cause instanceof OutboundError) return cause;
  }
  for (const cause of causes) {
    const code = codeOf(cause);
    const known = explainCode(code, cause);
    if (known !== null)
      return new OutboundError(known.kind, `${host} ${known.reason}`, { cause: error, code });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new OutboundError('network', `${host} could not be called: ${reason}`, {
    cause: error,
    code: causes.map(codeOf).find((code) => code !== '') ?? '',
  });
}

/** Deep enough for a connection attempt inside a tunnel inside a request. */
const MAX_CAUSES = 8;

/** The error, its causes, their causes, and so on, the most informative first. */
function causesOf(error: unknown): unknown[] {
  const found: unknown[] = [error];
  for (let index = 0; index < found.length && found.length < MAX_CAUSES; index += 1) {
    const current = found[index];
    if (current instanceof AggregateError) found.push(...tellingFirst(current.errors));
    if (current instanceof Error && current.cause !== undefined) found.push(current.cause);
  }
  return found;
}

/** No route from here, such as IPv6 from a machine without it: the failure at another address is more informative. */
const NO_WAY_CODES: readonly string[] = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

function tellingFirst(errors: readonly unknown[]): unknown[] {
  const isWayless = (error: unknown): boolean => NO_WAY_CODES.includes(codeOf(error));
  return [...errors.filter((error) => !isWayless(error)), ...errors.filter(isWayless)];
}

/**
 * An AggregateError of several attempts carries the code of the first one; the attempts' own codes are used instead.
 */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return '';
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

interface Explanation {
  kind: OutboundErrorKind;
  reason: string;
}

function explainCode(code: string, error: unknown): Explanation | null {
  const known = REASONS[code];
  if (known !== undefined) return { kind: 'network', ...known };
  if (code.startsWith('HPE_'))
    return { kind: 'network', reason: 'sent an answer that is not HTTP.' };
  if (/^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|_CERT/.test(code)) {
    return { kind: 'network', reason: `offered no trustworthy TLS connection (${code}).` };
  }
  if (code === 'UND_ERR_INVALID_ARG' && error instanceof Error) {
    // The library's message contains the header's name, never its value.
    return {
      kind: 'refused',
      reason: `was not called, because the request is not valid: ${error.message}.`,
    };
  }
  return null;
}

const REASONS: Readonly<Record<string, { kind?: OutboundErrorKind; reason: string }>> = {
  ENOTFOUND: { reason: 'could not be found in the DNS (ENOTFOUND).' },
  EAI_AGAIN: { reason: 'could not be looked up: the DNS did not answer (EAI_AGAIN).' },
  ECONNREFUSED: { reason: 'refused the connection (ECONNREFUSED).' },
  ECONNRESET: { reason: 'reset the connection (ECONNRESET).' },
  EPIPE: { reason: 'closed the connection (EPIPE).' },
  EHOSTUNREACH: { reason: 'cannot be reached (EHOSTUNREACH).' },
  ENETUNREACH: { reason: 'cannot be reached (ENETUNREACH).' },
  ETIMEDOUT: { kind: 'timeout', reason: 'did not answer (ETIMEDOUT).' },
  UND_ERR_CONNECT_TIMEOUT: { kind: 'timeout', reason: 'did not accept a connection in time.' },
  UND_ERR_SOCKET: { reason: 'closed the connection before its answer was complete.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    reason: 'sent a body whose length differs from its Content-Length.',
  },
  UND_ERR_HEADERS_OVERFLOW: { kind: 'too-large', reason: 'sent headers that are too large.' },
  ERR_STREAM_PREMATURE_CLOSE: { reason: 'closed the connection before its answer was complete.' },
  UND_ERR_PRX_CONN: {
    reason: 'could not be reached, because the proxy refused or dropped the connection.',
  },
  UND_ERR_PRX_TLS: {
    reason: 'could not be reached, because the proxy offered no trustworthy TLS connection.',
  },
};
