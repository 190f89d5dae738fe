import { isIP } from 'node:net';
import { Problem } from '#src/platform/errors.ts';
import type { OutboundGuard } from '#src/platform/outbound.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import { whyPortForbidden } from '#src/email/smtp-port.ts';

/**
 * Checks an SMTP server before it is saved; every connection is checked again. The error for a forbidden host is the
 * same whatever it resolves to. A name that does not resolve at the moment is accepted: the verification will find out.
 * @returns host and port as they will be used for connections
 * @throws Problem BAD_REQUEST that says what is wrong with them
 */
export async function vetSmtpServer(
  guard: OutboundGuard,
  server: { host: string; port: number },
  { allowPort25, signal }: { allowPort25: boolean; signal: AbortSignal },
): Promise<{ host: string; port: number }> {
  const host = readHost(server.host);
  const forbidden = whyPortForbidden(server.port, { allowPort25 });
  if (forbidden !== null && (await vetHost(guard, host, signal, 'opened')) !== 'reachable') {
    throw wrong('smtp_port', forbidden.replace(/\.$/, ''));
  }
  if ((await vetHost(guard, host, signal)) === 'refused') {
    throw wrong(
      'smtp_host',
      `${host} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
    );
  }
  return { host, port: server.port };
}

/**
 * Normalizes the host like a URL: detects disguised addresses such as `0x7f.1`, and converts names to lower-case ASCII.
 */
function readHost(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/(?<=[^.])\.$/, '');
  const isV6 = isIP(bare) === 6;
  const looksLikeHost = isV6 || /^[\p{L}\p{M}\p{N}_.-]+$/u.test(bare);
  const url = looksLikeHost ? URL.parse(`http://${isV6 ? `[${bare}]` : bare}/`) : null;
  if (url === null || url.hostname === '') {
    throw wrong(
      'smtp_host',
      'must be a host name such as smtp.example.com, without a scheme, a port or a path',
    );
  }
  return url.hostname.replaceAll(/^\[|\]$/g, '');
}

function wrong(field: string, sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.${field}: ${sentence}.`);
}
