import { domainToASCII, domainToUnicode } from 'node:url';
import { getPublicSuffix, parse } from 'tldts';

/** Private suffixes such as `github.io` count: each of their names belongs to someone else. */
const OPTIONS = { allowPrivateDomains: true };

/**
 * The domain that was registered to get this URL or host, in lower case, with its letters readable (`xn--` decoded) as
 * in `normalizeEmail`. Hosts under no suffix (IP addresses, `localhost`) and suffixes themselves are given as they are;
 * the first with the port that is written, since each port may be another site there. Null for what is no host.
 */
export function registrableDomain(urlOrHost: string): string | null {
  const { domain, hostname, isIp } = parse(urlOrHost.trim(), OPTIONS);
  if (hostname === null || hostname === '') return null;
  const host = isIp ? hostname.toLowerCase() : readableHost(domain ?? hostname);
  const port = isIp || !hostname.includes('.') ? portOf(urlOrHost) : '';
  if (host === null || port === '') return host;
  return host.includes(':') ? `[${host}]${port}` : host + port;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** `:8080`; empty when none is written, or that of the scheme. */
function portOf(urlOrHost: string): string {
  const [, scheme = '', authority = ''] =
    /^\s*(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#\s]*)/i.exec(urlOrHost) ?? [];
  const [port = ''] = /(?<=^[^:]*|\])(?::\d{1,5})$/.exec(authority.replace(/^.*@/, '')) ?? [];
  return port === DEFAULT_PORTS[scheme.toLowerCase()] ? '' : port;
}

/** Letters for `xn--`, lower case, no dot at the end; null for what can be no host name. */
export function readableHost(host: string): string | null {
  const ascii = domainToASCII(host.replace(/\.$/, ''));
  if (ascii === '' || ascii.length > 253) return null;
  if (!ascii.split('.').every((label) => label.length > 0 && label.length <= 63)) return null;
  return domainToUnicode(ascii) || ascii;
}

/** What a host ends with that nobody owns alone, such as `co.uk`; whether it is in the list of such suffixes. */
export function publicSuffix(host: string): { suffix: string; isListed: boolean } | null {
  const suffix = getPublicSuffix(host, OPTIONS);
  if (suffix === null) return null;
  const { isIcann, isPrivate } = parse(host, OPTIONS);
  return { suffix, isListed: isIcann === true || isPrivate === true };
}
