import { z } from 'zod';
import { pageOf, type ConnectorPage, type MemoryEntry, type PollContext } from './connector.ts';
import { documentIdOf, type NotionApi, type NotionPage } from './notion-api.ts';
import { readBlocks, type SubPage } from './notion-blocks.ts';
import { isGone, noContent, readPages, type PageReader } from './notion-page.ts';
import { SEARCH_POSITION, startOfMinute, walkPages } from './notion-search.ts';
import { SourceRefused } from './source-errors.ts';
import { findRoot, nextBatch, pushNodes, TREE_STACK, type TreeNode } from './notion-tree.ts';

export const NOTION_CHECKPOINT = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('search'), position: SEARCH_POSITION, done: z.number() }),
  z.object({ mode: z.literal('tree'), stack: TREE_STACK, done: z.number() }),
]);
export type NotionCheckpoint = z.infer<typeof NOTION_CHECKPOINT>;
type Page = ConnectorPage<NotionCheckpoint>;

export const DOCUMENTS_PER_PAGE = 25;
const IDS_PER_PORTION = 100;

/** Everything that is shared with the integration, as far as it was edited since. */
export async function* pollShared(
  reader: PageReader,
  { since }: PollContext,
  checkpoint: NotionCheckpoint | null,
): AsyncGenerator<Page, void> {
  const from = checkpoint?.mode === 'search' ? checkpoint.position : null;
  let done = from === null ? 0 : (checkpoint?.done ?? 0);
  const options = { portion: DOCUMENTS_PER_PAGE, since, from };
  for await (const { pages, position } of walkPages(reader.api, options)) {
    const content = noContent();
    await readPages(reader, pages, content);
    done += pages.length;
    const last = pages.at(-1)?.last_edited_time.slice(0, 10);
    yield pageOf<NotionCheckpoint>({
      ...content,
      checkpoint: { mode: 'search', position, done },
      description: `${done} pages${last ? `, back to those edited on ${last}` : ''}`,
    });
  }
}

/** What stood in a page when it was last read. */
const TREE_MEMORY = z.object({
  edited: z.string(),
  subPages: z.array(z.object({ kind: z.enum(['page', 'database']), id: z.string() })),
});

/** A root and, when asked for, all that stands in it. Pages that nobody edited are not read again. */
export async function* pollTree(
  reader: PageReader,
  root: { id: string; isRecursive: boolean },
  context: PollContext,
  checkpoint: NotionCheckpoint | null,
): AsyncGenerator<Page, void> {
  const resumed = checkpoint?.mode === 'tree' ? checkpoint : null;
  const stack: TreeNode[] = [...(resumed?.stack ?? [await findRoot(reader.api, root.id)])];
  let done = resumed?.done ?? 0;
  while (stack.length > 0) {
    const batch = await nextBatch(reader.api, stack, DOCUMENTS_PER_PAGE);
    const content = { ...noContent(), skipped: batch.skipped, failures: batch.failures };
    const known = await recallSubPages(context, batch.pages);
    const due = batch.pages.filter((page) => !isUnchanged(page, context.since, known));
    const read = await readPages(reader, due, content);
    for (const page of batch.pages) {
      if (!due.includes(page)) content.unchanged.push(documentIdOf(page.id));
    }
    if (root.isRecursive) {
      const found = batch.pages.map((page) => read.get(page.id) ?? known.get(page.id) ?? []);
      pushNodes(stack, found.flat());
    }
    done += batch.pages.length;
    yield pageOf<NotionCheckpoint>({
      ...content,
      memory: due.flatMap((page) => subPagesMemory(page, read.get(page.id))),
      checkpoint: { mode: 'tree', stack: [...stack], done },
      description: `${done} pages, ${stack.length} more found`,
    });
  }
}

function isUnchanged(
  page: NotionPage,
  since: Date | null,
  known: ReadonlyMap<string, unknown>,
): boolean {
  if (since === null || isGone(page) || !known.has(page.id)) return false;
  return new Date(page.last_edited_time) < startOfMinute(since);
}

/** By page id; only of pages that were not edited since. */
async function recallSubPages(
  context: Pick<PollContext, 'recall'>,
  pages: readonly NotionPage[],
): Promise<Map<string, SubPage[]>> {
  const memory = await context.recall(pages.map(memoryKey));
  const known = new Map<string, SubPage[]>();
  for (const page of pages) {
    const entry = TREE_MEMORY.safeParse(memory.get(memoryKey(page)));
    if (entry.success && entry.data.edited === page.last_edited_time) {
      known.set(page.id, entry.data.subPages);
    }
  }
  return known;
}

function subPagesMemory(page: NotionPage, subPages: SubPage[] | undefined): MemoryEntry[] {
  if (subPages === undefined) return [];
  const value = { edited: page.last_edited_time, subPages };
  return [{ key: memoryKey(page), documentId: documentIdOf(page.id), value }];
}

function memoryKey({ id }: NotionPage): string {
  return `page:${id}`;
}

export async function* listShared(api: NotionApi): AsyncGenerator<string[], void> {
  const options = { portion: IDS_PER_PORTION, since: null, from: null };
  for await (const { pages } of walkPages(api, options)) yield idsOf(pages);
}

export async function* listTree(
  api: NotionApi,
  root: { id: string; isRecursive: boolean },
  context: Pick<PollContext, 'recall'>,
): AsyncGenerator<string[], void> {
  const stack: TreeNode[] = [await findRoot(api, root.id)];
  while (stack.length > 0) {
    const { pages, failures } = await nextBatch(api, stack, DOCUMENTS_PER_PAGE);
    const [failure] = failures;
    if (failure) throw new SourceRefused(failure.reason);
    yield idsOf(pages);
    if (!root.isRecursive) continue;
    const known = await recallSubPages(context, pages);
    for (const page of pages) {
      if (isGone(page)) continue;
      pushNodes(stack, known.get(page.id) ?? (await readBlocks(api, page.id)).subPages);
    }
  }
}

function idsOf(pages: readonly NotionPage[]): string[] {
  return pages.filter((page) => !isGone(page)).map(({ id }) => documentIdOf(id));
}
