import type { OpenedPage } from '#src/files/open-page.ts';
import { readLink } from './page-address.ts';

/** What a page says to crawlers: where it belongs, whether it may be kept, and where it leads. */
export interface PageDirections {
  /** `rel=canonical`; null when it names none. */
  canonical: URL | null;
  noindex: boolean;
  links: URL[];
  /** Whether there were more links than are followed. */
  isCut: boolean;
  /** Where it sends its readers on to by itself; null when they stay. */
  refresh: URL | null;
}

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** More links than this are a list made by a machine. */
const MAX_LINKS = 5_000;
/** Pages that are read before they send their readers on. */
const LONGEST_REFRESH_SECONDS = 15;

/**
 * Canonical address (RFC 6596), robots directives and links of a page, in the order of the page.
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
  /** As they are written: navigation repeats itself, and reading an address costs more than to compare it. */
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
