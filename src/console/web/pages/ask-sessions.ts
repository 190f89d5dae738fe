import { call, type Reply } from '#src/console/web/data/call.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { menu } from '#src/console/web/parts/menu.ts';
import { known } from '#src/console/web/parts/page.ts';
import { relativeText } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

type Sessions = Reply<'GET /chat/get-user-chat-sessions'>['sessions'];

const reload = (): Promise<void> => refresh('GET /chat/get-user-chat-sessions');

/** The chats of before, at the left. */
export function sessionList(chosen: string | null): Part {
  return html`<${SessionList} chosen=${chosen} />`;
}

function SessionList({ chosen }: { chosen: string | null }): Part {
  const sessions = useResource('GET /chat/get-user-chat-sessions', { query: { page_size: 50 } });
  return html`<a class="button" href=${link('/ask')}>${icon('plus')}New chat</a>
    ${known(sessions, ({ sessions: all }) => entries(all, chosen), reload)}`;
}

/** On a phone, what stands above that list. */
export function newChat(): Part {
  return html`<a class="button phone-only" href=${link('/ask')}>New chat</a>`;
}

/** The same on a phone. */
export function sessionMenu(chosen: string | null): Part {
  return html`<${SessionMenu} chosen=${chosen} />`;
}

function SessionMenu({ chosen }: { chosen: string | null }): Part {
  const { data } = useResource('GET /chat/get-user-chat-sessions', { query: { page_size: 50 } });
  if (data === null || data.sessions.length === 0) return null;
  return html`<div class="phone-only">
    ${menu({
      name: 'Chats',
      face: ['Chats', icon('down')],
      entries: (close) => [
        may('member') && ofChosen(data.sessions, chosen, close),
        data.sessions.map(
          ({ id, name }) =>
            html`<a
              key=${id}
              href=${link(`/ask?chat=${id}`)}
              aria-current=${id === chosen ? 'page' : null}
              onClick=${close}
              ><span class="cut">${name ?? 'Without a name'}</span></a
            >`,
        ),
      ],
    })}
  </div>`;
}

/** On a phone, what the list at the left has beside each chat. */
function ofChosen(sessions: Sessions, chosen: string | null, close: () => void): Parts {
  const open = sessions.find(({ id }) => id === chosen);
  if (open === undefined) return null;
  const entry = (text: string, name: 'pencil' | 'bin', run: () => void): Part =>
    html`<button
      type="button"
      onClick=${() => {
        close();
        run();
      }}
    >
      ${icon(name)}${text}
    </button>`;
  return [
    entry('Rename this chat', 'pencil', () => askToRename(open.id, open.name)),
    entry('Delete this chat', 'bin', () => askToDelete(open.id, open.name)),
    html`<hr />`,
  ];
}

function entries(sessions: Sessions, chosen: string | null): Parts {
  if (sessions.length === 0)
    return html`<p class="muted small">Your chats will be listed here.</p>`;
  return html`<ul class="chats">
    ${sessions.map(
      ({ id, name, time_updated }) =>
        html`<li key=${id} class=${id === chosen ? 'chosen' : ''}>
          <a href=${link(`/ask?chat=${id}`)} aria-current=${id === chosen ? 'page' : null}>
            <span class="cut">${name ?? 'Without a name'}</span>
            <span class="small muted"
              >${relativeText(new Date(time_updated).getTime() - Date.now())}</span
            >
          </a>
          ${may('member') && changes(id, name)}
        </li>`,
    )}
  </ul>`;
}

/** Whoever may only ask changes nothing. */
function changes(id: string, name: string | null): Parts {
  return [
    html`<button
      type="button"
      class="button plain icon tiny"
      title="Rename"
      aria-label="Rename the chat ${name ?? ''}"
      onClick=${() => askToRename(id, name)}
    >
      ${icon('pencil')}
    </button>`,
    html`<button
      type="button"
      class="button plain icon tiny"
      title="Delete"
      aria-label="Delete the chat ${name ?? ''}"
      onClick=${() => askToDelete(id, name)}
    >
      ${icon('bin')}
    </button>`,
  ];
}

function askToRename(id: string, name: string | null): void {
  openDialog({
    title: 'Rename the chat',
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: [
          {
            name: 'name',
            label: 'Name',
            kind: 'text',
            maxLength: 200,
            value: name ?? '',
            help: 'Empty: it is named from how it begins.',
          },
        ],
        submit: async (values) => {
          const wanted = values['name'];
          await call('PUT /chat/rename-chat-session', {
            body: { chat_session_id: id, name: typeof wanted === 'string' ? wanted : null },
          });
          closeDialog();
          await reload();
        },
      }),
  });
}

function askToDelete(id: string, name: string | null): void {
  confirm({
    title: 'Delete a chat',
    explain: html`<strong>${name ?? 'This chat'}</strong> with its questions and answers.`,
    action: 'Delete 1 chat',
    run: async () => {
      await call('DELETE /chat/delete-chat-session/{id}', { path: { id } });
      say('The chat is deleted.');
      void reload();
      go('/ask');
    },
  });
}
