import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { go, link, path, safeTarget, query, visits, whole } from '#src/console/web/data/place.ts';
import { loadSession, may, roleOf, session } from '#src/console/web/data/session.ts';
import { closeDialog, Dialogs } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { empty, page, problemNotice, skeleton } from '#src/console/web/parts/page.ts';
import { Toasts } from '#src/console/web/parts/toast.ts';
import { Finder } from './finder.ts';
import { Frame } from './frame.ts';
import { firstPath } from './navigation.ts';
import { type Show, type View, VIEWS } from './routes.ts';

/** Everything: the frame with a page in it, or a page that one sees before signing in. */
export function App(): Part {
  return html`<${Content} /><${Finder} /><${Dialogs} /><${Toasts} />`;
}

function Content(): Part {
  const state = session.value;
  const found = findView(path.value);
  const isOpen = found !== null && found.view.needs === null;
  const mustSignIn = state.kind === 'out' && !isOpen;
  useEffect(() => {
    if (mustSignIn) go(`/sign-in?next=${encodeURIComponent(whole.peek())}`, { replace: true });
  }, [mustSignIn]);
  // After signing in, and for somebody who is signed in already.
  const isDone = state.kind === 'in' && path.value === '/sign-in';
  useEffect(() => {
    if (isDone) go(safeTarget(query.peek().get('next')), { replace: true });
  }, [isDone]);
  const needs = found?.view.needs ?? null;
  const isBarred = state.kind === 'in' && needs !== null && !may(needs);
  const mustMove = isBarred && path.value === '/';
  useEffect(() => {
    if (mustMove) go(firstPath(), { replace: true });
  }, [mustMove]);
  if (state.kind === 'unreachable' && !isOpen) return unreachable(state.problem);
  if (mustSignIn || isDone || mustMove || (state.kind === 'unknown' && !isOpen)) return null;
  if (isOpen && found !== null) return html`<main class="door"><${Page} ...${found} /></main>`;
  return html`<${Frame}>${inFrame(found, isBarred)}<//>`;
}

function inFrame(found: Found | null, isBarred: boolean): Part {
  if (found === null) return nowhere();
  return isBarred ? notForYou() : html`<${Page} ...${found} />`;
}

function unreachable(problem: unknown): Part {
  return html`<main class="door"><div>${problemNotice(problem, loadSession)}</div></main>`;
}

function nowhere(): Part {
  return page({
    title: 'There is no such page',
    content: empty(
      'Its address may be mistyped, or what it showed was deleted.',
      html`<a class="button" href=${link(firstPath())}>Go to the first page</a>`,
    ),
  });
}

/** Somebody followed a link of a colleague with another role. */
function notForYou(): Part {
  return page({
    title: 'Not for your role',
    content: empty(
      `In this workspace you are ${roleOf(session.value)}, which does not open this page. An admin can change your role.`,
      html`<a class="button" href=${link(firstPath())}>Go to your first page</a>`,
    ),
  });
}

interface Found {
  readonly view: View;
  readonly given: Readonly<Record<string, string>>;
}

/** A page, loaded when it is first opened. */
function Page({ view, given }: Found): Part {
  const [loaded, setLoaded] = useState<{ view: View; show: Show } | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    setProblem(null);
    view.load().then(
      (show) => isCurrent && setLoaded({ view, show }),
      (error: unknown) => isCurrent && reloadOnce(() => setProblem(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [view]);
  // Before the page is painted: nobody has opened a dialog of it, or put the focus on a part of it, by then.
  useLayoutEffect(() => {
    closeDialog();
    scrollTo(0, 0);
  }, [visits.value]);
  const isReady = loaded?.view === view;
  useLayoutEffect(() => {
    if (isReady && visits.peek() > 0) document.querySelector('h1')?.focus();
  }, [isReady, visits.value]);
  if (problem !== null) return html`<div class="page">${problemNotice(problem)}</div>`;
  if (!isReady || loaded === null) return html`<div class="page">${skeleton()}</div>`;
  return html`<${loaded.show} key=${path.value} ...${given} />`;
}

const RELOADED = 'millrace-reloaded';
const AGAIN_AFTER_MS = 60_000;

/** After an update of the service, the files of the page's version are gone: the page is loaded anew, once. */
function reloadOnce(otherwise: () => void): void {
  const before = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - before < AGAIN_AFTER_MS) return otherwise();
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

function findView(at: string): Found | null {
  for (const view of VIEWS) {
    const given = match(view.path, at);
    if (given !== null) return { view, given };
  }
  return null;
}

/** The parts in braces of `pattern`, or null when it is another path. */
function match(pattern: string, at: string): Record<string, string> | null {
  const [wanted, actual] = [pattern.split('/'), at.split('/')];
  if (wanted.length !== actual.length) return null;
  const given: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = actual[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== value) return null;
      continue;
    }
    try {
      given[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
  }
  return given;
}
