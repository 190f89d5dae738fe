import type { OpenedPage } from '#src/files/open-page.ts';
import { readLink } from './page-address.ts';

/** A page's instructions to crawlers: its canonical URL, whether it may be kept, and its links. */
export interface PageDirections {
  /** `rel=canonical`; null if it names none. */
  canonical: URL | null;
  noindex: boolean;
  links: URL[];
  /** Whether there were more links than the limit. */
  isCut: boolean;
  /** The target of its automatic redirect; null when it has none. */
  refresh: URL | null;
}

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** More links than this are a machine-made list. */
const MAX_LINKS = 5_000;
/** A page that redirects later than this is read itself. */
const LONGEST_REFRESH_SECONDS = 15;

/**
 * Canonical URL (RFC 6596), robots directives and links of a page, in page order.
 * @param url where the page was found
 * @param header its `X-Robots-Tag`
 * @param respected whether robots directives count
 */
export function readDirections(
  page: OpenedPage,
  url: string,
  header: string | null,
  respected: boolean,
): PageDirections {
  const directives = readDirectives([...page.robots, header ?? ''].join(','));
  const base = URL.parse(page.base, url) ?? new URL(url);
  const refresh = refreshOf(page, base);
  const isClosed = respected && directives.nofollow;
  return {
    canonical: page.canonical ? readLink(page.canonical, base) : null,
    noindex: respected && directives.noindex,
    ...(isClosed ? { links: [], isCut: false } : findLinks(page, base, respected, refresh)),
    refresh: refresh?.isSoon === true ? refresh.url : null,
  };
}

/**
 * `noindex`, `nofollow` and `none`, for all robots or for this one
 * (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag).
 */
export function readDirectives(text: string): RobotsDirectives {
  const result: RobotsDirectives = { noindex: false, nofollow: false };
  let isForUs = true;
  for (const part of text.toLowerCase().split(',')) {
    const named = /^\s*([a-z][\w-]*)\s*:\s*(.*)$/.exec(part);
    // `max-snippet: 5` and the like are rules with a value, not names of robots.
    const isAgent = named !== null && !/^(?:max-|unavailable_after)/.test(named[1] ?? '');
    if (isAgent) isForUs = named[1] === 'millrace';
    const rule = (isAgent ? (named[2] ?? '') : part).trim();
    if (!isForUs) continue;
    if (rule === 'noindex' || rule === 'none') result.noindex = true;
    if (rule === 'nofollow' || rule === 'none') result.nofollow = true;
  }
  return result;
}

function findLinks(
  page: OpenedPage,
  base: URL,
  respected: boolean,
  refresh: { url: URL } | null,
): Pick<PageDirections, 'links' | 'isCut'> {
  /** Deduplicated as written: navigation repeats itself, and parsing a URL costs more than comparing strings. */
  const written = new Set<string>();
  const found = new Map<string, URL>();
  for (const { href, rel } of page.links) {
    if (written.has(href)) continue;
    if (respected && rel !== '' && /(?:^|\s)nofollow(?:\s|$)/i.test(rel)) continue;
    written.add(href);
    const link = href.startsWith('#') ? null : readLink(href, base);
    if (!link || found.has(link.href)) continue;
    if (found.size >= MAX_LINKS) return { links: [...found.values()], isCut: true };
    found.set(link.href, link);
  }
  if (refresh) found.set(refresh.url.href, refresh.url);
  return { links: [...found.values()], isCut: false };
}

/** https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh */
function refreshOf({ refresh }: OpenedPage, base: URL): { url: URL; isSoon: boolean } | null {
  const [, seconds = '', address] =
    /^([\d.]*)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec(refresh.trimStart()) ?? [];
  const url = address === undefined ? null : readLink(address, base);
  return url && { url, isSoon: Number(seconds) <= LONGEST_REFRESH_SECONDS };
}
