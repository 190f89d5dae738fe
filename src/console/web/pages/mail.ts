import { call, type Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { empty, known, page } from '#src/console/web/parts/page.ts';
import { rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

export type Account = Reply<'GET /email-accounts/{id}'>;

const reload = (): Promise<void> => refresh('GET /email-accounts', 'GET /email-accounts/{id}');

/** From which addresses are messages sent, and how many may still go today? */
export function Mail(): Part {
  const accounts = useResource('GET /email-accounts');
  const isAdmin = roleOf(session.value) === 'admin';
  const add = button({
    text: 'New sender account',
    icon: 'plus',
    look: 'primary',
    run: askForAccount,
  });
  return page({
    title: 'Sender accounts',
    about: 'Addresses and the mail servers that send for them.',
    actions: isAdmin && add,
    content: known(
      accounts,
      ({ accounts: rows, total }) =>
        rows.length === 0
          ? empty(
              'Sender accounts will be listed here, each with what it has sent today.',
              isAdmin && button({ text: 'Add one', run: askForAccount }),
            )
          : table({
              caption: 'Sender accounts',
              rows,
              isLinked: true,
              keyOf: ({ id }) => id,
              columns: [
                {
                  name: 'Address',
                  role: 'main',
                  show: (one) =>
                    twoLines(
                      rowLink(one.email, link(`/mail/${one.id}`)),
                      `${one.smtp_host}:${one.smtp_port}`,
                    ),
                },
                { name: 'State', role: 'state', show: accountBadge },
                { name: 'Sent today', isNumber: true, label: 'today', show: usage },
                {
                  name: 'Day ends',
                  label: 'day ends',
                  show: ({ daily_resets_at }) => time(daily_resets_at),
                },
                { name: 'Made', role: 'wide', show: ({ created_at }) => time(created_at) },
              ],
              foot: plural(total, 'account'),
            }),
      reload,
    ),
  });
}

export function accountBadge(account: Pick<Account, 'verified' | 'default'>): Part {
  if (!account.verified) return label({ tone: 'amber', icon: 'warning', word: 'not verified' });
  const word = account.default ? 'verified, default' : 'verified';
  return label({ tone: 'green', icon: 'check', word });
}

export function usage({ daily_sent: sent, daily_limit: limit }: Account): Part {
  return html`<span class="number">${countText(sent)} of ${countText(limit)}</span>`;
}

/** The fields of an account; `from` is the one that is changed, whose address stays. */
export function accountFields(from?: Account): Field[] {
  const address: Field = { name: 'email', label: 'Address', kind: 'email', isRequired: true };
  return [
    ...(from ? [] : [address]),
    {
      name: 'from_name',
      label: 'Name of the sender',
      kind: 'text',
      maxLength: 200,
      ...(from && { value: from.from_name }),
    },
    {
      name: 'smtp_host',
      label: 'Mail server',
      kind: 'text',
      placeholder: 'smtp.example.com',
      help: 'Empty: as is usual for the address.',
      ...(from && { value: from.smtp_host }),
    },
    {
      name: 'smtp_port',
      label: 'Port',
      kind: 'number',
      min: 1,
      max: 65_535,
      ...(from && { value: from.smtp_port }),
    },
    {
      name: 'smtp_user',
      label: 'User',
      kind: 'text',
      help: 'Empty: the address.',
      ...(from && { value: from.smtp_user }),
    },
    {
      name: 'smtp_password',
      label: 'Password',
      kind: 'password',
      isRequired: !from,
      autocomplete: 'new-password',
      ...(from && { help: 'Empty: as it is.' }),
    },
    {
      name: 'daily_limit',
      label: 'Messages a day at most',
      kind: 'number',
      min: 1,
      ...(from && { value: from.daily_limit }),
    },
  ];
}

/** Without the fields that were left empty. */
export function filledIn(values: Values): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'number' || (typeof entry[1] === 'string' && entry[1] !== ''),
    ),
  );
}

function askForAccount(): void {
  openDialog({
    title: 'New sender account',
    content: () =>
      form({
        action: 'Add the account',
        cancel: closeDialog,
        fields: accountFields(),
        submit: async (values) => {
          const { email, smtp_password: password, ...rest } = values;
          await call('POST /email-accounts', {
            body: { email: String(email), smtp_password: String(password), ...filledIn(rest) },
          });
          closeDialog();
          say('The account is added. Verify it before it sends.');
          await reload();
        },
      }),
  });
}
