import { useEffect, useRef, useState } from 'preact/hooks';
import { go, link, path, visits } from '#src/console/web/data/place.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { openFinder } from './finder.ts';
import { personMenu, workspaceSwitcher } from './frame-menus.ts';
import { belongsTo, isVisible, visibleEntries } from './navigation.ts';
import { type NavEntry, NAVIGATION } from './routes.ts';

/** What is around every page. */
export function Frame({ children }: { children: Parts }): Part {
  const { isOpen, open, close, drawer, opener } = useDrawer();
  useEffect(() => listenToKeys(), []);
  return html`<a class="skip" href="#main" inert=${isOpen}>Skip to the content</a>
    <div class="frame">
      <aside class="side ${isOpen ? 'open' : ''}" id="side" ref=${drawer}>
        <a class="brand" href=${link('/')}><img src=${iconAddress()} alt="" />Millrace</a>
        ${workspaceSwitcher()}
        <nav aria-label="Pages">${navigation()}</nav>
      </aside>
      <button
        type="button"
        class="shade ${isOpen ? 'open' : ''}"
        aria-label="Close the navigation"
        tabindex="-1"
        onClick=${close}
      ></button>
      <div inert=${isOpen}>
        <header class="top">
          <div class="start">
            <button
              type="button"
              class="button plain icon drawer-button"
              aria-label="Navigation"
              aria-expanded=${isOpen ? 'true' : 'false'}
              aria-controls="side"
              ref=${opener}
              onClick=${open}
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

/** From this width on, the navigation is always there. */
const WIDE = '(min-width: 861px)';

/**
 * The navigation on a phone. While it is open, everything else is inert, so that the focus stays in it; Esc, the shade,
 * another page and a wider window close it.
 */
function useDrawer() {
  const [openedAt, setOpenedAt] = useState<number | null>(null);
  const drawer = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = openedAt === visits.value;
  useEffect(() => {
    if (!isOpen) return undefined;
    drawer.current?.querySelector<HTMLElement>('nav a[aria-current], nav a')?.focus();
    const shut = (): void => setOpenedAt(null);
    const keys = (event: KeyboardEvent): void => {
      // A menu or a dialog that is open takes its own.
      if (event.key === 'Escape' && !event.defaultPrevented) shut();
    };
    const follow = (event: Event): void => {
      if (event.target instanceof Element && event.target.closest('a') !== null) shut();
    };
    const wide = matchMedia(WIDE);
    const { current: side } = drawer;
    document.addEventListener('keydown', keys);
    side?.addEventListener('click', follow);
    wide.addEventListener('change', shut);
    return () => {
      document.removeEventListener('keydown', keys);
      side?.removeEventListener('click', follow);
      wide.removeEventListener('change', shut);
      // Another page takes the focus itself.
      if (visits.peek() === openedAt) opener.current?.focus();
    };
  }, [isOpen]);
  return {
    isOpen,
    open: () => setOpenedAt(visits.peek()),
    close: () => setOpenedAt(null),
    drawer,
    opener,
  };
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
