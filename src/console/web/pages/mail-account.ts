import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { go, link, linkWith, query } from '#src/console/web/data/place.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import {
  empty,
  figures,
  known,
  liveMark,
  notice,
  page,
  section,
} from '#src/console/web/parts/page.ts';
import { pager, table, twoLines } from '#src/console/web/parts/table.ts';
import { due, time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { deliverabilitySection } from './mail-deliverability.ts';
import { paceSection } from './mail-pace.ts';
import { returnedSection } from './mail-returned.ts';
import { type Account, accountBadge, accountFields, filledIn, usage } from './mail.ts';

type Messages = Reply<'GET /email-messages'>;
const STATUSES = [
  'queued',
  'sending',
  'sent',
  'failed',
  'unknown',
  'bounced',
  'complained',
] as const;
type Told = Messages & { account: Account };
type Mailboxes = Reply<'GET /bounce-mailboxes'>;

const reload = (): Promise<void> =>
  refresh(
    'GET /email-accounts/{id}',
    'GET /email-accounts',
    'GET /email-messages',
    'GET /bounce-mailboxes',
  );

/** Did my messages go out? */
export function MailAccount({ id = '' }: { id?: string }): Part {
  const account = useResource('GET /email-accounts/{id}', { path: { id } });
  const status = STATUSES.find((name) => name === query.value.get('status'));
  const cursor = query.value.get('cursor');
  const listing = { query: { email_account_id: id, status, cursor, limit: 50 } };
  const messages = useResource('GET /email-messages', listing);
  const take = (told: unknown): void => {
    // The stream has the shape of the description, which says what this topic tells.
    const { account: latest, ...first } = told as Told;
    put('GET /email-accounts/{id}', { path: { id } }, latest);
    if (status === undefined && cursor === null) put('GET /email-messages', listing, first);
    else void refresh('GET /email-messages');
  };
  useLive(
    {
      [`sender-account:${id}`]: take,
      'bounce-mailboxes': (told) => put('GET /bounce-mailboxes', {}, told as Mailboxes),
    },
    reload,
  );
  const { data } = account;
  return page({
    title: data?.email ?? 'Sender account',
    under: { text: 'Sender accounts', href: link('/mail') },
    badge: data && accountBadge(data),
    actions: data && [liveMark(), roleOf(session.value) === 'admin' && actions(data)],
    content: [
      known(account, standing, reload),
      data && deliverabilitySection(data),
      data && paceSection(data),
      data && returnedSection(data),
      section({
        title: 'Messages',
        isFlush: true,
        actions: choiceFilter({ name: 'status', label: 'State', options: STATUSES }),
        content: known(messages, (found) => messageTable(found, status !== undefined), reload),
      }),
    ],
  });
}

function actions(account: Account): Parts {
  const { id, verified, default: isDefault } = account;
  return [
    button({ text: 'Verify', look: verified ? '' : 'primary', run: () => askToVerify(account) }),
    button({
      text: 'Make default',
      whyNot: isDefault ? 'It is the default already.' : null,
      run: async () => {
        await call('POST /email-accounts/{id}/set-default', { path: { id } });
        say(`${account.email} is the default sender.`);
        await reload();
      },
    }),
    button({ text: 'Change', run: () => askToChange(account) }),
    button({ text: 'Delete', look: 'danger', run: () => askToDelete(account) }),
  ];
}

function standing(account: Account): Parts {
  return [
    !account.verified &&
      notice('amber', 'It sends nothing before it is verified: a test message goes through it.'),
    figures([
      { name: 'Sent today', value: usage(account) },
      {
        name: 'Day ends',
        value: time(account.daily_resets_at),
        more: account.time_zone,
        isWords: true,
      },
      {
        name: 'Server',
        value: account.smtp_host,
        more: `port ${account.smtp_port}`,
        isWords: true,
      },
      { name: 'Verified', value: time(account.verified_at, 'not yet'), isWords: true },
    ]),
  ];
}

function messageTable({ messages, next_cursor: next }: Messages, isFiltered: boolean): Part {
  if (messages.length === 0)
    return empty(
      isFiltered
        ? 'No message has this state.'
        : 'Messages that are sent through this account will be listed here.',
    );
  return table({
    caption: 'Messages',
    rows: messages,
    keyOf: (message) => message.id,
    columns: [
      {
        name: 'To',
        role: 'main',
        show: ({ to, error, kind }) =>
          twoLines(html`<span>${to}</span>`, error ?? kind, { matters: error !== null }),
      },
      { name: 'State', role: 'state', show: (message) => badge(message.status) },
      {
        name: 'Attempts',
        isNumber: true,
        label: 'attempts',
        show: ({ attempts }) => count(attempts),
      },
      { name: 'Next', label: 'next', show: (message) => due(message.next_attempt_at) },
      { name: 'Made', label: 'made', show: (message) => time(message.created_at) },
    ],
    foot: pager({
      count: `${plural(messages.length, 'message')} on this page`,
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next && linkWith({ cursor: next }),
    }),
  });
}

function askToVerify({ id, email }: Account): void {
  openDialog({
    title: `Verify ${email}`,
    content: () =>
      form({
        action: 'Send a test message',
        cancel: closeDialog,
        fields: [
          {
            name: 'test_recipient',
            label: 'To',
            kind: 'email',
            isRequired: true,
            help: 'An address whose mail you can read.',
          },
        ],
        submit: async ({ test_recipient: to }) => {
          const reply = await call('POST /email-accounts/{id}/verify', {
            path: { id },
            body: { test_recipient: String(to) },
          });
          closeDialog();
          say(reply.message, reply.status === 'failed' ? 'red' : 'green');
          await reload();
        },
      }),
  });
}

function askToChange(account: Account): void {
  openDialog({
    title: `Change ${account.email}`,
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: accountFields(account),
        submit: async (values) => {
          await call('PATCH /email-accounts/{id}', {
            path: { id: account.id },
            body: filledIn(values),
          });
          closeDialog();
          say('The account is saved.');
          await reload();
        },
      }),
  });
}

function askToDelete({ id, email }: Account): void {
  confirm({
    title: 'Delete a sender account',
    explain: html`<strong>${email}</strong> with its password and its messages.`,
    action: 'Delete 1 sender account',
    run: async () => {
      await call('DELETE /email-accounts/{id}', { path: { id } });
      void refresh('GET /email-accounts');
      say(`${email} is deleted.`);
      go('/mail');
    },
  });
}
