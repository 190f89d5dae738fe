import { z } from 'zod';
import { isRefused, PAGE_LIST, type NotionApi, type NotionPage } from './notion-api.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

export const SEARCH_POSITION = z.object({
  /** Notion's own cursor; when it is no longer accepted, the walk resumes by `editedBefore`. Null: at the top. */
  cursor: z.string().nullable(),
  /** Last edit of the last page seen; everything edited later is done. */
  editedBefore: z.string().nullable(),
  /** The topmost pages when the walk began, with their last edits. */
  top: z.array(z.string()),
  /** The walk has reached its end; what remains are the pages that moved to the top in the meantime. */
  isWalked: z.boolean(),
});
export type SearchPosition = z.infer<typeof SEARCH_POSITION>;

export interface SearchPortion {
  pages: NotionPage[];
  /** The position after these pages. */
  position: SearchPosition;
}

export const START: SearchPosition = { cursor: null, editedBefore: null, top: [], isWalked: false };
/** Any of them, if not edited since, marks where the walk began. */
const TOP_PAGES = 5;
/** Allows 100,000 edits during one walk. */
const MAX_CATCH_UP_PORTIONS = 1_000;

/**
 * Pages shared with the integration, last edited first, back to those edited before `since`. A page edited during the
 * walk jumps to the top, so the walk may miss it: at the end it reads the top again.
 * https://developers.notion.com/reference/post-search
 */
export async function* walkPages(
  api: NotionApi,
  options: { portion: number; since: Date | null; from: SearchPosition | null },
): AsyncGenerator<SearchPortion, void> {
  const since = options.since && startOfMinute(options.since);
  let position = options.from ?? START;
  let isFirst = position.cursor === null && !position.isWalked;
  while (!position.isWalked) {
    const read = await searchFrom(api, position, options.portion);
    const all = read.list.results;
    const pages = all.filter((page) => !isEditedBefore(page, since) && !read.isDone(page));
    const next = read.list.has_more ? (read.list.next_cursor ?? null) : null;
    // The order may be slightly off: only a whole portion of older pages marks the end.
    const isEnd =
      next === null || (all.length > 0 && all.every((page) => isEditedBefore(page, since)));
    if (!isEnd && next === position.cursor) {
      throw new SourceUnavailable('Notion reports more pages, but sends the same ones again.');
    }
    position = {
      cursor: isEnd ? null : next,
      editedBefore: all.at(-1)?.last_edited_time ?? position.editedBefore,
      top: isFirst ? all.slice(0, TOP_PAGES).map(edition) : position.top,
      isWalked: isEnd,
    };
    isFirst = false;
    yield { pages, position };
  }
  yield* catchUp(api, position, options.portion);
}

interface SearchRead {
  list: z.infer<typeof PAGE_LIST>;
  /** Whether this page came before the position. */
  isDone: (page: NotionPage) => boolean;
}

async function searchFrom(
  api: NotionApi,
  position: SearchPosition,
  portion: number,
): Promise<SearchRead> {
  try {
    return { list: await search(api, position.cursor, portion), isDone: () => false };
  } catch (error) {
    if (position.cursor === null || !isRefused(error, 400)) throw error;
  }
  // The cursor is no longer accepted: start from the top and skip what is done.
  const before = position.editedBefore;
  for (let cursor: string | null = null; ;) {
    const list = await search(api, cursor, portion);
    const isDone = (page: NotionPage) => before !== null && page.last_edited_time > before;
    const next = list.has_more ? (list.next_cursor ?? null) : null;
    if (next === null || !list.results.every(isDone)) return { list, isDone };
    if (next === cursor)
      throw new SourceUnavailable('Notion sends the same pages again and again.');
    cursor = next;
  }
}

/** The pages edited since the walk began, down to the first page that was on top then. */
async function* catchUp(
  api: NotionApi,
  position: SearchPosition,
  portion: number,
): AsyncGenerator<SearchPortion, void> {
  const old = new Set(position.top);
  const oldest = position.top[0]?.split(' ')[1] ?? '';
  let cursor: string | null = null;
  for (let count = 0; count < MAX_CATCH_UP_PORTIONS; count += 1) {
    const list = await search(api, cursor, portion);
    const end = list.results.findIndex(
      (page) => old.has(edition(page)) || page.last_edited_time < oldest,
    );
    const pages = end === -1 ? list.results : list.results.slice(0, end);
    if (pages.length > 0) yield { pages, position };
    cursor = list.has_more ? (list.next_cursor ?? null) : null;
    if (end !== -1 || cursor === null) return;
  }
  throw new SourceRefused('Pages in Notion are edited faster than they can be read.');
}

/** Identifies one edited state of a page. */
export function edition(page: NotionPage): string {
  return `${page.id} ${page.last_edited_time}`;
}

async function search(
  api: NotionApi,
  cursor: string | null,
  portion: number,
): Promise<z.infer<typeof PAGE_LIST>> {
  const asked = {
    filter: { property: 'object', value: 'page' },
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
    page_size: portion,
    ...(cursor !== null && { start_cursor: cursor }),
  };
  return api.post('/search', asked, PAGE_LIST);
}

/** Notion rounds edit times down to the minute. */
export function startOfMinute(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 60_000) * 60_000);
}

function isEditedBefore(page: NotionPage, since: Date | null): boolean {
  return since !== null && new Date(page.last_edited_time) < since;
}
