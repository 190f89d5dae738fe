import { isIP } from 'node:net';
import type { Mailer, OutgoingMessage, SmtpOutcome } from '#src/email/mailer.ts';
import { createMailer, type SmtpTimeouts } from '#src/email/smtp.ts';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import { readPem, type ScriptedSmtp } from './scripted-smtp.ts';

/** A name that the servers' certificate covers. */
export const SMTP_HOST = 'smtp.acme.example';

/** Short enough for tests, long enough for two busy cores. */
const TIMEOUTS: SmtpTimeouts = { connectMs: 5_000, greetingMs: 5_000, exchangeMs: 10_000 };

/** A mailer for which `names` resolve to loopback addresses. It trusts the scripted servers' certificate. */
export function openTestMailer(
  names: Record<string, string[]>,
  options: { ca?: string; timeouts?: Partial<SmtpTimeouts>; allowPort25?: boolean } = {},
): Mailer {
  return createMailer({
    guard: createOutboundGuard({
      allowCidrs: ['127.0.0.0/8'],
      resolve: async (host) => {
        const addresses = names[host];
        if (!addresses) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' });
        return addresses.map((address) => ({ address, family: isIP(address) }));
      },
    }),
    allowPort25: options.allowPort25 ?? false,
    ca: options.ca ?? readPem('smtp-cert'),
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  });
}

export function outgoingMessage(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    from: { name: 'Ada Example', address: 'ada@acme.example' },
    to: 'bob@other.example',
    replyTo: null,
    subject: 'Hello',
    text: 'Good day.\n',
    html: '<p>Good day.</p>\n',
    messageId: '<m-1@acme.example>',
    date: new Date('2026-05-04T03:02:01Z'),
    headers: {},
    ...changes,
  };
}

interface SendOptions {
  host?: string;
  port?: number;
  message?: OutgoingMessage;
  password?: string;
  mailer?: Mailer;
  beforeData?: () => Promise<void>;
  signal?: AbortSignal;
}

/** Sends one message through the server. */
export function sendThrough(server: ScriptedSmtp, options: SendOptions = {}): Promise<SmtpOutcome> {
  const {
    host = SMTP_HOST,
    port = server.port,
    message = outgoingMessage(),
    password = 's3cret',
    mailer = openTestMailer({ [host]: [server.address] }),
    beforeData = () => Promise.resolve(),
    signal = new AbortController().signal,
  } = options;
  const settings = { host, port, user: 'ada@acme.example', password };
  return mailer.send(settings, message, { beforeData, signal });
}
