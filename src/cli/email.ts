import { type AddCommand, wholeNumber } from './command-context.ts';
import {
  addAccount,
  type AddOptions,
  listAccounts,
  removeAccount,
  setDefaultAccount,
} from './email-accounts.ts';
import { type NewMessage, sendMessage, verifyAccount } from './send-email.ts';

const MAX_DAILY_LIMIT = 1_000_000;
const ACCOUNT = ['<id>', 'id of the account, as "email list" shows it'] as const;

/** `millrace email`: sender accounts, and messages through them. */
export const addEmailCommand: AddCommand = (program, context) => {
  const email = program
    .command('email')
    .summary('sender accounts, and messages through them')
    .description('Manage sender accounts, which needs an admin key, and send messages.');
  const command = (name: string, description: string) =>
    email.command(name).description(description);
  command('list', 'List the sender accounts.').action(() => listAccounts(context));
  command(
    'add',
    'Add a sender account. Its SMTP password is read from MILLRACE_SMTP_PASSWORD, else asked for.',
  )
    .argument('<address>', 'the address that messages come from')
    .option('--host <host>', 'SMTP server (default: that of a known mail provider)')
    .option('--port <port>', "its port (default: the provider's, else 587)", wholeNumber(1, 65_535))
    .option('--user <name>', 'user name there (default: the address)')
    .option('--from-name <name>', 'shown beside the address')
    .option(
      '--daily-limit <n>',
      'messages a day (default: as many as the plan allows)',
      wholeNumber(1, MAX_DAILY_LIMIT),
    )
    .action((address: string, options: AddOptions) => addAccount(address, options, context));
  command('verify', 'Verify an account: send a test message through it.')
    .argument(...ACCOUNT)
    .requiredOption('--to <address>', 'recipient of the test message')
    .action((id: string, options: { to: string }) => verifyAccount(id, options, context));
  command('set-default', 'Make an account the default.')
    .argument(...ACCOUNT)
    .action((id: string) => setDefaultAccount(id, context));
  command('remove', 'Remove an account with its password and the records of its messages.')
    .argument(...ACCOUNT)
    .action((id: string) => removeAccount(id, context));
  command('send', 'Send one message through a verified account.')
    .argument(...ACCOUNT)
    .requiredOption('--to <address>', 'the recipient')
    .requiredOption('--subject <text>', 'its subject')
    .requiredOption('--text <text>', 'text of the message')
    .action((id: string, message: NewMessage) => sendMessage(id, message, context));
};
