import { computed, signal } from '@preact/signals';

/** Where the console lies. */
export const BASE = '/console';

const address = signal(new URL(location.href));

/** The path below `BASE`: `/webhooks/12`. */
export const path = computed(() => withoutBase(address.value.pathname));
export const query = computed(() => address.value.searchParams);
/** The whole address below `BASE`, to come back to. */
export const whole = computed(() => path.value + address.value.search);

/** Increases with every navigation to another page, not with a change of filters. */
export const visits = signal(0);

/** Opens a page of the console. `to` is a path below `BASE`. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const next = new URL(BASE + to, location.origin);
  const isOther = next.pathname !== address.peek().pathname;
  if (replace) history.replaceState(null, '', next);
  else if (next.href !== location.href) history.pushState(null, '', next);
  address.value = next;
  if (isOther) visits.value += 1;
}

/** Changes filters: null takes one away. A filter starts at the first page again. */
export function filter(
  changes: Readonly<Record<string, string | null>>,
  { replace = false }: { replace?: boolean } = {},
): void {
  const search = new URLSearchParams(query.peek());
  search.delete('cursor');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  go(path.peek() + (text === '' ? '' : `?${text}`), { replace });
}

/** The same page with other parameters, as an address for a link. */
export function linkWith(changes: Readonly<Record<string, string | null>>): string {
  const search = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  return BASE + path.value + (text === '' ? '' : `?${text}`);
}

/** The address of a page, for a link. */
export function link(to: string): string {
  return BASE + to;
}

/** Follows links of the console without loading the page again, and the browser's buttons. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    const next = new URL(location.href);
    const isOther = next.pathname !== address.peek().pathname;
    address.value = next;
    if (isOther) visits.value += 1;
  });
  document.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (anchor === null || !isOrdinaryClick(event) || !isOurs(anchor)) return;
    event.preventDefault();
    go(withoutBase(anchor.pathname) + anchor.search);
  });
}

/**
 * Where to go after signing in. Only a path of the console: an address of another site would let anybody send people
 * there from ours.
 */
export function safeTarget(wanted: string | null): string {
  if (wanted === null || !/^\/(?![/\\])/.test(wanted)) return '/';
  const target = URL.parse(BASE + wanted, location.origin);
  if (target === null || target.origin !== location.origin) return '/';
  if (target.pathname !== BASE && !target.pathname.startsWith(`${BASE}/`)) return '/';
  return withoutBase(target.pathname) + target.search;
}

function withoutBase(pathname: string): string {
  return pathname.slice(BASE.length).replace(/(?<=.)\/+$/, '') || '/';
}

function isOrdinaryClick(event: MouseEvent): boolean {
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  return event.button === 0 && !hasModifier && !event.defaultPrevented;
}

function isOurs(anchor: HTMLAnchorElement): boolean {
  return (
    anchor.origin === location.origin &&
    (anchor.pathname === BASE || anchor.pathname.startsWith(`${BASE}/`)) &&
    anchor.target === '' &&
    !anchor.hasAttribute('download') &&
    anchor.hash === ''
  );
}
