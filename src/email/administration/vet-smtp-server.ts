import type { OutboundGuard } from '#src/platform/outbound.ts';
import { whyPortForbidden } from '#src/email/smtp-port.ts';
import { vetMailServer } from './vet-mail-server.ts';

const FIELDS = { host: 'smtp_host', port: 'smtp_port', example: 'smtp.example.com' };

/**
 * Checks an SMTP server before it is saved; see `vetMailServer`.
 * @returns host and port in the form used for connections
 * @throws Problem BAD_REQUEST that says what is wrong with them
 */
export async function vetSmtpServer(
  guard: OutboundGuard,
  { host, port }: { host: string; port: number },
  { allowPort25, signal }: { allowPort25: boolean; signal: AbortSignal },
): Promise<{ host: string; port: number }> {
  const forbidden = whyPortForbidden(port, { allowPort25 });
  return {
    host: await vetMailServer(guard, { host, forbidden }, { fields: FIELDS, signal }),
    port,
  };
}
