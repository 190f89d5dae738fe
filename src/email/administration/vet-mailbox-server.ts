import type { OutboundGuard } from '#src/platform/outbound.ts';
import { defaultPort, defaultUseTls, isMailboxPort } from '#src/email/bounces/inbox.ts';
import { vetMailServer } from './vet-mail-server.ts';

interface NamedServer {
  kind: 'imap' | 'pop3';
  host: string;
  port: number | undefined;
  useTls: boolean | undefined;
}

/**
 * Fills in defaults and checks the server before it is saved; see `vetMailServer`.
 * @throws Problem BAD_REQUEST that says what is wrong with it
 */
export async function vetMailboxServer(
  guard: OutboundGuard,
  { kind, host: named, ...rest }: NamedServer,
  signal: AbortSignal,
): Promise<{ host: string; port: number; use_tls: boolean }> {
  const port = rest.port ?? defaultPort(kind, rest.useTls ?? true);
  const useTls = rest.useTls ?? defaultUseTls(kind, port);
  const forbidden = isMailboxPort(kind, port)
    ? null
    : `Port ${port} is not a standard port of ${kind.toUpperCase()}. Use ${defaultPort(kind, true)} (TLS from the start) or ${defaultPort(kind, false)} (STARTTLS). Other ports are allowed only at hosts that the operator has opened with OUTBOUND_ALLOW_CIDRS.`;
  const fields = { host: 'host', port: 'port', example: `${kind}.example.com` };
  const host = await vetMailServer(guard, { host: named, forbidden }, { fields, signal });
  return { host, port, use_tls: useTls };
}
