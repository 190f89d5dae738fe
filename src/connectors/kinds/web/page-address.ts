import { createHash } from 'node:crypto';
import { withoutLastSlashes } from '#src/platform/base-url.ts';

/** The part of the web that a crawl stays in. */
export interface SiteScope {
  /** Every link to the host is requested with this scheme, so that a page has one URL. */
  protocol: string;
  /** With the port, unless it is the default. */
  host: string;
  /** Ends with `/`. Pages below it, and the page of this name without the slash, are inside. */
  path: string;
}

/** Longer URLs are machine-made, and document ids end at 2,048 bytes. */
const MAX_URL_BYTES = 2_000;
const MAX_PATH_SEGMENTS = 40;
/** A calendar or a broken relative link repeats its own path endlessly. */
const MAX_REPEATS_OF_SEGMENT = 3;
const TRACKING =
  /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|_gl|igshid|phpsessid|jsessionid)$/i;
/** Pictures, films, archives and programs hold no text: links to them are not followed. */
const NOT_READABLE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|avi|mkv|webm|og[gv]|wav|flac|css|m?js|map|woff2?|ttf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|wasm|bin|whl|torrent)$/i;

/** An administrator's input as a URL, `https` when it has no scheme. Null when it is not one. */
export function readBaseUrl(text: string): URL | null {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.parse(whole);
  return url && isWeb(url) && url.hostname !== '' && !url.username && !url.password
    ? tidy(url)
    : null;
}

/**
 * The URL that a link leads to: without fragment, session and tracking parameters.
 * @returns null for anything but a web page: another scheme, a picture, an endlessly growing URL
 */
export function readLink(href: string, from: URL | string): URL | null {
  const url = URL.parse(href.trim(), from);
  if (!url || !isWeb(url) || url.username || url.password) return null;
  const tidied = tidy(url);
  // A serialized URL is ASCII, so its length is in bytes.
  if (tidied.href.length > MAX_URL_BYTES) return null;
  return NOT_READABLE.test(tidied.pathname) || runsInCircles(tidied.pathname) ? null : tidied;
}

/**
 * The same for two URLs of the same page: with and without `https` or a trailing slash, with percent-encoding in any
 * case or where it is not needed (RFC 3986 §6.2.2), and with parameters in any order.
 */
export function addressKey(url: URL | string): string {
  const { host, pathname, search } = typeof url === 'string' ? new URL(url) : url;
  const path = withoutLastSlashes(plainCodes(pathname));
  return hashOf(`${withoutPort(host)}${path}${inOrder(plainCodes(search))}`);
}

function plainCodes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
}

/** Parameters of the same name keep their order. */
function inOrder(search: string): string {
  if (!search.includes('&')) return search;
  const nameOf = (parameter: string): string => parameter.split('=', 1)[0] ?? '';
  const parameters = search.slice(1).split('&');
  return `?${parameters.toSorted((a, b) => compare(nameOf(a), nameOf(b))).join('&')}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** 128 bits of SHA-256, in 22 characters. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest().subarray(0, 16).toString('base64url');
}

/** Everything below the URL; a file such as `index.html` stands for its folder. */
export function scopeOf(base: URL): SiteScope {
  const folder = /\.[a-z0-9]{1,5}$/i.test(base.pathname)
    ? base.pathname.slice(0, base.pathname.lastIndexOf('/'))
    : withoutLastSlashes(base.pathname);
  return { protocol: base.protocol, host: base.host, path: `${folder}/` };
}

export function isInScope(scope: SiteScope, url: URL): boolean {
  return siteOf(url.host) === siteOf(scope.host) && `${url.pathname}/`.startsWith(scope.path);
}

/** The URL under the scheme and host of the scope, if it is on that site: pages link to their site in many ways. */
export function withSchemeOf(scope: SiteScope, url: URL): URL {
  if (url.host === scope.host && url.protocol === scope.protocol) return url;
  if (url.port !== '' || siteOf(url.host) !== siteOf(scope.host)) return url;
  const same = new URL(url);
  same.protocol = scope.protocol;
  same.host = scope.host;
  return same;
}

/** With and without `www.` it is the same site, on default ports. */
function siteOf(host: string): string {
  return withoutPort(host).replace(/^www\.(?=.*\.)/, '');
}

function withoutPort(host: string): string {
  return host.replace(/:(?:80|443)$/, '');
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/**
 * Removes the unwanted parts of the given URL in place. Writes only when something changes, because each change
 * parses the URL again.
 */
function tidy(url: URL): URL {
  if (url.href.includes('#')) url.hash = '';
  const { pathname } = url;
  if (pathname.includes('//') || /;jsessionid=/i.test(pathname)) {
    url.pathname = pathname.replace(/;jsessionid=[^/;]*/i, '').replace(/\/{2,}/g, '/');
  }
  if (url.search !== '') {
    // Rewritten only when a parameter is removed: otherwise it would turn `%20` into `+`.
    const unwanted = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
    for (const name of unwanted) url.searchParams.delete(name);
  }
  if (url.href.endsWith('?')) url.search = '';
  return url;
}

function runsInCircles(pathname: string): boolean {
  const segments = pathname.split('/').filter(Boolean);
  if (segments.length > MAX_PATH_SEGMENTS) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > MAX_REPEATS_OF_SEGMENT;
}
