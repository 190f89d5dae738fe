import { z } from 'zod';
import { BLOCK_LIST, isRefused, RICH_TEXT, withCursor, type NotionApi } from './notion-api.ts';

const CONTENT = z.object({
  rich_text: RICH_TEXT.nullish(),
  caption: RICH_TEXT.nullish(),
  cells: z.array(RICH_TEXT).nullish(),
  checked: z.boolean().nullish(),
  language: z.string().nullish(),
  expression: z.string().nullish(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  url: z.string().nullish(),
  external: z.object({ url: z.string() }).nullish(),
  icon: z.object({ emoji: z.string().nullish() }).nullish(),
  has_column_header: z.boolean().nullish(),
  /** For a synced block: null in the original, the original's id in a copy. */
  synced_from: z.object({ block_id: z.string().nullish() }).nullish(),
});
export type BlockContent = z.infer<typeof CONTENT>;

/** https://developers.notion.com/reference/block */
const BLOCK = z.looseObject({
  id: z.string(),
  type: z.string(),
  has_children: z.boolean().nullish(),
});

export interface NotionBlock {
  id: string;
  type: string;
  content: BlockContent;
  children: NotionBlock[];
}

/** A page or database inside a page. */
export interface SubPage {
  kind: 'page' | 'database';
  id: string;
}

export interface PageBlocks {
  blocks: NotionBlock[];
  /** Those of the page itself; children of a synced copy belong to the original's page. */
  subPages: SubPage[];
  /** What could not be read, as sentences without duplicates. */
  leftOut: Set<string>;
}

const MAX_DEPTH = 30;
/** Each has up to 100 blocks. At 3 requests a second, three pages in parallel still fit the time of a job. */
const MAX_REQUESTS_PER_PAGE = 500;

interface Reading extends Omit<PageBlocks, 'blocks'> {
  api: NotionApi;
  requests: number;
}

/**
 * All blocks of a page, nested ones included. Blocks that Notion does not return are noted, not fatal.
 * https://developers.notion.com/reference/get-block-children
 * @throws SourceRefused when the page's own blocks are refused
 */
export async function readBlocks(api: NotionApi, pageId: string): Promise<PageBlocks> {
  const reading: Reading = { api, requests: 0, subPages: [], leftOut: new Set() };
  const blocks = await readChildren(reading, pageId, { depth: 0, inCopy: false });
  return { blocks, subPages: reading.subPages, leftOut: reading.leftOut };
}

interface Place {
  depth: number;
  inCopy: boolean;
}

async function readChildren(
  reading: Reading,
  parentId: string,
  place: Place,
): Promise<NotionBlock[]> {
  const blocks: NotionBlock[] = [];
  let cursor: string | null = null;
  do {
    if (reading.requests >= MAX_REQUESTS_PER_PAGE) {
      reading.leftOut.add('the page has more blocks than the limit for one page');
      return blocks;
    }
    reading.requests += 1;
    const path = withCursor(`/blocks/${parentId}/children?page_size=100`, cursor);
    const list: z.infer<typeof BLOCK_LIST> = await reading.api.get(path, BLOCK_LIST);
    for (const item of list.results) {
      const block = await readBlock(reading, item, place);
      if (block) blocks.push(block);
    }
    cursor = list.has_more ? (list.next_cursor ?? null) : null;
  } while (cursor !== null);
  return blocks;
}

async function readBlock(
  reading: Reading,
  item: unknown,
  { depth, inCopy }: Place,
): Promise<NotionBlock | null> {
  const parsed = BLOCK.safeParse(item);
  if (!parsed.success || parsed.data.type === 'unsupported') {
    reading.leftOut.add('a block of a type that Notion does not return');
    return null;
  }
  const { id, type, has_children: hasChildren } = parsed.data;
  const content = CONTENT.safeParse(parsed.data[type]).data ?? {};
  const block: NotionBlock = { id, type, content, children: [] };
  if (type === 'child_page' || type === 'child_database') {
    const kind = type === 'child_page' ? 'page' : 'database';
    if (!inCopy) reading.subPages.push({ kind, id });
    return block;
  }
  const original = content.synced_from?.block_id ?? null;
  if (hasChildren || original !== null) {
    const place = { depth: depth + 1, inCopy: inCopy || original !== null };
    block.children = await readNested(reading, original ?? id, place);
  }
  return block;
}

async function readNested(reading: Reading, blockId: string, place: Place): Promise<NotionBlock[]> {
  if (place.depth > MAX_DEPTH) {
    reading.leftOut.add('blocks that are nested too deeply');
    return [];
  }
  try {
    return await readChildren(reading, blockId, place);
  } catch (error) {
    // 400: a block type that the API does not support; 404: a synced block whose original is not shared.
    if (!isRefused(error, 400, 404)) throw error;
    reading.leftOut.add('a block that Notion does not return');
    return [];
  }
}
