import { go, link } from '#src/console/web/data/place.ts';
import { chooseWorkspace, session, signOut } from '#src/console/web/data/session.ts';
import { chooseTheme, theme, type Theme } from '#src/console/web/data/theme.ts';
import { toProblem } from '#src/console/web/data/problem.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { menu } from '#src/console/web/parts/menu.ts';
import { say } from '#src/console/web/parts/toast.ts';

/** Which workspace the pages are about. Whoever has one sees its name only. */
export function workspaceSwitcher(): Part {
  const state = session.value;
  if (state.kind !== 'in') return null;
  const { workspace, workspaces } = state.session;
  const name = workspace?.name ?? 'No workspace';
  if (workspaces.length < 2)
    return html`<div class="button plain workspace"><span class="cut">${name}</span></div>`;
  return menu({
    name: `Workspace ${name}: choose another`,
    look: 'workspace',
    side: 'left',
    face: [html`<span class="cut">${name}</span>`, icon('down')],
    entries: (close) =>
      workspaces.map(
        ({ id, name: other, role }) =>
          html`<button
            type="button"
            key=${id}
            aria-current=${id === workspace?.id ? 'true' : null}
            onClick=${() => {
              close();
              void enterWorkspace(id);
            }}
          >
            <span class="cut">${other}</span>
            <span class="tag">${role}</span>
            ${id === workspace?.id && icon('check')}
          </button>`,
      ),
  });
}

async function enterWorkspace(id: string): Promise<void> {
  try {
    await chooseWorkspace(id);
    go('/');
  } catch (error) {
    say(toProblem(error).message, 'red');
  }
}

const THEMES: readonly { value: Theme; word: string }[] = [
  { value: 'system', word: 'Colours of the system' },
  { value: 'light', word: 'Light' },
  { value: 'dark', word: 'Dark' },
];

export function personMenu(): Part {
  const state = session.value;
  if (state.kind !== 'in') return null;
  const { person } = state.session;
  return menu({
    name: `Account of ${person.name}`,
    look: 'plain',
    face: [icon('person'), html`<span class="cut wide-name">${person.name}</span>`],
    entries: (close) => [
      html`<div class="said">${person.name}<br />${person.email}</div>`,
      html`<a href=${link('/settings/profile')} onClick=${close}>${icon('person')}Profile</a>`,
      html`<hr />`,
      THEMES.map(
        ({ value, word }) =>
          html`<button
            type="button"
            key=${value}
            aria-pressed=${theme.value === value ? 'true' : 'false'}
            onClick=${() => chooseTheme(value)}
          >
            ${icon(theme.value === value ? 'check' : 'dot')}${word}
          </button>`,
      ),
      html`<hr />`,
      html`<a href="/docs" target="_blank" rel="noopener">${icon('link')}API reference</a>`,
      html`<button
        type="button"
        onClick=${() => {
          close();
          void signOut().catch((error: unknown) => say(toProblem(error).message, 'red'));
        }}
      >
        ${icon('right')}Sign out
      </button>`,
    ],
  });
}
