import { z } from 'zod';
import { pageOf, type ConnectorPage, type PollContext } from '#src/connectors/source/connector.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import { documentIdOf, type NotionApi, type NotionPage } from './notion-api.ts';
import { readBlocks } from './notion-blocks.ts';
import { isUnchanged, pageMemory, recallPages } from './notion-memory.ts';
import { isGone, noContent, readPages, type PageReader } from './notion-page.ts';
import { edition, SEARCH_POSITION, START, walkPages } from './notion-search.ts';
import { findRoot, nextBatch, pushNodes, TREE_STACK, type TreeNode } from './notion-tree.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

export const NOTION_CHECKPOINT = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('search'),
    position: SEARCH_POSITION,
    /** Pages of the portion after the position that are already done, each with its last edit. */
    read: z.array(z.string()),
    done: z.number(),
  }),
  z.object({ mode: z.literal('tree'), stack: TREE_STACK, done: z.number() }),
]);
export type NotionCheckpoint = z.infer<typeof NOTION_CHECKPOINT>;
type Page = ConnectorPage<NotionCheckpoint>;

export const DOCUMENTS_PER_PAGE = 25;
const IDS_PER_PORTION = 100;
/**
 * How often search is walked to its end. A page that was shared with the integration, or became searchable, only
 * recently keeps the time of its last edit, and so may appear far below the pages of the last run.
 */
const WALK_MS = 24 * 3_600_000;
const WALKED = 'walked';

/** Everything shared with the integration that was edited since; once a day also pages that are new to us. */
export async function* pollShared(
  reader: PageReader,
  context: PollContext,
  checkpoint: NotionCheckpoint | null,
): AsyncGenerator<Page, void> {
  const from = checkpoint?.mode === 'search' ? checkpoint : null;
  let done = from?.done ?? 0;
  let read = from?.read ?? [];
  let before = from?.position ?? START;
  const first = await findFirstSince(context);
  const isWhole = await isWalkDue(context);
  const walk = { portion: DOCUMENTS_PER_PAGE, since: isWhole ? first.since : context.since };
  const portions = walkPages(reader.api, { ...walk, from: from?.position ?? null });
  for await (const { pages, position } of portions) {
    let left = pages.filter((page) => !read.includes(edition(page)));
    do {
      const part = await readPart(reader, left, context);
      done += left.length - part.left.length;
      const isDone = part.left.length === 0;
      const rest = new Set(part.left.map(edition));
      read = isDone ? [] : pages.map(edition).filter((page) => !rest.has(page));
      ({ left } = part);
      const last = pages.at(-1)?.last_edited_time.slice(0, 10);
      const walked = { key: WALKED, documentId: null, value: context.until.toISOString() };
      yield pageOf<NotionCheckpoint>({
        ...part.content,
        memory: [
          ...part.memory,
          first.memory,
          ...(isWhole && isDone && position.isWalked ? [walked] : []),
        ],
        checkpoint: { mode: 'search', position: isDone ? position : before, read, done },
        description: `${done} pages${last ? `, back to those edited on ${last}` : ''}`,
      });
    } while (left.length > 0);
    before = position;
  }
}

async function isWalkDue({ since, until, ...context }: PollContext): Promise<boolean> {
  const walked = since === null ? null : (await context.recall([WALKED])).get(WALKED);
  return typeof walked !== 'string' || until.getTime() - Date.parse(walked) >= WALK_MS;
}

/** Pages that were not edited since they were last read are not read again. */
async function readPart(reader: PageReader, pages: readonly NotionPage[], context: PollContext) {
  const content = noContent();
  const known = await recallPages(context, pages);
  const due = pages.filter((page) => !isUnchanged(page, context.since, known));
  const time = startPageTime(context.clock);
  const { subPages, left } = await readPages(reader, due, content, time);
  for (const page of pages) {
    if (!due.includes(page)) content.unchanged.push(documentIdOf(page.id));
  }
  const memory = due.flatMap((page) => pageMemory(page, subPages.get(page.id)));
  return { content, memory, known, subPages, left };
}

/** A root and, if requested, everything below it. Unedited pages are not read again. */
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
    const { content, memory, known, subPages, left } = await readPart(reader, batch.pages, context);
    const handled = batch.pages.filter((page) => !left.includes(page));
    pushNodes(
      stack,
      left.map(({ id }) => ({ kind: 'page' as const, id })),
    );
    if (root.isRecursive) {
      // The known children of a page that cannot be read now are still visited.
      const found = handled.map(({ id }) => subPages.get(id) ?? known.get(id)?.subPages ?? []);
      pushNodes(stack, found.flat());
    }
    done += handled.length;
    yield pageOf<NotionCheckpoint>({
      ...content,
      skipped: [...batch.skipped, ...content.skipped],
      failures: [...batch.failures, ...content.failures],
      memory,
      checkpoint: { mode: 'tree', stack: [...stack], done },
      description: `${done} pages, ${stack.length} more found`,
    });
  }
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
    const known = await recallPages(context, pages);
    for (const page of pages) {
      if (isGone(page)) continue;
      const memory = known.get(page.id);
      const isKnown = memory?.edited === page.last_edited_time;
      pushNodes(stack, isKnown ? memory.subPages : (await readBlocks(api, page.id)).subPages);
    }
  }
}

function idsOf(pages: readonly NotionPage[]): string[] {
  return pages.filter((page) => !isGone(page)).map(({ id }) => documentIdOf(id));
}
