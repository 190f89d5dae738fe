import { call, type Reply } from '#src/console/web/data/call.ts';
import { enter, session } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { known, page, section } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { newPasswordField } from './new-person.ts';

type OpenSession = Reply<'GET /session/sessions'>['sessions'][number];

const reload = (): Promise<void> => refresh('GET /session/sessions');

/** Who am I here, and where am I signed in? */
export function Profile(): Part {
  const state = session.value;
  const sessions = useResource('GET /session/sessions');
  if (state.kind !== 'in') return null;
  const { person } = state.session;
  return page({
    title: 'Profile',
    width: 'narrow',
    content: [
      section({ title: 'You', content: nameForm(person.name, person.email) }),
      person.has_password && section({ title: 'Password', content: passwordForm() }),
      section({
        title: 'Where you are signed in',
        isFlush: true,
        actions: button({ text: 'Sign out everywhere else', look: 'tiny', run: endOthers }),
        content: known(sessions, ({ sessions: rows }) => sessionTable(rows), reload),
      }),
    ],
  });
}

function nameForm(name: string, email: string): Part {
  return form({
    look: 'left',
    action: 'Save',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        value: name,
        isRequired: true,
        autocomplete: 'name',
        help: `You sign in with ${email}.`,
      },
    ],
    submit: async (values) => {
      enter(await call('PATCH /session/person', { body: { name: String(values['name']) } }));
      say('Your name is saved.');
    },
  });
}

function passwordForm(): Part {
  return form({
    look: 'left',
    action: 'Change the password',
    fields: [
      {
        name: 'currentPassword',
        label: 'Current password',
        kind: 'password',
        isRequired: true,
        autocomplete: 'current-password',
      },
      newPasswordField('newPassword'),
    ],
    submit: async ({ currentPassword, newPassword }) => {
      const body = { currentPassword: String(currentPassword), newPassword: String(newPassword) };
      await call('POST /auth/change-password', { body });
      say('The password is changed. Your other sessions have ended.');
      void reload();
    },
  });
}

function sessionTable(rows: readonly OpenSession[]): Part {
  return table({
    caption: 'Sessions',
    rows,
    keyOf: ({ id }) => id,
    columns: [
      {
        name: 'Browser',
        role: 'main',
        show: ({ user_agent, ip_address }) =>
          twoLines(
            html`<span title=${user_agent ?? ''}>${browserName(user_agent)}</span>`,
            ip_address ?? 'address unknown',
          ),
      },
      { name: 'Last used', label: 'used', show: (open) => time(open.last_used_at) },
      { name: 'Signed in', label: 'since', show: (open) => time(open.created_at) },
      {
        name: '',
        role: 'state',
        show: ({ id, is_current }) =>
          is_current
            ? label({ tone: 'green', icon: 'check', word: 'this one' })
            : button({ text: 'End', look: 'tiny', run: () => end(id) }),
      },
    ],
  });
}

async function end(id: string): Promise<void> {
  await call('DELETE /session/sessions/{id}', { path: { id } });
  say('The session has ended.');
  await reload();
}

async function endOthers(): Promise<void> {
  const { count } = await call('DELETE /session/sessions');
  say(count === 0 ? 'You are signed in nowhere else.' : `${plural(count, 'session')} ended.`);
  await reload();
}

/** `Firefox on Linux` out of a user agent; browsers say the name of others before their own. */
function browserName(agent: string | null): string {
  if (agent === null) return 'Unknown browser';
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1] ?? 'A program';
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  const names: Readonly<Record<string, string>> = {
    Edg: 'Edge',
    OPR: 'Opera',
    'Mac OS X': 'macOS',
  };
  const named = (word: string): string => names[word] ?? word;
  return system === undefined ? named(browser) : `${named(browser)} on ${named(system)}`;
}
