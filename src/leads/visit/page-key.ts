import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

const TRACKING =
  /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|_gl|igshid|phpsessid|jsessionid)$/i;

/**
 * The URL without parts that do not identify the page: fragment and tracking parameters. Null when it is not a web
 * address.
 */
export function plainAddress(address: string): URL | null {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  const unwanted = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of unwanted) url.searchParams.delete(name);
  return url;
}

/**
 * The same for all URLs of a page: with and without tracking parameters, fragment, default port, trailing slash,
 * `www.`, `https` and `index.html`.
 */
export function pageKey(url: URL): string {
  const host = url.hostname.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  const path = url.pathname
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/(?:index|default)\.(?:html?|php|aspx?)$/i, '/')
    .replace(/\/$/, '');
  return `${host}${port}${path}${url.search}`;
}

/** The domain that defines a site; the host when there is none. */
export function siteDomainOf(url: string): string {
  return registrableDomain(url) ?? new URL(url).hostname;
}

/** The front page of this URL's host. */
export function homeOf(url: string): string {
  return new URL('/', url).href;
}
