import { z } from 'zod';
import { type CommandContext, printJson } from './command-context.ts';
import { UsageError } from './exit.ts';
import { formatCount, formatList, plainLine } from './terminal.ts';

const ACCOUNTS = '/email-accounts';
export const pathOfAccount = (id: string): string => `${ACCOUNTS}/${encodeURIComponent(id)}`;

const accountSchema = z.looseObject({
  id: z.string(),
  email: z.string(),
  verified: z.boolean(),
  default: z.boolean(),
  daily_limit: z.number(),
  daily_sent: z.number(),
  smtp_host: z.string(),
  smtp_port: z.number(),
});
const accountList = z.object({ accounts: z.array(accountSchema), total: z.number() });
const newAccount = accountSchema.extend({ verification_token: z.string() });
const deletedAccount = z.looseObject({
  email: z.string(),
  default_deleted: z.boolean(),
});

export interface AddOptions {
  host?: string;
  port?: number;
  user?: string;
  fromName?: string;
  dailyLimit?: number;
}

export async function listAccounts(context: CommandContext): Promise<void> {
  const { accounts } = await context.connect().json('GET', ACCOUNTS, accountList);
  if (context.wantsJson()) {
    printJson(context, accounts);
    return;
  }
  const rows = accounts.map((account) =>
    [
      account.id,
      account.email,
      account.verified ? 'yes' : 'no',
      account.default ? 'yes' : 'no',
      `${formatCount(account.daily_sent)} of ${formatCount(account.daily_limit)}`,
      `${account.smtp_host}:${account.smtp_port}`,
    ].map(plainLine),
  );
  const head = ['Id', 'Address', 'Verified', 'Default', 'Today', 'Server'];
  context.terminal.stdout.write(
    formatList(head, rows, 'There are no sender accounts yet: "millrace email add".'),
  );
}

export async function addAccount(
  email: string,
  { host, port, user, fromName, dailyLimit }: AddOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const body = {
    email,
    smtp_password: await readPassword(email, context),
    smtp_host: host,
    smtp_port: port,
    smtp_user: user,
    from_name: fromName,
    daily_limit: dailyLimit,
  };
  const account = await client.json('POST', ACCOUNTS, newAccount, { body });
  if (context.wantsJson()) {
    printJson(context, account);
    return;
  }
  const { id, smtp_host, smtp_port, verification_token: token } = account;
  context.terminal.stdout.write(
    `${plainLine(`Added ${account.email}, sending through ${smtp_host}:${smtp_port}.`)}\n` +
      `${plainLine(`Verify it with: millrace email verify ${id} --to <address>`)}\n` +
      `${plainLine(`Its test messages contain ${token}`)}\n`,
  );
}

/** Never an argument: arguments appear in the shell history and the process list. */
async function readPassword(email: string, context: CommandContext): Promise<string> {
  if (context.smtpPassword !== null) return context.smtpPassword;
  const typed = await context.terminal.askSecret?.(`SMTP password of ${plainLine(email)}: `);
  if (typed !== undefined && typed !== '') return typed;
  throw new UsageError(
    'The SMTP password is missing. Set MILLRACE_SMTP_PASSWORD, or enter it at a terminal.',
  );
}

export async function setDefaultAccount(id: string, context: CommandContext): Promise<void> {
  const path = `${pathOfAccount(id)}/set-default`;
  const answer = await context
    .connect()
    .json('POST', path, z.looseObject({ email: z.string() }), { repeatable: true });
  if (context.wantsJson()) printJson(context, answer);
  else context.terminal.stdout.write(`${plainLine(answer.email)} is now the default.\n`);
}

export async function removeAccount(id: string, context: CommandContext): Promise<void> {
  const answer = await context.connect().json('DELETE', pathOfAccount(id), deletedAccount);
  if (context.wantsJson()) {
    printJson(context, answer);
    return;
  }
  context.terminal.stdout.write(`Removed ${plainLine(answer.email)}.\n`);
  if (!answer.default_deleted) return;
  context.terminal.stderr.write(
    'No account is the default now. Choose one with: millrace email set-default <id>\n',
  );
}
