import { loadHtml } from '#src/files/load-html.ts';
import type { ConnectorDocument } from './connector.ts';
import { decodePage } from './decode-page.ts';
import { type ExtractedPage, extractPage } from './extract-page.ts';
import { addressKey, hashOf, isInScope, withSchemeOf } from './page-address.ts';
import { type PageDirections, readDirections } from './page-links.ts';
import {
  blankDocument,
  changedAt,
  type Crawl,
  fail,
  type FoundPage,
  memoryOf,
  type PageReading,
  skip,
} from './page-reading.ts';
import { SourceUnavailable } from './source-errors.ts';

/** Larger pages are read in a thread of their own; above this only the beginning is searched for links. */
const MAX_INLINE_CHARACTERS = 1_000_000;
const ROOT_PAGE = /^\/(?:(?:index|default|home)(?:\.\w+)?\/?)?$/i;

/** Directions, links and readable text of an HTML page. */
export async function readHtmlPage(
  crawl: Crawl,
  found: FoundPage,
  knownId: string | null,
): Promise<PageReading> {
  const { settings, context } = crawl;
  const { response, place, scope } = found;
  const html = await htmlOf(crawl, found);
  if (html === null) return fail(`${place.href} says that it is HTML but is not text.`);
  const page = loadHtml(html.slice(0, MAX_INLINE_CHARACTERS));
  const directions = readDirections(
    page,
    place.href,
    response.headers.get('x-robots-tag'),
    settings.respect_robots_txt,
  );
  const links = linksToFollow(crawl, found, directions);
  if (directions.noindex) return skip('noindex', links);
  const needsScripts = page('script').length > 0 && !settings.render_javascript;
  const title = place.pathname === '/' ? place.host : `${place.host}${place.pathname}`;
  const extracted = extractPage(page, title, { mintlifyCleanup: settings.mintlify_cleanup });
  if (html.length > MAX_INLINE_CHARACTERS) {
    const bytes = Buffer.from(html);
    const file = await context.parse({ name: 'page.html', bytes });
    extracted.text = file.sections.map(({ text }) => text).join('\n\n');
  }
  if (extracted.text === '') {
    return skip(needsScripts ? 'no text without JavaScript' : 'no text', links);
  }
  const id = idOf(found, directions.canonical, knownId);
  const hash = hashOf(JSON.stringify([extracted.title, extracted.text, extracted.metadata]));
  const memory = memoryOf(crawl, found, { id, hash, links });
  const isSame = found.known?.hash === hash && found.known.id === id;
  const document = isSame ? null : documentOf(id, extracted, found, context.clock());
  return { kind: 'read', id, document, memory, links, scope };
}

/** Null when it is no text. */
async function htmlOf({ settings, context }: Crawl, { response, place }: FoundPage) {
  if (!settings.render_javascript) {
    return decodePage(response.bytes, response.headers.get('content-type') ?? '');
  }
  if (!context.renderer) {
    throw new SourceUnavailable('Pages cannot be rendered: no browser is set in CHROMIUM_PATH.');
  }
  const { signal } = context;
  const scroll = settings.scroll_before_scraping;
  const rendered = await context.renderer.render(place.href, { scroll, signal });
  if (rendered.status >= 400) {
    throw new SourceUnavailable(`${place.href} answered ${rendered.status} to the browser.`);
  }
  return rendered.html;
}

/** Only a recursive crawl goes on from a page. */
function linksToFollow(
  { settings }: Crawl,
  found: FoundPage,
  { links, canonical }: PageDirections,
) {
  if (settings.web_connector_type !== 'recursive') return [];
  const all = canonical ? [...links, canonical] : links;
  return all
    .filter((link) => isInScope(found.scope, link))
    .map((link) => withSchemeOf(found.scope, link));
}

/**
 * The canonical address (RFC 6596) if it is on the same site, else where the page was found. A site that names its
 * home page on every page is not believed. An id that differs from the one of the last run by a slash only is kept.
 */
function idOf({ place, scope }: FoundPage, canonical: URL | null, knownId: string | null): string {
  const named = canonical && canonical.host === place.host ? canonical : null;
  const isMistake =
    named &&
    ROOT_PAGE.test(named.pathname) &&
    named.search === '' &&
    !ROOT_PAGE.test(place.pathname);
  const id = withSchemeOf(scope, named && !isMistake ? named : place).href;
  return knownId !== null && addressKey(knownId) === addressKey(id) ? knownId : id;
}

function documentOf(
  id: string,
  { title, text, author, metadata, modifiedAt }: ExtractedPage,
  found: FoundPage,
  now: Date,
): ConnectorDocument {
  return {
    ...blankDocument(id),
    semanticIdentifier: title,
    title,
    sections: [{ text, link: id }],
    metadata,
    updatedAt: changedAt(modifiedAt, found, now),
    primaryOwners: author === null ? [] : [{ display_name: author }],
  };
}
