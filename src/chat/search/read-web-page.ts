import { decodePage } from '#src/files/decode-page.ts';
import { explainFetchFailure } from '#src/leads/visit/explain-fetch-failure.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { TaskOptions } from '#src/platform/guarded-processes.ts';
import { OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { fileNameOf, formatOfPage } from './page-format.ts';
import { pageLinks } from './page-links.ts';

export type PageServices = Pick<ChatServices, 'http' | 'parsers' | 'renderer'>;

export type WebPage =
  | {
      kind: 'read';
      title: string;
      /** Markdown for HTML and files, otherwise unchanged. */
      text: string;
      /** The text was truncated. */
      isCut: boolean;
      /** The targets of its links, besides URLs in its text. */
      links: readonly string[];
    }
  | FailedPage;

export interface FailedPage {
  kind: 'failed';
  /** A sentence. */
  reason: string;
}

const FETCH_TIMEOUT_MS = 20_000;
const MAX_BYTES = 10_000_000;
const ACCEPT =
  'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/pdf;q=0.9, */*;q=0.5';
/** A page with scripts and less text than this renders itself. */
const FEW_CHARACTERS = 200;
const SIGN_IN: readonly number[] = [401, 402, 403, 407];

/**
 * The readable text at a URL, fetched over the guarded HTTP client.
 * @param options `owner`: the workspace that reads it
 * @throws the signal's reason; failures of the page itself are in the result
 */
export async function readWebPage(
  services: PageServices,
  url: string,
  options: TaskOptions,
): Promise<WebPage> {
  const { signal } = options;
  try {
    const response = await services.http.send({
      url,
      headers: { accept: ACCEPT },
      signal,
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      excess: 'cut',
    });
    return await readAnswer(services, response, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutboundError) return fail(explainFetchFailure(error, url));
    if (error instanceof GiveUp) return fail(error.message);
    throw error;
  }
}

async function readAnswer(
  services: PageServices,
  response: OutboundResponse,
  options: TaskOptions,
): Promise<WebPage> {
  const { status, bytes, headers, isCut } = response;
  const place = new URL(response.url);
  const { host } = place;
  if (SIGN_IN.includes(status)) return fail(`${host} asks for a sign-in (${status}).`);
  if (status < 200 || status >= 300) return fail(`${host} answered ${status}.`);
  if (bytes.length === 0) return fail(`${host} sent an empty page.`);
  const contentType = headers.get('content-type') ?? '';
  const format = formatOfPage(place, contentType, bytes);
  switch (format.kind) {
    case 'html': {
      const html = decodePage(bytes, contentType);
      if (html === null) return fail(`${host} says that it is HTML, but it is no text.`);
      return readHtml(services, { html, place, isCut }, options);
    }
    case 'text': {
      const text = decodePage(bytes, contentType);
      if (text === null || text.trim() === '') return fail(`${host} sent no text.`);
      return { kind: 'read', title: fileNameOf(place), text, isCut, links: [] };
    }
    case 'file':
      if (isCut) return fail(`${format.name} at ${host} did not arrive whole within its limits.`);
      return parse(services, { name: format.name, bytes }, options);
    case 'unreadable':
      return fail(`${host} sent ${format.type}, which cannot be read as text.`);
  }
}

interface HtmlAnswer {
  html: string;
  place: URL;
  isCut: boolean;
}

/** A page that shows nothing without its scripts is rendered, if a browser is installed. */
async function readHtml(
  services: PageServices,
  { html, place, isCut }: HtmlAnswer,
  options: TaskOptions,
): Promise<WebPage> {
  const plain = await parseHtml(services, { html, place }, options);
  const isWritten = plain !== null && plain.text.length >= FEW_CHARACTERS;
  const needsScripts = !isWritten && /<script[\s>]/i.test(html);
  const rendered = needsScripts ? await render(services, place, options) : null;
  const better = rendered && (await parseHtml(services, { html: rendered, place }, options));
  const best = better && better.text.length > (plain?.text.length ?? 0) ? better : plain;
  if (best !== null) {
    const links = pageLinks(best === better ? (rendered ?? html) : html, place);
    return { kind: 'read', ...best, isCut, links };
  }
  const without = needsScripts ? ' without JavaScript' : '';
  return fail(`${place.host} shows no text${without}.`);
}

/** Null for a page without text. */
async function parseHtml(
  services: PageServices,
  { html, place }: Pick<HtmlAnswer, 'html' | 'place'>,
  options: TaskOptions,
): Promise<{ title: string; text: string } | null> {
  const name = `${place.host}.html`;
  try {
    const page = await parse(services, { name, bytes: Buffer.from(html) }, options);
    return { ...page, title: page.title === name ? place.host + place.pathname : page.title };
  } catch (error) {
    if (error instanceof GiveUp && error.message === `${name} contains no text.`) return null;
    throw error;
  }
}

async function parse(
  { parsers }: PageServices,
  file: { name: string; bytes: Buffer },
  options: TaskOptions,
) {
  const { title, sections } = await parsers.parse({ ...file, ...options });
  const text = sections.map((section) => section.text).join('\n\n');
  return { kind: 'read', title, text, isCut: false, links: [] } as const;
}

/** Null when there is no browser or it fails: then the page is used as sent. */
async function render(
  { renderer }: PageServices,
  place: URL,
  options: TaskOptions,
): Promise<string | null> {
  if (renderer === null) return null;
  try {
    const page = await renderer.render(place.href, { scroll: false, ...options });
    return page.status < 400 ? page.html : null;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof Error && error.name === 'SourceUnavailable') return null;
    throw error;
  }
}

function fail(reason: string): FailedPage {
  return { kind: 'failed', reason };
}
