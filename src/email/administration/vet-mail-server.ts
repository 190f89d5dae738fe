import { isIP } from 'node:net';
import { Problem } from '#src/platform/errors.ts';
import type { OutboundGuard } from '#src/platform/outbound.ts';
import { vetHost } from '#src/platform/vet-host.ts';

/** The request's field names for a server. */
export interface ServerFields {
  host: string;
  port: string;
  /** An example host name. */
  example: string;
}

/**
 * Checks a mail server before it is saved; every connection is checked again. The error for a forbidden host does not
 * depend on what it resolves to. A name that does not resolve at the moment is accepted: the first connection will
 * report it.
 * @param server `forbidden`: why the port is allowed only at hosts that the operator has opened; null when it is
 * allowed everywhere
 * @returns the host in the form used for connections
 * @throws Problem BAD_REQUEST that says what is wrong with it
 */
export async function vetMailServer(
  guard: OutboundGuard,
  server: { host: string; forbidden: string | null },
  { fields, signal }: { fields: ServerFields; signal: AbortSignal },
): Promise<string> {
  const host = readHost(server.host, fields);
  const { forbidden } = server;
  if (forbidden !== null && (await vetHost(guard, host, signal, 'opened')) !== 'reachable') {
    throw wrong(fields.port, forbidden.replace(/\.$/, ''));
  }
  if ((await vetHost(guard, host, signal)) === 'refused') {
    throw wrong(
      fields.host,
      `${host} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
    );
  }
  return host;
}

/**
 * Normalizes the host as URLs do: exposes disguised addresses such as `0x7f.1`, and converts names to lower-case ASCII.
 */
function readHost(text: string, fields: ServerFields): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/(?<=[^.])\.$/, '');
  const isV6 = isIP(bare) === 6;
  const looksLikeHost = isV6 || /^[\p{L}\p{M}\p{N}_.-]+$/u.test(bare);
  const url = looksLikeHost ? URL.parse(`http://${isV6 ? `[${bare}]` : bare}/`) : null;
  if (url === null || url.hostname === '') {
    throw wrong(
      fields.host,
      `must be a host name such as ${fields.example}, without a scheme, a port or a path`,
    );
  }
  return url.hostname.replaceAll(/^\[|\]$/g, '');
}

function wrong(field: string, sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.${field}: ${sentence}.`);
}
