import { cleanText } from '#src/documents/clean-text.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { whyUncallable } from '#src/leads/visit/explain-fetch-failure.ts';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { findIndexedPage } from './find-indexed-page.ts';
import { type FailedPage, type PageServices, readWebPage, type WebPage } from './read-web-page.ts';
import { shareTokens } from './share-tokens.ts';
import { webDocument } from './web-document.ts';

export type PagesServices = PageServices & Pick<ChatServices, 'db'>;

/** The caller: private documents of others are not shown. */
export interface PageReader {
  workspaceId: WorkspaceId;
  userId: UserId;
}

export type OpenedWebPage =
  | {
      kind: 'read';
      url: string;
      document: SearchDoc;
      text: string;
      isCut: boolean;
      /** The targets of its links, besides URLs in its text. */
      links: readonly string[];
    }
  | (FailedPage & { url: string });

const PAGES_AT_ONCE = 4;
/** For fetching, waiting for a parser, and rendering together. */
const PAGE_TIMEOUT_MS = 60_000;
const MAX_URL_LENGTH = 2_000;

/**
 * Reads the pages at these URLs, in order. A page that cannot be fetched is read from the index if the caller may see
 * it there; an unreadable one fails alone.
 * @param budgetTokens limit for all texts together
 * @throws the signal's reason
 */
export async function readWebPages(
  services: PagesServices,
  reader: PageReader,
  urls: readonly string[],
  options: { budgetTokens: number; signal: AbortSignal },
): Promise<OpenedWebPage[]> {
  const opened: OpenedWebPage[] = [];
  const waiting = [...urls.entries()];
  const take = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, url] = next;
      opened[index] = await openPage(services, reader, url, options.signal);
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, take));
  return cutToBudget(opened, options.budgetTokens);
}

/**
 * Normalizes URLs as models and people write them (without a scheme, in angle brackets, with a fragment), and removes
 * duplicates.
 */
export function toPageUrls(written: readonly string[]): string[] {
  const urls = written.filter((text) => text.trim() !== '').map(toPageUrl);
  return [...new Set(urls)];
}

function toPageUrl(written: string): string {
  const plain = cleanText(unwrapped(written.trim()));
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(plain);
  const text = hasScheme ? plain : `https://${plain.replace(/^\/\//, '')}`;
  const url = URL.parse(text);
  if (url === null) return text.slice(0, MAX_URL_LENGTH);
  // The fragment does not change the page.
  url.hash = '';
  return url.href;
}

/** Without surrounding brackets and quotes; a pattern would backtrack at each of a million. */
function unwrapped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && '<"\'`'.includes(text.charAt(start))) start += 1;
  while (end > start && '>"\'`'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

async function openPage(
  services: PagesServices,
  reader: PageReader,
  url: string,
  signal: AbortSignal,
): Promise<OpenedWebPage> {
  const page = await readInTime(services, reader, url, signal);
  if (page.kind === 'read') {
    const text = cleanText(page.text);
    const document = webDocument({ url, title: page.title, text });
    return { kind: 'read', url, document, text, isCut: page.isCut, links: page.links };
  }
  const indexed = await findIndexedPage(services.db, reader, url);
  if (indexed === null) return { ...page, url };
  return { kind: 'read', url, ...indexed, isCut: false, links: [] };
}

async function readInTime(
  services: PagesServices,
  reader: PageReader,
  url: string,
  signal: AbortSignal,
): Promise<WebPage> {
  const refusal = url.length > MAX_URL_LENGTH ? 'The address is too long.' : whyUncallable(url);
  if (refusal !== null) return { kind: 'failed', reason: refusal };
  using deadline = startDeadline(signal, PAGE_TIMEOUT_MS);
  try {
    const { signal: inTime } = deadline;
    const page = readWebPage(services, url, { owner: reader.workspaceId, signal: inTime });
    return await untilAborted(page, inTime);
  } catch (error) {
    if (!deadline.expired) throw error;
    const reason = `${new URL(url).host} could not be read within ${PAGE_TIMEOUT_MS / 1_000} s.`;
    return { kind: 'failed', reason };
  }
}

function cutToBudget(pages: readonly OpenedWebPage[], budgetTokens: number): OpenedWebPage[] {
  const texts = pages.map((page) => (page.kind === 'read' ? page.text : ''));
  const shared = shareTokens(texts, budgetTokens);
  return pages.map((page, index) => {
    const share = shared[index];
    if (page.kind === 'failed' || !share) return page;
    return { ...page, text: share.text, isCut: page.isCut || share.isCut };
  });
}
