import { domainToASCII, domainToUnicode } from 'node:url';
import { getPublicSuffix, parse } from 'tldts';

/** Includes private suffixes such as `github.io`: each name under them has another owner. */
const OPTIONS = { allowPrivateDomains: true };

/**
 * The registrable domain of a URL or host, in lower case, with `xn--` decoded as in `normalizeEmail`. Hosts without a
 * public suffix (IP addresses, `localhost`) and suffixes themselves are returned as they are; the former with their
 * explicit port, because each port may be another site. Null when it is not a host.
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

/** `:8080`; empty when there is none, or it is the scheme's default. */
function portOf(urlOrHost: string): string {
  const [, scheme = '', authority = ''] =
    /^\s*(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#\s]*)/i.exec(urlOrHost) ?? [];
  const [port = ''] = /(?<=^[^:]*|\])(?::\d{1,5})$/.exec(authority.replace(/^.*@/, '')) ?? [];
  return port === DEFAULT_PORTS[scheme.toLowerCase()] ? '' : port;
}

/** Decoded from `xn--`, lower case, without a trailing dot; null when it cannot be a host name. */
export function readableHost(host: string): string | null {
  const ascii = domainToASCII(host.replace(/\.$/, ''));
  if (ascii === '' || ascii.length > 253) return null;
  if (!ascii.split('.').every((label) => label.length > 0 && label.length <= 63)) return null;
  return domainToUnicode(ascii) || ascii;
}

/** The public suffix of a host, such as `co.uk`; and whether the suffix list contains it. */
export function publicSuffix(host: string): { suffix: string; isListed: boolean } | null {
  const suffix = getPublicSuffix(host, OPTIONS);
  if (suffix === null) return null;
  const { isIcann, isPrivate } = parse(host, OPTIONS);
  return { suffix, isListed: isIcann === true || isPrivate === true };
}
