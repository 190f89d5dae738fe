import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

const TRACKING =
  /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|_gl|igshid|phpsessid|jsessionid)$/i;

/** The address without what does not decide which page it is: fragment and tracking. Null when it is no web address. */
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
 * The same for addresses of one page: with and without tracking, fragment, default port, last slash, `www.`, `https`
 * and an `index.html`.
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

/** The domain whose pages are one site; the host where there is none. */
export function siteDomainOf(url: string): string {
  return registrableDomain(url) ?? new URL(url).hostname;
}

/** The front page of the host of this address. */
export function homeOf(url: string): string {
  return new URL('/', url).href;
}
