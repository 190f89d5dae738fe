import { GiveUp } from '#src/platform/errors.ts';
import type { OutboundResponse } from '#src/platform/http.ts';
import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import {
  addressKey,
  hashOf,
  isInScope,
  readLink,
  scopeOf,
  type SiteScope,
  withSchemeOf,
} from './page-address.ts';
import { kindOfAnswer } from './page-kind.ts';
import { readDirectives } from './page-links.ts';
import { isCoveredByLastmod, type PageMemory, readingMethod, unpackLinks } from './page-memory.ts';
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
import { readHtmlPage } from './read-html-page.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const GONE = [404, 410];
const SIGN_IN = [401, 402, 403, 407];

/**
 * Reads the page at one URL: without a request when robots.txt or the sitemap makes it unnecessary, with one
 * conditional request (RFC 9110 §13) when it was read before, in full otherwise.
 * @throws the signal's reason; problems of the page itself are in the reading
 */
export async function readPage(
  crawl: Crawl,
  entry: FrontierEntry,
  remembered: PageMemory | null,
): Promise<PageReading | OpenReading> {
  try {
    const known = stillCounts(crawl, entry, remembered) ? remembered : null;
    if (!(await crawl.robots.isAllowed(entry.url))) return skip('robots.txt does not allow it');
    const now = crawl.context.clock();
    if (known && isCoveredByLastmod(known, entry.lastmod, now)) {
      return unchanged(known, crawl.scope);
    }
    await crawl.robots.awaitTurn(entry.url);
    const response = await request(crawl, entry, known);
    return await readAnswer(crawl, entry, response, remembered, known);
  } catch (error) {
    crawl.context.signal.throwIfAborted();
    const isOfPage =
      error instanceof SourceUnavailable ||
      error instanceof SourceRefused ||
      error instanceof GiveUp;
    if (!isOfPage) throw error;
    return { kind: 'failed', reason: error.message, error };
  }
}

function stillCounts(
  { settings, frame }: Crawl,
  { url, own }: FrontierEntry,
  remembered: PageMemory | null,
): remembered is PageMemory {
  if (remembered?.how !== readingMethod(settings)) return false;
  // The site's frame was not known yet when this page was read.
  if (frame.settles(remembered.doubts)) return false;
  return !own || addressKey(remembered.id) === addressKey(url);
}

