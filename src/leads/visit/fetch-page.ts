import { decodePage } from '#src/files/decode-page.ts';
import { type HttpClient, OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import { isRedirect, nextHop } from '#src/platform/outbound-hop.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { CookieJar } from './cookie-jar.ts';
import { explainFetchFailure } from './explain-fetch-failure.ts';

/** The outcome of one request for a page. */
export type FetchedPage =
  | { kind: 'page'; html: string; format: 'html' | 'vcard' }
  /** By a redirect, or by a page with an immediate refresh. */
  | { kind: 'moved'; url: string; isRefresh: boolean }
  /** The site received too many requests. */
  | { kind: 'busy'; reason: string; pauseMs: number }
  | { kind: 'failed'; reason: string; fault: PageFault };

/**
 * `missing`: there is no such web page. `refused`: the host exists, but does not give this page. `broken`: the
 * connection ended before the answer did. `host`: the host could not be asked, or is in trouble.
 */
export type PageFault = 'missing' | 'refused' | 'broken' | 'host';

const MAX_BYTES = 2 * 1024 * 1024;
const ACCEPT = 'text/html, application/xhtml+xml, text/vcard;q=0.9, text/plain;q=0.8, */*;q=0.1';
/** For sites that report too many requests without stating a wait. */
const DEFAULT_PAUSE_MS = 10_000;

/**
 * Requests one page, once: a redirect is returned, so that its target can be requested by the rules of its own site.
 * Of a body above 2 MB, or incomplete when time is up, the received part is used.
 * @throws the signal's reason
 */
export async function fetchPage(
  http: HttpClient,
  request: {
    url: string;
    signal: AbortSignal;
    timeoutMs: number;
    /** Whether a page with an immediate refresh counts as moved; else it is read as it is. */
    followsRefresh: boolean;
    /** The cookies of the visit; redirects may add some. */
    cookies: CookieJar;
  },
): Promise<FetchedPage> {
  const { url, signal, timeoutMs, followsRefresh, cookies } = request;
  const cookie = cookies.headerFor(url);
  try {
    const response = await http.send({
      url,
      headers: { accept: ACCEPT, ...(cookie !== null && { cookie }) },
      signal,
      timeoutMs,
      maxBytes: MAX_BYTES,
      excess: 'cut',
      maxRedirects: 0,
    });
    cookies.keep(url, response.headers);
    return understand(url, response, followsRefresh);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutboundError)) throw error;
    const fault = error.kind === 'network' && BROKEN.has(error.code) ? 'broken' : 'host';
    return { kind: 'failed', reason: explainFetchFailure(error, url), fault };
  }
}

/** Codes of the system and of undici for a connection that was made and then lost. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** Not Found, Gone. */
const MISSING: readonly number[] = [404, 410];

function understand(url: string, response: OutboundResponse, followsRefresh: boolean): FetchedPage {
  const { status, headers } = response;
  const host = new URL(url).hostname;
  const location = headers.get('location') ?? undefined;
  if (isRedirect(status, location)) {
    const hop = { url: new URL(url), method: 'GET', headers: {}, body: null } as const;
    return { kind: 'moved', url: nextHop(hop, status, location).url.href, isRefresh: false };
  }
  if (status === 429 || status === 503) {
    const pauseMs = retryAfterMs(headers.get('retry-after'), Date.now()) ?? DEFAULT_PAUSE_MS;
    return { kind: 'busy', reason: `${host} answered ${status}: too busy for now.`, pauseMs };
  }
  if (status < 200 || status >= 300) {
    const fault = MISSING.includes(status) ? 'missing' : status < 500 ? 'refused' : 'host';
    return { kind: 'failed', reason: `${host} answered ${status}.`, fault };
  }
  const read = readBody(url, response);
  const isHtml = read.kind === 'page' && read.format === 'html';
  const target = isHtml && followsRefresh ? refreshTarget(read.html, url) : null;
  return target === null ? read : { kind: 'moved', url: target, isRefresh: true };
}

const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml|text\/plain)$/;
const VCARD_TYPES = /^(?:text\/(?:x-)?vcard|text\/directory)$/;
const UNKNOWN_TYPES = /^(?:|application\/octet-stream|binary\/octet-stream|text\/plain)$/;

function readBody(url: string, { bytes, headers }: OutboundResponse): FetchedPage {
  const contentType = headers.get('content-type') ?? '';
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const isCard =
    VCARD_TYPES.test(type) || (UNKNOWN_TYPES.test(type) && /\.vcf$/i.test(new URL(url).pathname));
  const isPage = isCard || HTML_TYPES.test(type) || (type === '' && looksLikeHtml(bytes));
  const text = isPage ? decodePage(bytes, contentType) : null;
  if (text === null) {
    const { hostname } = new URL(url);
    const what = isPage || type === '' ? 'something' : printable(type);
    return {
      kind: 'failed',
      reason: `${hostname} sent ${what}, which is not a web page.`,
      fault: 'missing',
    };
  }
  return { kind: 'page', html: text, format: isCard ? 'vcard' : 'html' };
}

function looksLikeHtml(bytes: Buffer): boolean {
  return /<(?:!doctype|html|head|body|title|meta|div|p|a)\b/i.test(
    bytes.subarray(0, 2_000).toString('latin1'),
  );
}

/** The header comes from the site, but the sentence is ours. */
function printable(type: string): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(type) ? type : 'something';
}

const HEAD_CHARACTERS = 16_000;
/** A page with a longer refresh is read itself. */
const LONGEST_REFRESH_SECONDS = 10;

/**
 * The target of the page's `meta` refresh (HTML Living Standard §4.2.5.3); null when there is none, or it reloads the
 * page itself. Searches only the beginning of the page, without parsing it.
 */
function refreshTarget(html: string, url: string): string | null {
  const head = html
    .slice(0, HEAD_CHARACTERS)
    .replaceAll(
      /<!--[^]*?(?:-->|$)|<noscript\b[^]*?(?:<\/noscript|$)|<script\b[^]*?(?:<\/script|$)/gi,
      '',
    );
  for (const [tag] of head.matchAll(/<meta\s[^<>]{1,1000}>/gi)) {
    if (!/\bhttp-equiv\s*=\s*["']?refresh\b/i.test(tag)) continue;
    const content = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag);
    const value = content?.[1] ?? content?.[2] ?? content?.[3] ?? '';
    const [, seconds, target = ''] =
      /^\s*(\d{1,6})(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(value) ?? [];
    if (seconds === undefined || Number(seconds) > LONGEST_REFRESH_SECONDS) return null;
    const next =
      target.trim() === '' ? null : URL.parse(target.trim().replaceAll('&amp;', '&'), url);
    if (!next || (next.protocol !== 'http:' && next.protocol !== 'https:')) return null;
    next.hash = '';
    return next.href === url ? null : next.href;
  }
  return null;
}
