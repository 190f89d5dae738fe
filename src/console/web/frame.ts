import { useEffect, useState } from 'preact/hooks';
import { go, link, path, visits } from '#src/console/web/data/place.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { openFinder } from './finder.ts';
import { personMenu, workspaceSwitcher } from './frame-menus.ts';
import { belongsTo, isVisible, visibleEntries } from './navigation.ts';
import { type NavEntry, NAVIGATION } from './routes.ts';

/** What is around every page. */
export function Frame({ children }: { children: Parts }): Part {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [visits.value]);
  useEffect(() => listenToKeys(), []);
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setOpen(false);
  };
  return html`<a class="skip" href="#main">Skip to the content</a>
    <div class="frame">
      <aside class="side ${isOpen ? 'open' : ''}" id="side" onKeyDown=${closeOnEscape}>
        <a class="brand" href=${link('/')}><img src=${iconAddress()} alt="" />Millrace</a>
        ${workspaceSwitcher()}
        <nav aria-label="Pages">${navigation()}</nav>
      </aside>
      <button
        type="button"
        class="shade ${isOpen ? 'open' : ''}"
        aria-label="Close the navigation"
        tabindex="-1"
        onClick=${() => setOpen(false)}
      ></button>
      <div>
        <header class="top">
          <div class="start">
            <button
              type="button"
              class="button plain icon drawer-button"
              aria-label="Navigation"
              aria-expanded=${isOpen ? 'true' : 'false'}
              aria-controls="side"
              onClick=${() => setOpen(!isOpen)}
            >
              ${icon('menu')}
            </button>
          </div>
          <button type="button" class="find" onClick=${openFinder}>
            ${icon('search')}<span class="cut">Search</span><kbd>Ctrl K</kbd>
          </button>
          <div class="end">${personMenu()}</div>
        </header>
        <main class="main" id="main" tabindex="-1">${children}</main>
      </div>
    </div>`;
}

function navigation(): Part[] {
  return NAVIGATION.map(({ name, entries }) => {
    const visible = entries.filter(isVisible);
    if (visible.length === 0) return null;
    return html`${name && html`<div class="group">${name}</div>`}
    ${visible.map((entry) => navLink(entry))}`;
  });
}

function navLink(entry: NavEntry): Part {
  const isHere = belongsTo(path.value, entry);
  return html`<a href=${link(entry.path)} aria-current=${isHere ? 'page' : null} key=${entry.path}>
    ${icon(entry.icon)}${entry.word}
  </a>`;
}

function iconAddress(): string {
  return document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '';
}

/** After `g`, how long the next key counts. */
const CHORD_MS = 1_500;

/** Ctrl-K searches, `g` and a letter opens a page, `/` goes to the filter of the page. */
function listenToKeys(): () => void {
  let wasGAt = 0;
  const listen = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      openFinder();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const isChord = Date.now() - wasGAt < CHORD_MS;
    wasGAt = event.key === 'g' ? Date.now() : 0;
    if (isChord) {
      const entry = visibleEntries().find(({ key }) => key === event.key);
      if (entry) go(entry.path);
    } else if (event.key === '/') {
      const first = document.querySelector<HTMLElement>('.filters :is(input, select)');
      if (first) {
        event.preventDefault();
        first.focus();
      }
    }
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.closest('input, textarea, select, dialog') !== null || target.isContentEditable)
  );
}
