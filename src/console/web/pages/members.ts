import { call, type Reply } from '#src/console/web/data/call.ts';
import { enter, session } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { secret } from '#src/console/web/parts/copy.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { known, notice, page, section } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { ROLES, toRole } from './roles.ts';

type Member = Reply<'GET /account/members'>['members'][number];
type Invited = Reply<'GET /account/invitations'>['invitations'][number];

/** More than any workspace has: the plan has no limit. */
const UNLIMITED_SEATS = 1_000_000;

const reload = (): Promise<void> => refresh('GET /account/members', 'GET /account/invitations');
const roleOptions = ROLES.map(({ value, text, help }) => ({ value, text: `${text}: ${help}` }));

/** Who may do what here? */
export function Members(): Part {
  const members = useResource('GET /account/members');
  const invitations = useResource('GET /account/invitations');
  return page({
    title: 'Members',
    about: 'People who sign in to this workspace, and the user accounts of programs.',
    actions: button({ text: 'Invite', icon: 'plus', look: 'primary', run: askToInvite }),
    content: [
      known(members, showMembers, reload),
      invitations.data !== null && invitations.data.invitations.length > 0
        ? section({
            title: 'Open invitations',
            isFlush: true,
            content: showInvitations(invitations.data.invitations),
          })
        : null,
      section({ title: 'The workspace', content: nameForm() }),
    ],
  });
}

function nameForm(): Part {
  const state = session.value;
  if (state.kind !== 'in') return null;
  return form({
    look: 'left',
    action: 'Save',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        value: state.session.workspace.name,
        isRequired: true,
        maxLength: 100,
        help: 'Everybody who belongs to it sees it, and whoever is invited.',
      },
    ],
    submit: async ({ name }) => {
      await call('PATCH /account/workspace', { body: { name: String(name) } });
      enter(await call('GET /session'));
      say('The name is saved.');
    },
  });
}

function showMembers({ members, total, seats }: Reply<'GET /account/members'>): Parts {
  return table({
    caption: 'Members',
    rows: members,
    keyOf: ({ user_id }) => user_id,
    columns: [
      {
        name: 'Name',
        role: 'main',
        show: ({ display_name, email }) =>
          twoLines(html`<span>${display_name}</span>`, email ?? 'no e-mail address'),
      },
      {
        name: 'Signs in as',
        label: 'role',
        show: (member) => html`<span class="tag">${member.sign_in_role ?? 'keys only'}</span>`,
      },
      {
        name: 'Keys',
        label: 'keys',
        show: ({ roles }) => roles.map((role) => html`<span class="tag">${role}</span>`),
      },
      { name: 'Since', label: 'since', role: 'wide', show: ({ created_at }) => time(created_at) },
      { name: '', role: 'state', show: memberActions },
    ],
    foot:
      seats >= UNLIMITED_SEATS
        ? plural(total, 'member')
        : `${countText(total)} of ${plural(seats, 'seat')}`,
  });
}

function memberActions(member: Member): Parts {
  if (member.is_owner) return label({ tone: 'blue', icon: 'key', word: 'owner' });
  const state = session.value;
  const isSelf = state.kind === 'in' && state.session.person.email === member.email;
  if (isSelf) return label({ tone: 'grey', icon: 'person', word: 'you' });
  return html`<span class="row">
    ${member.sign_in_role !== null && button({ text: 'Change role', look: 'tiny', run: () => askForRole(member) })}
    ${button({ text: 'Remove', look: 'tiny', run: () => askToRemove(member) })}
  </span>`;
}

function showInvitations(invitations: readonly Invited[]): Part {
  return table({
    caption: 'Open invitations',
    rows: invitations,
    keyOf: ({ id }) => id,
    columns: [
      { name: 'E-mail address', role: 'main', show: ({ email }) => html`<span>${email}</span>` },
      { name: 'Role', show: ({ role }) => html`<span class="tag">${role}</span>` },
      { name: 'Ends', label: 'ends', show: ({ expires_at }) => time(expires_at) },
      {
        name: '',
        role: 'state',
        show: ({ id, email }) =>
          button({
            text: 'Withdraw',
            look: 'tiny',
            run: async () => {
              await call('DELETE /account/invitations/{id}', { path: { id } });
              say(`The invitation of ${email} is withdrawn.`);
              void reload();
            },
          }),
      },
    ],
  });
}

function askToInvite(): void {
  openDialog({
    title: 'Invite somebody',
    content: () =>
      form({
        action: 'Invite',
        cancel: closeDialog,
        fields: [
          { name: 'email', label: 'E-mail address', kind: 'email', isRequired: true },
          {
            name: 'role',
            label: 'Role',
            kind: 'choice',
            isRequired: true,
            value: 'member',
            options: roleOptions,
          },
        ],
        submit: invite,
      }),
  });
}

async function invite({ email, role }: Values): Promise<void> {
  const made = await call('POST /account/invitations', {
    body: { email: String(email), role: toRole(role) },
  });
  void reload();
  if (made.link === null) {
    closeDialog();
    say(`The invitation is on its way to ${made.email}.`);
    return;
  }
  const { link } = made;
  openDialog({
    title: `Invitation for ${made.email}`,
    isWide: true,
    content: () =>
      html`<div class="stack">
        ${notice('amber', 'No mail can be sent from here, so pass on this link yourself. It is shown this once.')}
        ${secret(link, 'link')}
        <div class="actions">${button({ text: 'Done', look: 'primary', run: closeDialog })}</div>
      </div>`,
  });
}

function askForRole({ user_id: id, display_name: name, sign_in_role: role }: Member): void {
  openDialog({
    title: `Role of ${name}`,
    content: () =>
      form({
        action: 'Change the role',
        cancel: closeDialog,
        fields: [
          {
            name: 'role',
            label: 'Signs in as',
            kind: 'choice',
            isRequired: true,
            value: role,
            options: roleOptions,
          },
        ],
        submit: async (values) => {
          await call('PATCH /account/members/{id}', {
            path: { id },
            body: { role: toRole(values['role']) },
          });
          closeDialog();
          say(`${name} now signs in as ${toRole(values['role'])}.`);
          void reload();
        },
      }),
  });
}

function askToRemove({ user_id: id, display_name: name }: Member): void {
  confirm({
    title: 'Remove a member',
    explain: html`<strong>${name}</strong> is signed out here and their keys are refused within five
      seconds. Their chats and points are deleted; documents, connectors and files stay.`,
    action: `Remove ${name}`,
    run: async () => {
      await call('DELETE /account/members/{id}', { path: { id } });
      say(`${name} is removed.`);
      void reload();
    },
  });
}
