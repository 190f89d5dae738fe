import { Argument } from 'commander';
import {
  addMailbox,
  type AddOptions,
  listMailboxes,
  pollMailbox,
  removeMailbox,
} from './bounce-mailboxes.ts';
import { type AddCommand, wholeNumber } from './command-context.ts';

const MAILBOX = ['<id>', 'id of the bounce mailbox, as "bounces list" shows it'] as const;

/** `millrace bounces`: manages the mailboxes and webhooks for returned mail. */
export const addBouncesCommand: AddCommand = (program, context) => {
  const bounces = program
    .command('bounces')
    .summary('mailboxes and webhooks for returned mail')
    .description('Manage the mailboxes and webhooks for returned mail. Needs an admin key.');
  const command = (name: string, description: string) =>
    bounces.command(name).description(description);
  command('list', 'List bounce mailboxes and their status.').action(() => listMailboxes(context));
  command(
    'add',
    'Add a mailbox or webhook. The password of a mailbox is read from MILLRACE_MAILBOX_PASSWORD, or prompted for.',
  )
    .addArgument(
      new Argument('<kind>', 'kind of bounce mailbox').choices(['imap', 'pop3', 'webhook']),
    )
    .option('--host <host>', 'IMAP or POP3 server')
    .option(
      '--port <port>',
      'port (default: the standard port with TLS from the start)',
      wholeNumber(1, 65_535),
    )
    .option('--user <name>', 'user name')
    .option('--folder <name>', 'IMAP folder (default: the inbox)')
    .option('--account <id>', 'the only sender account whose mail is returned there')
    .action((kind: string, options: AddOptions) => addMailbox(kind, options, context));
  command('poll', 'Poll a mailbox now.')
    .argument(...MAILBOX)
    .action((id: string) => pollMailbox(id, context));
  command('remove', 'Delete a bounce mailbox; its mail is kept.')
    .argument(...MAILBOX)
    .action((id: string) => removeMailbox(id, context));
};
