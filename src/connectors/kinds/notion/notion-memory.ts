import { z } from 'zod';
import type { MemoryEntry, PollContext } from '#src/connectors/source/connector.ts';
import { documentIdOf, type NotionPage } from './notion-api.ts';
import type { SubPage } from './notion-blocks.ts';
import { isGone } from './notion-page.ts';
import { startOfMinute } from './notion-search.ts';

/** A page as of its last reading. */
const PAGE_MEMORY = z.object({
  edited: z.string(),
  subPages: z.array(z.object({ kind: z.enum(['page', 'database']), id: z.string() })),
});
export type PageMemory = z.infer<typeof PAGE_MEMORY>;

/** By page id. */
export async function recallPages(
  context: Pick<PollContext, 'recall'>,
  pages: readonly NotionPage[],
): Promise<Map<string, PageMemory>> {
  const memory = await context.recall(pages.map(memoryKey));
  const known = new Map<string, PageMemory>();
  for (const page of pages) {
    const entry = PAGE_MEMORY.safeParse(memory.get(memoryKey(page)));
    if (entry.success) known.set(page.id, entry.data);
  }
  return known;
}

/** Edits within one minute have the same time, so pages edited in the minute of the last run are read again. */
export function isUnchanged(
  page: NotionPage,
  since: Date | null,
  known: ReadonlyMap<string, PageMemory>,
): boolean {
  if (since === null || isGone(page)) return false;
  if (known.get(page.id)?.edited !== page.last_edited_time) return false;
  return new Date(page.last_edited_time) < startOfMinute(since);
}

export function pageMemory(page: NotionPage, subPages: SubPage[] | undefined): MemoryEntry[] {
  if (subPages === undefined) return [];
  const value: PageMemory = { edited: page.last_edited_time, subPages };
  return [{ key: memoryKey(page), documentId: documentIdOf(page.id), value }];
}

function memoryKey({ id }: NotionPage): string {
  return `page:${id}`;
}
