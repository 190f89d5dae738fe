import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { decodePage } from '#src/files/decode-page.ts';
import {
  feedPageKey,
  type FeedPageMemory,
  type ItemMemory,
  recallFeedPage,
  recallItems,
} from './feed-memory.ts';
import type { Feed } from './read-feed.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** One page of a feed, with the memory of its items. */
export interface FeedPage {
  url: string;
  /** Null: the source reports no change, and all of its items are known. */
  feed: Feed | null;
  /** By key. */
  known: Map<string, ItemMemory>;
  next: string | null;
  /** Whether this walk has returned the page before. */
  again: boolean;
  memory: MemoryEntry[];
}

/** The URL does not serve a complete feed: any more, or at the moment. */
export class NoFeed extends SourceUnavailable {}

const MAX_LOOKS_BACK = 3;
const MAX_FEED_PAGES = 10_000;
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5';

/**
 * The pages of a feed from `url` to older ones, with one conditional request each where the page is known. Pages are
 * offsets: while a page is processed, items may move to it from the next one. With `looksBack`, a page that
 * brought something is requested again before the next one, and is returned once more if it changed.
 * @throws SourceRefused when there is no feed at the URL, NoFeed when the response is not a complete feed
 */
export async function* walkFeed(
  url: string,
  context: ConnectorContext,
  { looksBack }: { looksBack: boolean },
): AsyncGenerator<FeedPage> {
  const visited = new Set<string>();
  let next: string | null = url;
  while (next !== null && !visited.has(next) && visited.size < MAX_FEED_PAGES) {
    context.signal.throwIfAborted();
    visited.add(next);
    let page: FeedPage = await fetchFeedPage(next, context);
    yield page;
    for (let looks = 0; looksBack && page.next !== null && looks < MAX_LOOKS_BACK; looks += 1) {
      if (!hasNews(page)) break;
      page = { ...(await fetchFeedPage(next, context)), again: true };
      if (page.feed) yield page;
    }
    next = page.next;
  }
}

function hasNews({ feed, known }: FeedPage): boolean {
  return feed !== null && feed.items.some(({ key }) => !known.has(key));
}

async function fetchFeedPage(url: string, context: ConnectorContext): Promise<FeedPage> {
  const remembered = await recallFeedPage(url, context);
  if (remembered) {
    const known = await recallItems(remembered.items, context);
    // An item that failed, or has left the index, must be seen again.
    const isComplete = known.size === new Set(remembered.items).size;
    const answer = isComplete ? await requestFeed(url, context, remembered) : null;
    if (answer?.status === 304) {
      return { url, feed: null, known, next: remembered.next, again: false, memory: [] };
    }
    if (answer) return readAnswer(url, context, answer);
  }
  return readAnswer(url, context, await requestFeed(url, context, null));
}

type Answer = Awaited<ReturnType<ConnectorContext['http']['send']>>;

async function requestFeed(
  url: string,
  { http }: ConnectorContext,
  remembered: FeedPageMemory | null,
): Promise<Answer> {
  const headers: Record<string, string> = { accept: ACCEPT };
  if (remembered?.etag) headers['if-none-match'] = remembered.etag;
  if (remembered?.modified) headers['if-modified-since'] = remembered.modified;
  const answer = await http.send({ url, headers, expect: [304, ...CLIENT_ERRORS] });
  if (answer.status >= 400) {
    const { status } = answer;
    throw new SourceRefused(`${url} answered ${status}: there is no feed to read.`, { status });
  }
  return answer;
}

async function readAnswer(
  url: string,
  context: ConnectorContext,
  answer: Answer,
): Promise<FeedPage> {
  const text = decodePage(answer.bytes, answer.headers.get('content-type') ?? '');
  // With the parser of feeds: nearly two hundred modules.
  const { readFeed } = await import('./read-feed.ts');
  const feed = text === null ? null : readFeed(text, answer.url);
  if (!feed) throw new NoFeed(`${url} is not a feed, or was cut off.`);
  const keys = feed.items.map(({ key }) => key);
  const value: FeedPageMemory = {
    etag: answer.headers.get('etag'),
    modified: answer.headers.get('last-modified'),
    next: feed.next,
    items: keys,
  };
  return {
    url,
    feed,
    known: await recallItems([...keys, ...feed.deleted], context),
    next: feed.next,
    again: false,
    memory: [{ key: feedPageKey(url), documentId: null, value }],
  };
}