async function request(
  { settings, context }: Crawl,
  entry: FrontierEntry,
  known: PageMemory | null,
): Promise<OutboundResponse> {
  const headers: Record<string, string> = {
    accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,*/*;q=0.5',
  };
  // The page before its scripts have run says nothing about the page after them.
  if (known && !settings.render_javascript) {
    if (known.etag !== null) headers['if-none-match'] = known.etag;
    if (known.modified !== null) headers['if-modified-since'] = known.modified;
  }
  const url = known && addressKey(known.id) === addressKey(entry.url) ? known.id : entry.url;
  return context.http.send({ url, headers, expect: [304, ...CLIENT_ERRORS] });
}

async function readAnswer(
  crawl: Crawl,
  entry: FrontierEntry,
  response: OutboundResponse,
  remembered: PageMemory | null,
  known: PageMemory | null,
): Promise<PageReading | OpenReading> {
  const { status } = response;
  if (GONE.includes(status)) return { kind: 'gone' };
  if (SIGN_IN.includes(status) && !remembered) return skip('the site asks for a sign-in');
  const landed = readLink(response.url, response.url) ?? new URL(entry.url);
  const scope = scopeAfter(crawl, entry, landed);
  if (scope === null) return skip('redirects to a page outside of the base URL');
  const place = withSchemeOf(scope, landed);
  if (addressKey(place) !== addressKey(entry.url) && !(await crawl.robots.isAllowed(place.href))) {
    return skip('robots.txt does not allow it');
  }
  const raw = known && status === 304 ? known.raw : hashOf(response.bytes);
  if (known?.raw === raw && (status === 304 || !crawl.settings.render_javascript)) {
    if (isNoindex(crawl, response)) return skip('noindex', unpackLinks(known));
    // After a 304 nothing needs to be remembered again, unless a sitemap's date counts from now on.
    const holds = status === 304 && known.lastmod === entry.lastmod && entry.lastmod === null;
    return unchanged(known, scope, holds ? null : renewed(crawl, entry, response, known));
  }
  if (status >= 300) return fail(`${entry.url} answered ${status}.`);
  return readBody(crawl, { entry, response, place, scope, raw, known }, remembered);
}

async function readBody(
  crawl: Crawl,
  found: FoundPage,
  remembered: PageMemory | null,
): Promise<PageReading | OpenReading> {
  const { response, place } = found;
  const type = response.headers.get('content-type') ?? '';
  const kind = kindOfAnswer(place, type, response.bytes);
  switch (kind.kind) {
    case 'html':
      return readHtmlPage(crawl, found, remembered);
    case 'file':
      return readFilePage(crawl, found, kind.name);
    case 'unreadable':
      // A page that was read before does not turn into a picture: something stands in front of it.
      if (!remembered) return skip('not a readable type');
      return fail(
        `${place.href} was a page before and is now sent as ${type || 'an unknown type'}.`,
      );
    case 'mislabelled':
      return fail(`${place.href} does not match its content type ${type}.`);
  }
}

async function readFilePage(crawl: Crawl, found: FoundPage, name: string): Promise<PageReading> {
  const { response, place, scope, raw } = found;
  if (isNoindex(crawl, response)) return skip('noindex');
  const id = place.href;
  const memory = memoryOf(crawl, found, { id, hash: raw, links: [] });
  const prints = [raw];
  const document = blankDocument(id);
  if (crawl.contentNeeded) {
    const file = await crawl.context.parse({ name, bytes: response.bytes });
    document.semanticIdentifier = file.title;
    document.title = file.title;
    document.sections = file.sections.map(({ text, link }) => ({
      text,
      link: `${id}${link ?? ''}`,
    }));
    document.metadata = file.metadata;
    document.updatedAt = changedAt(null, found, crawl.context.clock());
  }
  return { kind: 'read', id, document, memory, links: [], prints, scope };
}

function isNoindex({ settings }: Crawl, { headers }: OutboundResponse): boolean {
  const directives = readDirectives(headers.get('x-robots-tag') ?? '');
  return settings.respect_robots_txt && directives.noindex;
}

/** Where the crawl continues when a page was redirected; null when it is outside the crawl. */
function scopeAfter(crawl: Crawl, entry: FrontierEntry, landed: URL): SiteScope | null {
  const { settings, scope } = crawl;
  const type = settings.web_connector_type;
  if (type === 'recursive' && entry.depth === 0) {
    return isInScope(scope, landed) ? { ...scope, protocol: landed.protocol } : scopeOf(landed);
  }
  const isMoved = addressKey(landed) !== addressKey(entry.url);
  const isFree = type === 'single' || type === 'upload' || !isMoved;
  return isFree || isInScope(scope, landed) ? scope : null;
}

function renewed(
  crawl: Crawl,
  entry: FrontierEntry,
  response: OutboundResponse,
  known: PageMemory,
): PageMemory {
  const { id, raw, hash } = known;
  const { doubts, isTwin } = known;
  const links = unpackLinks(known);
  const facts = { id, hash, links, doubts };
  const memory = { ...memoryOf(crawl, { entry, response, raw }, facts), isTwin };
  // A 304 need not repeat its validators.
  return response.status === 304
    ? { ...memory, etag: memory.etag ?? known.etag, modified: memory.modified ?? known.modified }
    : memory;
}

function unchanged(
  known: PageMemory,
  scope: SiteScope,
  memory: PageMemory | null = null,
): PageReading {
  const { id, hash, raw } = known;
  const links = unpackLinks(known);
  return { kind: 'read', id, document: null, memory, links, prints: [hash, raw], scope };
}
