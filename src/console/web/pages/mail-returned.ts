import { call } from '#src/console/web/data/call.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { facts, known, notice, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Account } from './mail.ts';
import {
  askForMailbox,
  askToChange,
  askToDelete,
  type Mailbox,
  reloadMailboxes,
} from './mail-returned-dialogs.ts';

/** Where messages that come back arrive, and whether that is read. */
export function returnedSection(account: Account): Part {
  return html`<${Returned} key="returned" account=${account} />`;
}

function Returned({ account }: { account: Account }): Part {
  const mailboxes = useResource('GET /bounce-mailboxes');
  const own = (mailboxes.data?.bounce_mailboxes ?? []).filter(
    ({ email_account_id: id }) => id === account.id || id === null,
  );
  const isAdmin = roleOf(session.value) === 'admin';
  return section({
    title: 'Returned mail',
    actions:
      isAdmin &&
      mailboxes.data &&
      button({
        text: 'Name a mailbox',
        icon: 'plus',
        look: 'tiny',
        run: () => askForMailbox(account),
      }),
    content: known(
      mailboxes,
      () =>
        own.length === 0
          ? html`<p class="muted">
              Messages that cannot be delivered come back to ${account.email}. Name the mailbox in
              which they arrive: they then end as “came back”, and dead addresses are written to no
              more.
            </p>`
          : html`<ul class="plain-list stack">
              ${own.map((mailbox) => html`<li key=${mailbox.id}>${standing(mailbox, isAdmin)}</li>`)}
            </ul>`,
      reloadMailboxes,
    ),
  });
}

function standing(mailbox: Mailbox, isAdmin: boolean): Parts {
  const { kind, host, port, username, folder, error, returned_total: returned } = mailbox;
  return html`<div class="stack tight">
    <div class="row apart">
      <span class="row">
        <strong
          >${kind === 'webhook' ? 'Web address for a mail provider' : `${username ?? ''} at ${host ?? ''}:${port ?? ''}`}</strong
        >
        ${stateLabel(mailbox)}
      </span>
      ${isAdmin && html`<span class="row">${actions(mailbox)}</span>`}
    </div>
    ${error !== null && notice('red', error)}
    ${facts([
      kind === 'webhook' ? null : ['Read by', `${kind.toUpperCase()}, ${folder ?? 'inbox'}`],
      ['Of', mailbox.email_account_id === null ? 'all sender accounts' : 'this sender account'],
      kind === 'webhook' ? null : ['Last read', time(mailbox.last_polled_at, 'not yet')],
      [
        'Came back',
        returned === 0
          ? 'nothing so far'
          : html`${plural(returned, 'message')}, the last ${time(mailbox.last_returned_at)}`,
      ],
    ])}
  </div>`;
}

function stateLabel({ status, kind }: Mailbox): Part {
  switch (status) {
    case 'ok':
      return label({ tone: 'green', icon: 'check', word: 'works' });
    case 'failing':
      return label({ tone: 'red', icon: 'cross', word: 'failing' });
    case 'waiting':
      return label({
        tone: 'blue',
        icon: 'wait',
        word: kind === 'webhook' ? 'nothing came yet' : 'not read yet',
      });
  }
}

function actions(mailbox: Mailbox): Parts {
  const { id, kind } = mailbox;
  return [
    kind !== 'webhook' &&
      button({
        text: 'Read now',
        icon: 'retry',
        look: 'tiny',
        run: async () => {
          await call('POST /bounce-mailboxes/{id}/poll', { path: { id } });
          say('The mailbox is being read.');
          await reloadMailboxes();
        },
      }),
    kind !== 'webhook' && button({ text: 'Change', look: 'tiny', run: () => askToChange(mailbox) }),
    button({ text: 'Delete', look: 'danger tiny', run: () => askToDelete(mailbox) }),
  ];
}
