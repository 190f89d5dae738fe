import type { OutboundGuard } from '#src/platform/outbound.ts';
import type { OutboundReach } from '#src/platform/outbound-guard.ts';
import { vetHost } from '#src/platform/vet-host.ts';

/** TLS from the first byte (RFC 8314), and the alternative port that hosters open where 465 is blocked. */
const IMPLICIT_TLS: ReadonlySet<number> = new Set([465, 2465]);
/** Submission (RFC 6409) and its alternatives: plain text first, then mandatory STARTTLS. */
const STARTTLS: ReadonlySet<number> = new Set([587, 2587, 2525]);
const MAIL_EXCHANGE = 25;

/** Whether a server at this port speaks TLS from the start. */
export function isImplicitTls(port: number): boolean {
  return IMPLICIT_TLS.has(port);
}

/**
 * Why mail cannot be sent through this port of a public host, with the remedy. Null when the port is allowed. Hosts
 * inside OUTBOUND_ALLOW_CIDRS are the operator's own relays and may use any port.
 */
export function whyPortForbidden(
  port: number,
  { allowPort25 }: { allowPort25: boolean },
): string | null {
  if (IMPLICIT_TLS.has(port) || STARTTLS.has(port)) return null;
  if (port !== MAIL_EXCHANGE) {
    return `Port ${port} is not a mail submission port. Use 465 or 2465 (TLS from the start), or 587, 2587 or 2525 (STARTTLS). Other ports are for hosts that the operator has opened with OUTBOUND_ALLOW_CIDRS.`;
  }
  if (allowPort25) return null;
  return 'Port 25 is for mail between servers, and blocked here. Use 465 or 587; the operator can open it with SMTP_ALLOW_PORT_25, and open hosts with OUTBOUND_ALLOW_CIDRS.';
}

/** The hosts that may be reached on this port. */
export function reachOfPort(port: number, options: { allowPort25: boolean }): OutboundReach {
  return whyPortForbidden(port, options) === null ? 'public' : 'opened';
}

/**
 * Whether mail is refused because of its port alone. A host that does not resolve is reported when the connection is
 * made.
 * @throws the signal's reason
 */
export async function isPortClosed(
  { host, port }: { host: string; port: number },
  { guard, reach, signal }: { guard: OutboundGuard; reach: OutboundReach; signal: AbortSignal },
): Promise<boolean> {
  if (reach === 'public') return false;
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535;
  return !isPort || (await vetHost(guard, host, signal, reach)) === 'refused';
}
