import { setImmediate } from 'node:timers/promises';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { HtmlElement } from '#src/files/html-tree.ts';
import { openPage, type OpenedPage } from '#src/files/open-page.ts';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import { decodePage } from '#src/files/decode-page.ts';
import { contentOf, extractContent, type ExtractedPage } from './extract-page.ts';
import type { PageContent } from '#src/files/find-content.ts';
import { findFrame, type FramedPage } from './find-frame.ts';
import { addressKey, hashOf, isInScope, withSchemeOf } from './page-address.ts';
import type { PageMemory } from './page-memory.ts';
import { type PageDirections, readDirections } from './page-links.ts';
import {
  blankDocument,
  changedAt,
  type Crawl,
  fail,
  type FoundPage,
  memoryOf,
  type OpenReading,
  type PageReading,
  skip,
} from './page-reading.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** Larger pages are read in a separate thread, and only their beginning is searched for links. */
const MAX_INLINE_CHARACTERS = 2_000_000;
/** Limit for pages kept open until others are read; a tree takes ten times as much memory. */
const MAX_OPEN_CHARACTERS = 4_000_000;
/** A page with more text than this is read although it redirects its readers. */
const MAX_REDIRECT_NOTICE = 500;
const ROOT_PAGE = /^\/(?:(?:index|default|home)(?:\.\w+)?\/?)?$/i;

/**
 * Directives and links of an HTML page, and how to read its text. Pages stay open until enough of them have been
 * learned from; when there is no room, a page is read at once.
 */
export async function readHtmlPage(
  crawl: Crawl,
  found: FoundPage,
  remembered: PageMemory | null,
): Promise<PageReading | OpenReading> {
  const { settings } = crawl;
  const { response, place, scope, entry } = found;
  // Lets the next request go out before this page is parsed.
  await setImmediate();
  const html = await htmlOf(crawl, found);
  if (html === null) return fail(`${place.href} claims to be HTML but is not text.`);
  const page = openPage(html.slice(0, MAX_INLINE_CHARACTERS));
  const directions = readDirections(
    page,
    place.href,
    response.headers.get('x-robots-tag'),
    settings.respect_robots_txt,
  );
  const links = linksToFollow(crawl, found, directions);
  if (directions.noindex) return skip('noindex', links);
  const content = contentOf(page, { mintlifyCleanup: settings.mintlify_cleanup });
  const key = addressKey(entry.url).slice(0, 8);
  const file = place.pathname.slice(place.pathname.lastIndexOf('/') + 1);
  const framed = { ...content, host: place.host, key, title: page.title, file };
  const knownId = remembered?.id ?? null;
  const opened: OpenedHtml = { found, html, page, content, framed, directions, links, knownId };
  const finish = (): Promise<PageReading> => finishPage(crawl, opened);
  const learn = (): void => {
    // An earlier run has counted this page already.
    if (remembered) return;
    crawl.frame.learn(framed.key, findFrame(framed, crawl.frame).candidates);
  };
  crawl.openCharacters += html.length;
  if (crawl.openCharacters > MAX_OPEN_CHARACTERS) {
    learn();
    return finish();
  }
  return { kind: 'open', links, scope, learn, finish };
}

/** A parsed page. */
interface OpenedHtml {
  found: FoundPage;
  html: string;
  page: OpenedPage;
  content: PageContent;
  framed: FramedPage;
  directions: PageDirections;
  links: URL[];
  knownId: string | null;
}

async function finishPage(crawl: Crawl, opened: OpenedHtml): Promise<PageReading> {
  const { settings, context, frame } = crawl;
  const { found, html, page, framed, directions, links, knownId } = opened;
  const { elements, candidates } = findFrame(framed, frame);
  const extracted = await extract(crawl, opened, elements);
  if (redirectsReader(crawl, found, directions, extracted)) {
    return skip('redirects its readers to another page', links);
  }
  if (extracted.text === '') {
    const needsScripts = page.hasScripts && !settings.render_javascript;
    return skip(needsScripts ? 'no text without JavaScript' : 'no text', links);
  }
  const id = idOf(found, directions.canonical, knownId);
  const hash = hashOf(JSON.stringify([extracted.title, extracted.text, extracted.metadata]));
  const doubts = frame.doubtsAbout(candidates);
  const memory = memoryOf(crawl, found, { id, hash, links, doubts });
  const isSame = found.known?.hash === hash && found.known.id === id;
  const document = isSame ? null : documentOf(id, extracted, found, context.clock());
  const isCut = directions.isCut || html.length > MAX_INLINE_CHARACTERS;
  const prints = [hash, found.raw];
  return { kind: 'read', id, document, memory, links, prints, isCut, scope: found.scope };
}

async function extract(
  { context }: Crawl,
  { found: { place }, page, html, content }: OpenedHtml,
  ofSite: ReadonlySet<HtmlElement>,
): Promise<ExtractedPage> {
  const title = place.pathname === '/' ? place.host : `${place.host}${place.pathname}`;
  const extracted = extractContent(page, title, content, ofSite);
  if (html.length > MAX_INLINE_CHARACTERS) {
    const file = await context.parse({ name: 'page.html', bytes: Buffer.from(html) });
    extracted.text = file.sections.map(({ text }) => text).join('\n\n');
  }
  return extracted;
}

/** "You are being redirected" is not content, if the crawl will see the target. */
function redirectsReader(
  { settings }: Crawl,
  { place, scope }: FoundPage,
  { refresh }: PageDirections,
  { text }: ExtractedPage,
): boolean {
  if (settings.web_connector_type !== 'recursive' || refresh === null) return false;
  const leadsAway = addressKey(refresh) !== addressKey(place) && isInScope(scope, refresh);
  return leadsAway && text.length < MAX_REDIRECT_NOTICE;
}

/** Null when it is not text. */
async function htmlOf({ settings, context }: Crawl, { response, place }: FoundPage) {
  if (!settings.render_javascript) {
    return decodePage(response.bytes, response.headers.get('content-type') ?? '');
  }
  if (!context.renderer) {
    throw new SourceUnavailable(
      'Pages cannot be rendered: no Chromium was found. Install it, or name it in CHROMIUM_PATH.',
    );
  }
  const { signal } = context;
  const scroll = settings.scroll_before_scraping;
  const rendered = await context.renderer.render(place.href, { scroll, signal });
  if (rendered.status >= 400) {
    throw new SourceUnavailable(`${place.href} answered ${rendered.status} to the browser.`);
  }
  return rendered.html;
}

/** Only a recursive crawl continues from a page. */
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
 * The canonical URL (RFC 6596) if it is on the same site, else the URL of the page. A site that names its home page,
 * or the base URL, on every page is not believed. An id that differs from the last run's only by a slash is kept.
 */
function idOf(
  { entry, place, scope }: FoundPage,
  canonical: URL | null,
  knownId: string | null,
): string {
  const own = !entry.own && canonical ? withSchemeOf(scope, canonical) : null;
  const named = own?.host === place.host ? own : null;
  const isHome = ({ pathname }: URL): boolean =>
    ROOT_PAGE.test(pathname) || `${withoutLastSlashes(pathname)}/` === scope.path;
  const isMistake = named && isHome(named) && named.search === '' && !isHome(place);
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
