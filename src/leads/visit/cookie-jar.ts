import { publicSuffix } from '#src/leads/lexicon/registrable-domain.ts';

interface Cookie {
  name: string;
  value: string;
  /** The host that set it, or its `Domain` attribute. */
  domain: string;
  isHostOnly: boolean;
  path: string;
  isSecure: boolean;
  /** By the jar's clock; null to keep it until the visit ends. */
  expiresMs: number | null;
}

const MAX_COOKIES = 50;
/** Size of one cookie with its attributes (RFC 6265 §6.1). */
const MAX_COOKIE_BYTES = 4_096;
/** Servers reject longer headers. */
const MAX_HEADER_BYTES = 8_192;
const MAX_SET_PER_ANSWER = 50;

/**
 * The cookies of one visit, in memory only (RFC 6265 §5). Some sites set a cookie, redirect, and serve the page only if
 * the cookie is sent back. Nothing is kept for the next visit, so that sites cannot recognize us.
 */
export class CookieJar {
  /** By domain, path and name; oldest first. */
  private readonly cookies = new Map<string, Cookie>();
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.nowMs = nowMs;
  }

  /** Stores the cookies of a response. */
  keep(url: string, headers: Headers): void {
    for (const line of headers.getSetCookie().slice(0, MAX_SET_PER_ANSWER)) {
      const cookie = this.read(new URL(url), line);
      if (cookie === null) continue;
      const key = JSON.stringify([cookie.domain, cookie.path, cookie.name]);
      const isOver = cookie.expiresMs !== null && cookie.expiresMs <= this.nowMs();
      if (isOver) this.cookies.delete(key);
      else this.cookies.set(key, cookie);
    }
    for (const key of this.cookies.keys()) {
      if (this.cookies.size <= MAX_COOKIES) break;
      this.cookies.delete(key);
    }
  }

  /** The value of the `Cookie` header for a request; null when there is none. */
  headerFor(url: string): string | null {
    const target = new URL(url);
    const pairs: string[] = [];
    let bytes = 0;
    const own = [...this.cookies.values()].filter((cookie) => this.isFor(cookie, target));
    // RFC 6265 §5.4: longer paths first; sorting keeps the older ones first among equals.
    for (const { name, value } of own.toSorted((a, b) => b.path.length - a.path.length)) {
      const pair = name === '' ? value : `${name}=${value}`;
      bytes += Buffer.byteLength(pair) + 2;
      if (bytes > MAX_HEADER_BYTES) break;
      pairs.push(pair);
    }
    return pairs.length === 0 ? null : pairs.join('; ');
  }

  private isFor({ domain, isHostOnly, path, isSecure, expiresMs }: Cookie, url: URL): boolean {
    const isOfHost = isHostOnly ? url.hostname === domain : domainMatches(url.hostname, domain);
    const isLive = expiresMs === null || expiresMs > this.nowMs();
    return isOfHost && isLive && pathMatches(url.pathname, path) && (!isSecure || isEncrypted(url));
  }

  /** Null for a cookie to be ignored. */
  private read(url: URL, line: string): Cookie | null {
    if (Buffer.byteLength(line) > MAX_COOKIE_BYTES || hasControls(line)) return null;
    const [pair = '', ...rest] = line.split(';');
    const at = pair.indexOf('=');
    const name = at === -1 ? '' : pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (name === '' && value === '') return null;
    const attributes = attributesOf(rest);
    const named = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const place = named === '' ? { domain: url.hostname, isHostOnly: true } : placeOf(named, url);
    const isSecure = attributes.has('secure');
    if (place === null || (isSecure && !isEncrypted(url))) return null;
    const path = attributes.get('path') ?? '';
    return {
      ...place,
      name,
      value,
      path: path.startsWith('/') ? path : defaultPath(url),
      isSecure,
      expiresMs: this.expiryOf(attributes),
    };
  }

  private expiryOf(attributes: ReadonlyMap<string, string>): number | null {
    const age = attributes.get('max-age');
    if (age !== undefined && /^-?\d{1,15}$/.test(age)) {
      return Number(age) <= 0 ? 0 : this.nowMs() + Number(age) * 1_000;
    }
    const expires = Date.parse(attributes.get('expires') ?? '');
    return Number.isNaN(expires) ? null : expires;
  }
}

/** The last occurrence of an attribute counts. */
function attributesOf(parts: readonly string[]): Map<string, string> {
  return new Map(
    parts.map((part) => {
      const at = part.indexOf('=');
      const name = at === -1 ? part : part.slice(0, at);
      return [name.trim().toLowerCase(), at === -1 ? '' : part.slice(at + 1).trim()];
    }),
  );
}

/** Null when the host must not set cookies for the domain: it is another site's, or a public suffix such as `co.uk`. */
function placeOf(named: string, { hostname }: URL): Pick<Cookie, 'domain' | 'isHostOnly'> | null {
  if (named === hostname) return { domain: hostname, isHostOnly: isSuffix(hostname) };
  return domainMatches(hostname, named) && !isSuffix(named)
    ? { domain: named, isHostOnly: false }
    : null;
}

function isSuffix(domain: string): boolean {
  const found = publicSuffix(domain);
  return found === null || found.suffix === domain;
}

/** RFC 6265 §5.1.3. IP addresses have no subdomains. */
function domainMatches(host: string, domain: string): boolean {
  if (host === domain) return true;
  return host.endsWith(`.${domain}`) && !/^[\d.]+$|^\[/.test(host);
}

/** RFC 6265 §5.1.4. */
function pathMatches(path: string, prefix: string): boolean {
  if (path === prefix) return true;
  return path.startsWith(prefix) && (prefix.endsWith('/') || path[prefix.length] === '/');
}

function defaultPath({ pathname }: URL): string {
  const end = pathname.lastIndexOf('/');
  return end <= 0 ? '/' : pathname.slice(0, end);
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:';
}

/** Such characters could end or change the header. */
function hasControls(text: string): boolean {
  return /[^\t\u0020-\u007e\u0080-\u00ff]/.test(text);
}
