import { createHash } from 'node:crypto';

/** The part of the web that a crawl stays in. */
export interface SiteScope {
  /** Every link to the host is asked with this scheme, so that a page has one address. */
  protocol: string;
  /** With the port, when it is not the usual one. */
  host: string;
  /** Ends with `/`; pages below it, and the page of this name without the slash, are inside. */
  path: string;
}

/** Longer addresses are made by machines, and ids of documents end at 2,048 bytes. */
const MAX_URL_BYTES = 2_000;
const MAX_PATH_SEGMENTS = 40;
/** A calendar or a broken relative link repeats its own path for ever. */
const MAX_REPEATS_OF_SEGMENT = 3;
const TRACKING =
  /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|_gl|igshid|phpsessid|jsessionid)$/i;
/** Pictures, films, archives and programs hold no text: links to them are not followed. */
const NOT_READABLE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|avi|mkv|webm|og[gv]|wav|flac|css|m?js|map|woff2?|ttf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|wasm|bin|whl|torrent)$/i;

/** What an administrator wrote, as an address; without a scheme it is `https`. Null when it is none. */
export function readBaseUrl(text: string): URL | null {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.parse(whole);
  return url && isWeb(url) && url.hostname !== '' && !url.username && !url.password
    ? tidy(url)
    : null;
}

/**
 * The address that a link leads to: without fragment, session and tracking parameters.
 * @returns null for what is no web page: another scheme, a picture, an address that grows without end
 */
export function readLink(href: string, from: URL | string): URL | null {
  const url = URL.parse(href.trim(), from);
  if (!url || !isWeb(url) || url.username || url.password) return null;
  const tidied = tidy(url);
  if (Buffer.byteLength(tidied.href) > MAX_URL_BYTES) return null;
  return NOT_READABLE.test(tidied.pathname) || runsInCircles(tidied.pathname) ? null : tidied;
}

/** The same for two addresses that mean one page: with and without `https`, and with and without a last slash. */
export function addressKey(url: URL | string): string {
  const { host, pathname, search } = typeof url === 'string' ? new URL(url) : url;
  const port = /:(?:80|443)$/.test(host) ? host.replace(/:\d+$/, '') : host;
  return hashOf(`${port}${pathname.replace(/\/+$/, '')}${search}`);
}

/** 128 bits of SHA-256, in 22 characters. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest().subarray(0, 16).toString('base64url');
}

/** Everything below the address; a file in it, such as `index.html`, stands for its folder. */
export function scopeOf(base: URL): SiteScope {
  const folder = /\.[a-z0-9]{1,5}$/i.test(base.pathname)
    ? base.pathname.slice(0, base.pathname.lastIndexOf('/'))
    : base.pathname.replace(/\/+$/, '');
  return { protocol: base.protocol, host: base.host, path: `${folder}/` };
}

export function isInScope(scope: SiteScope, url: URL): boolean {
  return hostOnly(url.host) === hostOnly(scope.host) && `${url.pathname}/`.startsWith(scope.path);
}

/** The address under the scheme of the scope, when it is on its host. */
export function withSchemeOf(scope: SiteScope, url: URL): URL {
  if (url.protocol === scope.protocol || url.port !== '' || hostOnly(url.host) !== scope.host)
    return url;
  const same = new URL(url);
  same.protocol = scope.protocol;
  return same;
}

function hostOnly(host: string): string {
  return host.replace(/:(?:80|443)$/, '');
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function tidy(url: URL): URL {
  const tidied = new URL(url);
  tidied.hash = '';
  tidied.pathname = tidied.pathname.replace(/;jsessionid=[^/;]*/i, '').replace(/\/{2,}/g, '/');
  // Written anew only when something goes: it would turn `%20` into `+` otherwise.
  const unwanted = [...tidied.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of unwanted) tidied.searchParams.delete(name);
  if (tidied.search === '') tidied.search = '';
  return tidied;
}

function runsInCircles(pathname: string): boolean {
  const segments = pathname.split('/').filter(Boolean);
  if (segments.length > MAX_PATH_SEGMENTS) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > MAX_REPEATS_OF_SEGMENT;
}
