import { z } from 'zod';
import type { ImapAddress } from '#src/platform/imap-session.ts';

export const imapSettings = z.strictObject({
  host: z
    .string()
    .trim()
    .min(1)
    .max(253)
    .describe('The name of the IMAP server: imap.example.com.')
    .meta({ title: 'Mail server' }),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .default(993)
    .describe('993 with TLS from the start, 143 with STARTTLS.'),
  mailboxes: z
    .array(z.string().min(1))
    .min(1)
    .nullable()
    .default(null)
    .describe('Mailboxes to read, by their full names. Without it: all but trash and junk.'),
  use_tls: z
    .boolean()
    .default(true)
    .describe('TLS from the start. False: STARTTLS, and no connection without it.')
    .meta({ title: 'TLS from the start' }),
});
export type ImapSettings = z.infer<typeof imapSettings>;

export const imapCredential = z.strictObject({
  imap_username: z
    .string()
    .min(1)
    .describe('The name to sign in with, often the whole address.')
    .meta({ title: 'User' }),
  imap_password: z
    .string()
    .min(1)
    .describe('The password, or an app password where the provider asks for one.')
    .meta({ title: 'Password', writeOnly: true }),
});
export type ImapCredential = z.infer<typeof imapCredential>;

export function addressOf(settings: ImapSettings, credential: ImapCredential): ImapAddress {
  return {
    host: settings.host,
    port: settings.port,
    useTls: settings.use_tls,
    username: credential.imap_username,
    password: credential.imap_password,
  };
}
