import type { CheerioAPI } from 'cheerio';
import { readLink } from './page-address.ts';

/** What a page says to crawlers: where it belongs, whether it may be kept, and where it leads. */
export interface PageDirections {
  /** `rel=canonical`; null when it names none. */
  canonical: URL | null;
  noindex: boolean;
  links: URL[];
}

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** More links than this are a list made by a machine. */
const MAX_LINKS = 5_000;

/**
 * Canonical address (RFC 6596), robots directives and links of a page, in the order of the page.
 * @param url where the page was found
 * @param header its `X-Robots-Tag`
 * @param respected whether robots directives count
 */
export function readDirections(
  page: CheerioAPI,
  url: string,
  header: string | null,
  respected: boolean,
): PageDirections {
  const meta = page('meta[name="robots" i], meta[name="millrace" i]')
    .toArray()
    .map((element) => page(element).attr('content') ?? '');
  const directives = readDirectives([...meta, header ?? ''].join(','));
  const base = URL.parse(page('base[href]').first().attr('href') ?? '', url) ?? new URL(url);
  const canonical = page('link[rel="canonical" i]').first().attr('href')?.trim();
  return {
    canonical: canonical ? readLink(canonical, base) : null,
    noindex: respected && directives.noindex,
    links: respected && directives.nofollow ? [] : findLinks(page, base, respected),
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

function findLinks(page: CheerioAPI, base: URL, respected: boolean): URL[] {
  const found = new Map<string, URL>();
  const add = (href: string | undefined): void => {
    const link = href === undefined ? null : readLink(href, base);
    if (link) found.set(link.href, link);
  };
  const elements = page(
    'a[href], area[href], link[rel="next" i], link[rel="prev" i], frame[src], iframe[src]',
  );
  for (const element of elements.toArray()) {
    if (found.size >= MAX_LINKS) break;
    const { href, src, rel = '' } = element.attribs;
    if (!(respected && /(?:^|\s)nofollow(?:\s|$)/i.test(rel))) add(href ?? src);
  }
  // A page that sends its readers on by itself.
  const refresh = page('meta[http-equiv="refresh" i]').first().attr('content') ?? '';
  add(/;\s*url\s*=\s*["']?([^"']+)/i.exec(refresh)?.[1]);
  return [...found.values()];
}
