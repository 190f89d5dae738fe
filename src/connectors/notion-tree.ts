import { z } from 'zod';
import type { ConnectorFailure, SkippedDocument } from './connector.ts';
import {
  documentIdOf,
  isRefused,
  PAGE,
  PAGE_LIST,
  type NotionApi,
  type NotionPage,
} from './notion-api.ts';
import type { SubPage } from './notion-blocks.ts';
import { SourceRefused } from './source-errors.ts';

/** Something below the root that is still to be read. */
const TREE_NODE = z.object({
  kind: z.enum(['page', 'database']),
  id: z.string(),
  /** Of a database, after the rows that are done; null: from the first. */
  cursor: z.string().nullable(),
});
export type TreeNode = z.infer<typeof TREE_NODE>;

/** Last in, first out, so that it holds one branch and not the whole tree. */
export const TREE_STACK = z.array(TREE_NODE);

/** Pages beside each other that wait; each is 60 bytes of checkpoint. */
const MAX_WAITING = 20_000;

export interface TreeBatch {
  pages: NotionPage[];
  skipped: SkippedDocument[];
  /** Databases that Notion does not give out. */
  failures: ConnectorFailure[];
}

function nodeOf({ kind, id }: SubPage): TreeNode {
  return { kind, id, cursor: null };
}

/** Puts what stands in a page on the stack, so that the first comes next. */
export function pushNodes(stack: TreeNode[], nodes: readonly SubPage[]): void {
  stack.push(...nodes.map(nodeOf).reverse());
  if (stack.length > MAX_WAITING) {
    throw new SourceRefused(
      `More than ${MAX_WAITING} pages stand beside each other under the root page; choose a smaller root, or none.`,
    );
  }
}

/**
 * The root, whichever it is.
 * @throws SourceRefused telling to share it when the integration is not shown it
 */
export async function findRoot(api: NotionApi, id: string): Promise<TreeNode> {
  for (const kind of ['page', 'database'] as const) {
    try {
      await api.get(`/${kind}s/${id}`, z.object({ id: z.string() }));
      return { kind, id, cursor: null };
    } catch (error) {
      // A database's id is asked for as a page: 400 or 404, as Notion likes.
      if (!isRefused(error, 400, 404)) throw error;
      if (kind === 'database') throw notShared(id, error);
    }
  }
  throw notShared(id, null);
}

/** Takes from the stack what fits into one batch and reads it; a database with more rows goes back on it. */
export async function nextBatch(
  api: NotionApi,
  stack: TreeNode[],
  limit: number,
): Promise<TreeBatch> {
  const top = stack.at(-1);
  if (top?.kind === 'database') {
    stack.pop();
    return readRows(api, top, stack, limit);
  }
  const ids: string[] = [];
  while (ids.length < limit && stack.at(-1)?.kind === 'page') ids.push(stack.pop()?.id ?? '');
  const reads = await Promise.allSettled(ids.map((id) => api.get(`/pages/${id}`, PAGE)));
  const batch: TreeBatch = { pages: [], skipped: [], failures: [] };
  for (const [index, read] of reads.entries()) {
    if (read.status === 'fulfilled') batch.pages.push(read.value);
    else if (isRefused(read.reason, 404)) {
      const documentId = documentIdOf(ids[index] ?? '');
      batch.skipped.push({ documentId, reason: 'a page that is not shared with the integration' });
    } else throw read.reason;
  }
  return batch;
}

/**
 * Rows in the order in which they were made, which no edit changes.
 * https://developers.notion.com/reference/post-database-query
 */
async function readRows(
  api: NotionApi,
  { id, cursor }: TreeNode,
  stack: TreeNode[],
  limit: number,
): Promise<TreeBatch> {
  const asked = {
    sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
    page_size: limit,
    ...(cursor !== null && { start_cursor: cursor }),
  };
  try {
    const list = await api.post(`/databases/${id}/query`, asked, PAGE_LIST);
    const next = list.has_more ? (list.next_cursor ?? null) : null;
    if (next !== null && next !== cursor) stack.push({ kind: 'database', id, cursor: next });
    return { pages: list.results, skipped: [], failures: [] };
  } catch (error) {
    if (cursor !== null && isRefused(error, 400)) {
      // The cursor is not taken any more: from the first row again.
      return readRows(api, { kind: 'database', id, cursor: null }, stack, limit);
    }
    if (!isRefused(error, 400, 404)) throw error;
    return refusedDatabase(id, error);
  }
}

/** A view of a database that lives elsewhere has an id of its own, which Notion says it cannot find. */
function refusedDatabase(id: string, error: SourceRefused): TreeBatch {
  if (error.status === 404) {
    const reason = 'a linked database, or one that is not shared with the integration';
    return { pages: [], skipped: [{ documentId: null, reason }], failures: [] };
  }
  const reason = `Notion does not give out this database: ${error.message}`;
  const failure = { documentId: null, link: documentIdOf(id), entityId: id, reason };
  return { pages: [], skipped: [], failures: [failure] };
}

function notShared(id: string, cause: unknown): SourceRefused {
  const words = cause instanceof Error ? ` (${cause.message})` : '';
  return new SourceRefused(
    `Notion shows the integration no page or database ${id}: open it in Notion and add the integration under "Connections"${words}.`,
    { status: 404, cause },
  );
}
