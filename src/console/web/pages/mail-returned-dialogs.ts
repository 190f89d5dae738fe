import { call, type Reply } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { secret } from '#src/console/web/parts/copy.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { type Field, form, type Values } from '#src/console/web/parts/form.ts';
import { html } from '#src/console/web/parts/html.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Account } from './mail.ts';

export type Mailbox = Reply<'GET /bounce-mailboxes'>['bounce_mailboxes'][number];

export const reloadMailboxes = (): Promise<void> => refresh('GET /bounce-mailboxes');

const KINDS = [
  { value: 'imap', text: 'a mailbox, by IMAP' },
  { value: 'pop3', text: 'a mailbox, by POP3' },
  { value: 'webhook', text: 'the mail provider posts it' },
] as const;

/** The fields of a mailbox; `from` is the one that is changed, and `kind` what they are asked for. */
function serverFields(kind: 'imap' | 'pop3', email: string, from?: Mailbox): Field[] {
  const when = from === undefined ? { when: { field: 'kind', is: kind } } : {};
  const name = (field: string): string => (from === undefined ? `${kind}.${field}` : field);
  return [
    {
      name: name('host'),
      label: 'Server',
      kind: 'text',
      isRequired: true,
      placeholder: `${kind === 'imap' ? 'imap' : 'pop'}.example.com`,
      ...(from?.host && { value: from.host }),
      ...when,
    },
    {
      name: name('port'),
      label: 'Port',
      kind: 'number',
      min: 1,
      max: 65_535,
      help: kind === 'imap' ? '993 or 143; empty: 993.' : '995 or 110; empty: 995.',
      ...(from?.port && { value: from.port }),
      ...when,
    },
    {
      name: name('username'),
      label: 'User',
      kind: 'text',
      isRequired: true,
      value: from?.username ?? email,
      ...when,
    },
    {
      name: name('password'),
      label: 'Password',
      kind: 'password',
      isRequired: from === undefined,
      autocomplete: 'new-password',
      help:
        from === undefined
          ? 'Kept encrypted. Many providers want an app password here.'
          : 'Empty: as it is. Another server or port needs it again.',
      ...when,
    },
    ...(kind === 'imap'
      ? [
          {
            name: name('folder'),
            label: 'Folder',
            kind: 'text' as const,
            help: 'Empty: the inbox.',
            ...(from?.folder && { value: from.folder }),
            ...when,
          },
        ]
      : []),
  ];
}

export function askForMailbox(account: Account): void {
  openDialog({
    title: 'Where returned mail arrives',
    content: () =>
      form({
        action: 'Name it',
        cancel: closeDialog,
        fields: [
          {
            name: 'kind',
            label: 'How it is read',
            kind: 'choice',
            isRequired: true,
            value: 'imap',
            options: KINDS,
          },
          ...serverFields('imap', account.email),
          ...serverFields('pop3', account.email),
          {
            name: 'is_shared',
            label: 'Messages of all sender accounts come back here, not of this one alone',
            kind: 'check',
          },
        ],
        submit: (values) => make(account, values),
      }),
  });
}

async function make(account: Account, values: Values): Promise<void> {
  const email_account_id = values['is_shared'] === true ? null : account.id;
  const kind = KINDS.find(({ value }) => value === values['kind'])?.value ?? 'imap';
  if (kind === 'webhook') {
    const made = await call('POST /bounce-mailboxes', { body: { kind, email_account_id } });
    void reloadMailboxes();
    showAddress(made.report_url ?? '');
    return;
  }
  const server = serverOf((name) => values[`${kind}.${name}`]);
  const login = { username: server.username ?? '', password: server.password ?? '' };
  const body = { ...server, ...login, host: server.host ?? '', email_account_id };
  await call('POST /bounce-mailboxes', {
    body: kind === 'imap' ? { ...body, kind } : { ...withoutFolder(body), kind },
  });
  closeDialog();
  say('The mailbox is named, and being read.');
  await reloadMailboxes();
}

interface Server {
  host?: string;
  port?: number;
  username?: string;
  password?: string;
  folder?: string;
}

/** What was filled in. */
function serverOf(valueOf: (name: string) => unknown): Server {
  const text = (name: 'host' | 'username' | 'password' | 'folder'): Server => {
    const value = valueOf(name);
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const port = valueOf('port');
  return {
    ...text('host'),
    ...text('username'),
    ...text('password'),
    ...text('folder'),
    ...(typeof port === 'number' && { port }),
  };
}

function withoutFolder<T extends { folder?: string }>({
  folder: _,
  ...rest
}: T): Omit<T, 'folder'> {
  return rest;
}

function showAddress(url: string): void {
  openDialog({
    title: 'Address for the mail provider',
    isWide: true,
    content: () =>
      html`<div class="stack">
        ${notice('amber', 'Copy it now: it is shown this once, and whoever knows it may post to it.')}
        ${secret(url, 'address')}
        <p>
          Enter it where Amazon SES (through SNS), Mailgun, Postmark or SendGrid ask for a webhook
          for bounces and complaints.
        </p>
        <div class="actions">${button({ text: 'Done', look: 'primary', run: closeDialog })}</div>
      </div>`,
  });
}

export function askToChange(mailbox: Mailbox): void {
  const { id, kind, username } = mailbox;
  if (kind === 'webhook') return;
  openDialog({
    title: 'Change the mailbox',
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: serverFields(kind, username ?? '', mailbox),
        submit: async (values) => {
          const server = serverOf((name) => values[name]);
          const folder = kind === 'imap' ? { folder: server.folder ?? null } : {};
          await call('PATCH /bounce-mailboxes/{id}', {
            path: { id },
            body: { ...withoutFolder(server), ...folder },
          });
          closeDialog();
          say('The mailbox is saved, and being read.');
          await reloadMailboxes();
        },
      }),
  });
}

export function askToDelete({ id, kind, username }: Mailbox): void {
  const name = kind === 'webhook' ? 'The web address' : (username ?? 'The mailbox');
  confirm({
    title: 'Read it no more',
    explain: html`<strong>${name}</strong> is read no more, and its password is forgotten. The mail
      in it stays. What comes back from now on is not noticed.`,
    action: kind === 'webhook' ? 'Delete 1 address' : 'Delete 1 mailbox',
    run: async () => {
      await call('DELETE /bounce-mailboxes/{id}', { path: { id } });
      say('It is deleted.');
      await reloadMailboxes();
    },
  });
}
