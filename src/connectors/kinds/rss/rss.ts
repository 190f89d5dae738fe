import { z } from 'zod';
import {
  type ConnectorContext,
  type ConnectorDocument,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { itemKey, type ItemMemory, ItemRegister } from './feed-memory.ts';
import { fetchArticle } from './fetch-article.ts';
import { hashOf, readBaseUrl } from '#src/connectors/kinds/web/page-address.ts';
import type { FeedItem } from './read-feed.ts';
import { openRobots, type Robots } from '#src/connectors/kinds/web/read-robots.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { type FeedPage, NoFeed, walkFeed } from './walk-feed.ts';

const ITEMS_PER_PAGE = 20;
/** Every run reads older pages up to this number, and further ones only while they contain something new. */
const PAGES_ALWAYS_READ = 20;

const settingsSchema = z.strictObject({
  feed_url: z
    .string()
    .trim()
    .refine((text) => readBaseUrl(text) !== null, 'This is not a web address.')
    .describe('Address of an RSS, Atom or JSON feed. Without a scheme it is https.')
    .meta({ title: 'Address of the feed' }),
  fetch_full_articles: z
    .boolean()
    .default(false)
    .describe('Read the page that each item leads to, for feeds that show only the beginning.'),
});
type RssSettings = z.infer<typeof settingsSchema>;

const checkpointSchema = z.object({
  feed: z.string(),
  /** The page of the feed being read. */
  url: z.string(),
  /** How many pages of the feed preceded it. */
  pagesBefore: z.int().nonnegative(),
  /** Key of the last item done on it; null: none yet. */
  after: z.string().nullable(),
});
type RssCheckpoint = z.infer<typeof checkpointSchema>;

/** Items of feeds; `readFeed` names the formats and their specifications. */
export const rss = defineConnector({
  kind: 'rss',
  aliases: ['atom'],
  title: 'RSS or Atom feed',
  summary: 'The items of a feed, with the articles that they lead to if wanted.',
  settings: settingsSchema,
  credential: z.strictObject({}),
  checkpoint: checkpointSchema,
  limits: { concurrentRequests: 4, requestsPerSecond: null, documentsPerPage: ITEMS_PER_PAGE },
  defaultRefreshSeconds: 30 * 60,
  check: (settings, _, context) => checkFeed(settings, context),
  poll: (settings, _, checkpoint, context) => pollFeed(settings, checkpoint, context),
  listIds: (settings, _, context) => listItemIds(settings, context),
});

function addressOf({ feed_url }: RssSettings): string {
  return readBaseUrl(feed_url)?.href ?? feed_url;
}

async function checkFeed(settings: RssSettings, context: ConnectorContext): Promise<void> {
  try {
    await walkFeed(addressOf(settings), context, { looksBack: false }).next();
  } catch (error) {
    // No run has ever found a feed there: waiting would not help.
    if (error instanceof NoFeed) {
      throw new SourceRefused(error.message, { cause: error });
    }
    throw error;
  }
}

async function* pollFeed(
  settings: RssSettings,
  checkpoint: RssCheckpoint | null,
  context: PollContext,
): AsyncGenerator<ConnectorPage<RssCheckpoint>> {
  const feed = addressOf(settings);
  const from = checkpoint?.feed === feed ? checkpoint : null;
  const register = await ItemRegister.open(context);
  const robots = openRobots(context, true);
  const reading: Reading = { settings, context, robots, register, seen: new Set() };
  let pagesBefore = from?.pagesBefore ?? 0;
  for await (const page of walkFeed(from?.url ?? feed, context, { looksBack: true })) {
    const standing = (after: string | null) => ({
      checkpoint: { feed, url: page.url, pagesBefore, after },
      description: `page ${pagesBefore + 1} of the feed`,
    });
    if (!page.again) reading.seen.clear();
    let isNew = page.again;
    const after = page.url === from?.url && !page.again ? from.after : null;
    for (const portion of portionsOf(page, after)) {
      context.signal.throwIfAborted();
      const harvest = await readPortion(portion, page, reading);
      isNew ||= harvest.documents.length + harvest.failures.length > 0;
      yield pageOf({ ...standing(portion.at(-1)?.key ?? null), ...harvest });
    }
    context.signal.throwIfAborted();
    yield finishPage(page, register, standing(lastKey(page)));
    if (!page.again) pagesBefore += 1;
    if (context.since !== null && !isNew && pagesBefore >= PAGES_ALWAYS_READ) return;
  }
}

interface Reading {
  settings: RssSettings;
  context: PollContext;
  robots: Robots;
  register: ItemRegister;
  /** Versions of items seen on the current page of the feed. */
  seen: Set<string>;
}

type Harvest = Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'memory'
>;

/** For an unchanged feed page, the known keys in place of its items. */
type Portion = readonly { key: string; item: FeedItem | null }[];

function portionsOf({ feed, known }: FeedPage, after: string | null): Portion[] {
  const all: Portion = feed
    ? feed.items.map((item) => ({ key: item.key, item }))
    : [...known.keys()].map((key) => ({ key, item: null }));
  // An item that a feed shows twice counts once. If the last item done is gone, the page is read again.
  const items = [...new Map(all.map((entry) => [entry.key, entry])).values()];
  const rest = items.slice(items.findIndex(({ key }) => key === after) + 1);
  const portions: Portion[] = [];
  for (let at = 0; at < rest.length; at += ITEMS_PER_PAGE) {
    portions.push(rest.slice(at, at + ITEMS_PER_PAGE));
  }
  return portions;
}

function lastKey({ feed, known }: FeedPage): string | null {
  return feed ? (feed.items.at(-1)?.key ?? null) : ([...known.keys()].at(-1) ?? null);
}

/** Deletions, and the marker that the page was read, once all of its items are saved. */
function finishPage(
  { feed, known, memory }: FeedPage,
  register: ItemRegister,
  standing: Pick<ConnectorPage<RssCheckpoint>, 'checkpoint' | 'description'>,
): ConnectorPage<RssCheckpoint> {
  const removed = (feed?.deleted ?? []).flatMap((key) => known.get(key)?.id ?? []);
  register.remove(removed);
  return pageOf({ ...standing, removed, memory: [...memory, ...register.save()] });
}

async function readPortion(portion: Portion, page: FeedPage, reading: Reading): Promise<Harvest> {
  const harvest: Harvest = { documents: [], unchanged: [], skipped: [], failures: [], memory: [] };
  await Promise.all(
    portion.map(async ({ key, item }) => {
      const known = page.known.get(key) ?? null;
      const hash = item ? contentHash(item, reading.settings) : null;
      const version = `${key} ${hash ?? known?.hash}`;
      if (reading.seen.has(version)) return;
      reading.seen.add(version);
      if (item && hash !== null && known?.hash !== hash) {
        // A document keeps its first id.
        const named = { ...item, id: known?.id ?? item.id };
        await addItem(harvest, named, hash, page, reading);
      } else if (known) addKnown(harvest, known);
    }),
  );
  await reading.register.add(harvest.documents.map(({ id }) => id));
  harvest.memory.push(...reading.register.save());
  return harvest;
}

function contentHash({ id: _, ...content }: FeedItem, settings: RssSettings): string {
  return hashOf(JSON.stringify([settings.fetch_full_articles, content]));
}

function addKnown(harvest: Harvest, { id, skipped }: ItemMemory): void {
  if (skipped === null) harvest.unchanged.push(id);
  else harvest.skipped.push({ documentId: id, reason: skipped });
}

async function addItem(
  harvest: Harvest,
  item: FeedItem,
  hash: string,
  page: FeedPage,
  { settings, robots, context }: Reading,
): Promise<void> {
  const { id, link } = item;
  const remember = (skipped: string | null): void => {
    const value: ItemMemory = { id, hash, skipped };
    harvest.memory.push({
      key: itemKey(item.key),
      documentId: skipped === null ? id : null,
      value,
    });
  };
  try {
    const wantsArticle = settings.fetch_full_articles && link !== null;
    const article = wantsArticle ? await fetchArticle(link, robots, context) : null;
    const text = article !== null && article.length > item.text.length ? article : item.text;
    if (text.trim() === '') {
      harvest.skipped.push({ documentId: id, reason: 'no text' });
      remember('no text');
      return;
    }
    harvest.documents.push(documentOf(item, text, page.feed?.title ?? '', context.clock()));
    remember(null);
  } catch (error) {
    context.signal.throwIfAborted();
    const isOfItem = error instanceof SourceUnavailable && error.retryAfterMs === null;
    if (!isOfItem) throw error;
    harvest.failures.push({ documentId: id, link, entityId: null, reason: error.message });
  }
}

function documentOf(item: FeedItem, text: string, feed: string, now: Date): ConnectorDocument {
  const { id, link, title, authors, categories, updatedAt } = item;
  const names = authors.flatMap(({ display_name }) => display_name ?? []);
  return {
    id,
    semanticIdentifier: title,
    title,
    sections: [{ text, link: link ?? id }],
    metadata: {
      ...(feed !== '' && { feed }),
      ...(names.length > 0 && { author: names }),
      ...(categories.length > 0 && { categories }),
    },
    updatedAt: updatedAt && updatedAt > now ? now : updatedAt,
    primaryOwners: authors,
    secondaryOwners: [],
    source: null,
  };
}

/**
 * The items that the feed shows now or ever showed: an item that has scrolled off is still an article. Leaves out
 * only what the feed itself declares deleted (RFC 6721).
 */
async function* listItemIds(
  settings: RssSettings,
  context: ConnectorContext,
): AsyncGenerator<string[]> {
  const register = await ItemRegister.open(context);
  const deleted = new Set<string>();
  for await (const { feed, known } of walkFeed(addressOf(settings), context, {
    looksBack: false,
  })) {
    for (const key of feed?.deleted ?? []) deleted.add(known.get(key)?.id ?? '');
    const ids = feed?.items.map(({ key, id }) => known.get(key)?.id ?? id);
    yield register.unlisted(ids ?? idsOf(known));
  }
  for await (const ids of register.ids()) yield ids.filter((id) => !deleted.has(id));
}

function idsOf(known: Map<string, ItemMemory>): string[] {
  return [...known.values()].map(({ id }) => id);
}
