import { call, type Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { type Field, form, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, known, page } from '#src/console/web/parts/page.ts';
import { fieldsOf, objectFrom } from '#src/console/web/parts/schema-fields.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Credential } from './connector-credential.ts';
import { type Kind, kindOf, titleOf } from './connectors.ts';

type Pair = Reply<'GET /manage/admin/connector/status'>[number];

/** Where the API's errors say that a credential is. */
const PLACE = 'credential_json';

const reload = (): Promise<void> =>
  refresh('GET /manage/admin/credential', 'GET /manage/admin/connector/status');

/** Which secrets are kept, and who uses them? */
export function Credentials(): Part {
  const credentials = useResource('GET /manage/admin/credential');
  const pairs = useResource('GET /manage/admin/connector/status');
  const kinds = useResource('GET /manage/admin/connector-kinds');
  return page({
    title: 'Credentials',
    about:
      'What connectors sign in with at their sources. Kept encrypted; a secret is never shown again.',
    under: { text: 'Connectors', href: link('/connectors') },
    content: known(
      credentials,
      (rows) =>
        known(
          pairs,
          (all) =>
            credentialTable(
              rows.filter(({ id }) => id !== 0),
              all,
              kinds.data ?? [],
            ),
          reload,
        ),
      reload,
    ),
  });
}

function credentialTable(
  rows: readonly Credential[],
  pairs: readonly Pair[],
  kinds: readonly Kind[],
): Part {
  if (rows.length === 0) {
    return empty(
      'Credentials will be listed here. One is made with a connector that needs it.',
      html`<a class="button" href=${link('/connectors/new')}>Connect a source</a>`,
    );
  }
  return table({
    caption: 'Credentials',
    rows,
    keyOf: ({ id }) => id,
    columns: [
      {
        name: 'Name',
        role: 'main',
        show: (one) =>
          twoLines(
            html`<strong>${nameOf(one)}</strong>`,
            one.unreadable_reason ?? titleOf(one.source, kinds),
            { matters: one.unreadable_reason !== null, wraps: one.unreadable_reason !== null },
          ),
      },
      { name: 'State', role: 'state', show: (one) => stateBadge(one, usersOf(one, pairs)) },
      { name: 'Used by', show: (one) => userLinks(usersOf(one, pairs)) },
      { name: 'Made by', role: 'wide', show: ({ user_email: email }) => email ?? '–' },
      { name: 'Changed', label: 'changed', show: ({ time_updated }) => time(time_updated) },
      {
        name: '',
        show: (one) =>
          html`<div class="row">
            ${button({ text: 'Replace', look: 'tiny', run: () => askToReplace(one, kindOf(one.source, kinds)) })}
            ${button({ text: 'Delete', look: 'danger tiny', run: () => askToDelete(one, usersOf(one, pairs)) })}
          </div>`,
      },
    ],
    foot: plural(rows.length, 'credential'),
  });
}

function nameOf({ id, name }: Credential): string {
  return name ?? `credential ${id}`;
}

function usersOf({ id }: Credential, pairs: readonly Pair[]): Pair[] {
  return pairs.filter(({ credential }) => credential.id === id);
}

function stateBadge({ unreadable_reason: reason }: Credential, users: readonly Pair[]): Part {
  if (reason !== null) return label({ tone: 'red', icon: 'warning', word: 'unreadable' });
  return users.length === 0
    ? label({ tone: 'grey', icon: 'dot', word: 'not used' })
    : label({ tone: 'green', icon: 'check', word: 'in use' });
}

function userLinks(users: readonly Pair[]): Parts {
  if (users.length === 0) return html`<span class="muted">no connector</span>`;
  return users.map(({ cc_pair_id: id, name }, at) => [
    at > 0 && ', ',
    html`<a key=${id} href=${link(`/connectors/${id}`)}>${name}</a>`,
  ]);
}

/** What is left empty stays as it is, unless nothing can be read of it any more. */
function askToReplace(credential: Credential, kind: Kind | null): void {
  const isWhole = credential.unreadable_reason !== null;
  const fields = kind === null ? [] : fieldsToReplace(credential, kind, isWhole);
  openDialog({
    title: `Replace ${nameOf(credential)}`,
    content: () =>
      kind === null || fields.length === 0
        ? html`<p>A credential of this kind has nothing that could be replaced.</p>`
        : form({
            action: 'Save',
            cancel: closeDialog,
            fields: [
              {
                name: 'name',
                label: 'Name',
                kind: 'text',
                maxLength: 200,
                value: credential.name ?? '',
              },
              ...fields,
            ],
            submit: (values) => replace(credential, kind, { values, isWhole }),
          }),
  });
}

function fieldsToReplace(credential: Credential, kind: Kind, isWhole: boolean): Field[] {
  return fieldsOf(kind.credential, PLACE).map((field) => {
    if (isWhole) return field;
    const stored = credential.credential_json[field.name.slice(PLACE.length + 1)];
    // Only a choice is shown as it is; a secret comes masked.
    const value = field.kind === 'choice' ? stored : undefined;
    const help = field.help === undefined ? 'Empty: as it is.' : [field.help, ' Empty: as it is.'];
    return field.kind === 'choice'
      ? { ...field, ...(value !== undefined && { value }) }
      : { ...field, isRequired: false, help };
  });
}

async function replace(
  { id }: Credential,
  kind: Kind,
  { values, isWhole }: { values: Values; isWhole: boolean },
): Promise<void> {
  const credential_json = objectFrom(kind.credential, PLACE, values);
  if (isWhole)
    await call('PATCH /manage/credential/{id}', { path: { id }, body: { credential_json } });
  const name = values['name'];
  await call('PUT /manage/admin/credential/{id}', {
    path: { id },
    body: {
      ...(typeof name === 'string' && { name }),
      credential_json: isWhole ? {} : credential_json,
    },
  });
  closeDialog();
  say('The credential is saved. Connectors use it from their next run on.');
  await reload();
}

/** One that is used stays: its connectors would stop. */
function askToDelete(credential: Credential, users: readonly Pair[]): void {
  const name = nameOf(credential);
  if (users.length > 0) {
    openDialog({
      title: `${name} is in use`,
      content: () =>
        html`<div class="stack">
          <p>
            ${plural(users.length, 'connector')} ${users.length === 1 ? 'signs' : 'sign'} in with
            it: ${userLinks(users)}.
          </p>
          <p>
            Give each of them another credential on its page, or delete it, and then delete this
            one.
          </p>
          <div class="actions">${button({ text: 'Close', look: 'primary', run: closeDialog })}</div>
        </div>`,
    });
    return;
  }
  confirm({
    title: 'Delete a credential',
    explain: html`<strong>${name}</strong> is used by no connector. What it holds is forgotten.`,
    action: 'Delete 1 credential',
    run: async () => {
      await call('DELETE /manage/credential/{id}', { path: { id: credential.id } });
      say(`${name} is deleted.`);
      await reload();
    },
  });
}
