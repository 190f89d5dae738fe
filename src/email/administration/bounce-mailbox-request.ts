import { z } from 'zod';

const MAX_HOST_LENGTH = 253;
const MAX_USER_LENGTH = 320;
const MAX_PASSWORD_LENGTH = 1_000;
const MAX_FOLDER_LENGTH = 500;

const oneLine = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine(
      (text) => !/\p{Cc}|\p{Cs}/u.test(text),
      'must not contain control characters or unpaired surrogates',
    );

const server = {
  host: oneLine(MAX_HOST_LENGTH).describe('The IMAP or POP3 server, such as imap.example.com.'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      '993 or 143 for IMAP, 995 or 110 for POP3; others are refused. The default follows use_tls.',
    ),
  use_tls: z
    .boolean()
    .optional()
    .describe(
      'true: TLS from the start. false: STARTTLS, which is then required. The default follows port.',
    ),
  username: oneLine(MAX_USER_LENGTH).describe('The user name, often the whole address.'),
  password: oneLine(MAX_PASSWORD_LENGTH).describe(
    'Stored encrypted and never shown. Many providers require an app password.',
  ),
};
const folder = oneLine(MAX_FOLDER_LENGTH)
  .nullish()
  .describe('Full name of the folder to read. Null: the inbox.');
const account = z
  .uuid('must be the id of an email account')
  .nullish()
  .describe(
    'The only sender account whose messages come back here; the mailbox is deleted with it. Null: all accounts of the workspace.',
  );

export const newBounceMailboxSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('imap'), email_account_id: account, ...server, folder }),
    z.strictObject({ kind: z.literal('pop3'), email_account_id: account, ...server }),
    z.strictObject({ kind: z.literal('webhook'), email_account_id: account }),
  ])
  .meta({ id: 'NewBounceMailbox' });
export type NewBounceMailbox = z.output<typeof newBounceMailboxSchema>;

/** Omitted fields stay unchanged. */
export const bounceMailboxChangeSchema = z
  .strictObject({ ...server, folder })
  .partial()
  .meta({ id: 'BounceMailboxChange' });
export type BounceMailboxChange = z.output<typeof bounceMailboxChangeSchema>;
