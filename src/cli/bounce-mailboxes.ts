import { z } from 'zod';
import { type CommandContext, printJson } from './command-context.ts';
import { UsageError } from './exit.ts';
import { formatCount, formatList, plainLine } from './terminal.ts';

const MAILBOXES = '/bounce-mailboxes';
const pathOf = (id: string): string => `${MAILBOXES}/${encodeURIComponent(id)}`;

const mailboxSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  host: z.string().nullable(),
  port: z.number().nullable(),
  username: z.string().nullable(),
  status: z.string(),
  error: z.string().nullable(),
  returned_total: z.number(),
  last_polled_at: z.string().nullable(),
});
const mailboxList = z.object({ bounce_mailboxes: z.array(mailboxSchema), total: z.number() });
const newMailbox = mailboxSchema.extend({ report_url: z.string().nullable() });
type Mailbox = z.output<typeof mailboxSchema>;

export interface AddOptions {
  host?: string;
  port?: number;
  user?: string;
  folder?: string;
  account?: string;
}

export async function listMailboxes(context: CommandContext): Promise<void> {
  const { bounce_mailboxes: found } = await context.connect().json('GET', MAILBOXES, mailboxList);
  if (context.wantsJson()) {
    printJson(context, found);
    return;
  }
  const rows = found.map((mailbox) =>
    [
      mailbox.id,
      mailbox.kind,
      placeOf(mailbox),
      mailbox.status,
      formatCount(mailbox.returned_total),
      mailbox.last_polled_at ?? '',
      mailbox.error ?? '',
    ].map(plainLine),
  );
  const head = ['Id', 'Kind', 'Mailbox', 'State', 'Returned', 'Last read', 'Problem'];
  const none = 'There are no bounce mailboxes yet. Add one with: millrace bounces add';
  context.terminal.stdout.write(formatList(head, rows, none));
}

function placeOf({ host, port, username }: Mailbox): string {
  return host === null ? '' : `${username ?? ''} at ${host}:${port}`;
}

export async function addMailbox(
  kind: string,
  { host, port, user, folder, account }: AddOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const body =
    kind === 'webhook'
      ? { kind, email_account_id: account }
      : {
          kind,
          email_account_id: account,
          host: required('--host', host),
          port,
          username: required('--user', user),
          password: await readPassword(user ?? '', context),
          folder,
        };
  const mailbox = await client.json('POST', MAILBOXES, newMailbox, { body });
  if (context.wantsJson()) {
    printJson(context, mailbox);
    return;
  }
  const { stdout } = context.terminal;
  stdout.write(`Added ${plainLine(mailbox.id)}.\n`);
  if (mailbox.report_url !== null) {
    stdout.write(
      `Let your mail provider post to this URL. Keep it secret; it is not shown again:\n${plainLine(mailbox.report_url)}\n`,
    );
  } else stdout.write('To check whether it can be read: millrace bounces list\n');
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new UsageError(`${name} is missing: a mailbox needs --host and --user.`);
}

/** Never an argument: arguments appear in the shell history and the process list. */
async function readPassword(user: string, context: CommandContext): Promise<string> {
  if (context.mailboxPassword !== null) return context.mailboxPassword;
  const typed = await context.terminal.askSecret?.(`Mailbox password of ${plainLine(user)}: `);
  if (typed !== undefined && typed !== '') return typed;
  throw new UsageError(
    'The password of the mailbox is missing. Set MILLRACE_MAILBOX_PASSWORD, or enter it at a terminal.',
  );
}

export async function pollMailbox(id: string, context: CommandContext): Promise<void> {
  const path = `${pathOf(id)}/poll`;
  const mailbox = await context.connect().json('POST', path, mailboxSchema, { repeatable: true });
  if (context.wantsJson()) printJson(context, mailbox);
  else
    context.terminal.stdout.write('It will be polled now. For the result: millrace bounces list\n');
}

export async function removeMailbox(id: string, context: CommandContext): Promise<void> {
  const answer = await context
    .connect()
    .json('DELETE', pathOf(id), z.looseObject({ id: z.string() }));
  if (context.wantsJson()) printJson(context, answer);
  else context.terminal.stdout.write(`Removed ${plainLine(answer.id)}. Its mail is kept.\n`);
}
