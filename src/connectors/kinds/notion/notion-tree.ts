import { z } from 'zod';
import type { ConnectorFailure, SkippedDocument } from '#src/connectors/source/connector.ts';
import {
  documentIdOf,
  isRefused,
  PAGE,
  ROW_LIST,
  type NotionApi,
  type NotionPage,
} from './notion-api.ts';
import { throwIfAllUnavailable, wordsOfOne } from './notion-page.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** An item below the root that is still to be read. */
const TREE_NODE = z.object({
  /** A database holds data sources; those hold the rows. */
  kind: z.enum(['page', 'database', 'source']),
  id: z.string(),
  /** For a data source: the position after the rows that are done; null: from the first. */
  cursor: z.string().nullable(),
});
export type TreeNode = z.infer<typeof TREE_NODE>;

/** A stack, so that it holds one branch and not the whole tree. */
export const TREE_STACK = z.array(TREE_NODE);

/** Waiting siblings; each takes 60 bytes of the checkpoint. */
const MAX_WAITING = 20_000;

export interface TreeBatch {
  pages: NotionPage[];
  skipped: SkippedDocument[];
  /** Pages and databases that Notion does not return. */
  failures: ConnectorFailure[];
}

type Found = Pick<TreeNode, 'kind' | 'id'>;

function nodeOf({ kind, id }: Found): TreeNode {
  return { kind, id, cursor: null };
}

/** Pushes the children of a page onto the stack, so that the first one comes next. */
export function pushNodes(stack: TreeNode[], nodes: readonly Found[]): void {
  stack.push(...nodes.map(nodeOf).reverse());
  if (stack.length > MAX_WAITING) {
    throw new SourceRefused(
      `More than ${MAX_WAITING} pages are side by side under the root page; choose a smaller root, or none.`,
    );
  }
}

/**
 * The root, a page or a database.
 * @throws SourceRefused with the advice to share it, when the integration cannot see it
 */
export async function findRoot(api: NotionApi, id: string): Promise<TreeNode> {
  for (const kind of ['page', 'database'] as const) {
    try {
      await api.get(`/${kind}s/${id}`, z.object({ id: z.string() }));
      return { kind, id, cursor: null };
    } catch (error) {
      // For the id of a database, the page request fails with either 400 or 404.
      if (!isRefused(error, 400, 404)) throw error;
      if (kind === 'database') throw notShared(id, error);
    }
  }
  throw notShared(id, null);
}

/** Takes one batch from the stack and reads it; a data source with more rows goes back onto the stack. */
export async function nextBatch(
  api: NotionApi,
  stack: TreeNode[],
  limit: number,
): Promise<TreeBatch> {
  const top = stack.at(-1);
  if (top && top.kind !== 'page') {
    stack.pop();
    return top.kind === 'database'
      ? openDatabase(api, top.id, stack)
      : readRows(api, top, stack, limit);
  }
  const ids: string[] = [];
  while (ids.length < limit && stack.at(-1)?.kind === 'page') ids.push(stack.pop()?.id ?? '');
  const reads = await Promise.allSettled(ids.map((id) => api.get(`/pages/${id}`, PAGE)));
  const batch: TreeBatch = { pages: [], skipped: [], failures: [] };
  const unavailable: SourceUnavailable[] = [];
  for (const [index, read] of reads.entries()) {
    const documentId = documentIdOf(ids[index] ?? '');
    if (read.status === 'fulfilled') batch.pages.push(read.value);
    else if (isRefused(read.reason, 404)) {
      batch.skipped.push({ documentId, reason: 'a page that is not shared with the integration' });
    } else {
      const reason = `Notion does not return this page: ${wordsOfOne(read.reason)}`;
      batch.failures.push({ documentId, link: documentId, entityId: null, reason });
      if (read.reason instanceof SourceUnavailable) unavailable.push(read.reason);
    }
  }
  throwIfAllUnavailable(unavailable, reads.length);
  return batch;
}

const DATABASE = z.object({ data_sources: z.array(z.object({ id: z.string() })).nullish() });

/** https://developers.notion.com/reference/database-retrieve */
export async function dataSourcesOf(api: NotionApi, databaseId: string): Promise<string[]> {
  const { data_sources: sources } = await api.get(`/databases/${databaseId}`, DATABASE);
  return (sources ?? []).map(({ id }) => id);
}

/** Pushes the data sources of a database onto the stack. */
async function openDatabase(api: NotionApi, id: string, stack: TreeNode[]): Promise<TreeBatch> {
  try {
    const sources = await dataSourcesOf(api, id);
    if (sources.length === 0) return notOurs();
    pushNodes(
      stack,
      sources.map((source) => ({ kind: 'source' as const, id: source })),
    );
    return { pages: [], skipped: [], failures: [] };
  } catch (error) {
    return refusedDatabase(api, id, error);
  }
}

/** Rows in order of creation, which no edit changes. https://developers.notion.com/reference/query-a-data-source */
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
    const list = await api.post(`/data_sources/${id}/query`, asked, ROW_LIST);
    const next = list.has_more ? (list.next_cursor ?? null) : null;
    if (next !== null && next !== cursor) stack.push({ kind: 'source', id, cursor: next });
    const pages = list.results.filter((row) => row.object === 'page');
    // A wiki is a data source with other objects among its rows.
    const others = list.results.filter((row) => row.object !== 'page');
    pushNodes(
      stack,
      others.map((row) => ({
        kind: row.object === 'database' ? ('database' as const) : ('source' as const),
        id: row.id,
      })),
    );
    return { pages, skipped: [], failures: [] };
  } catch (error) {
    if (cursor !== null && isRefused(error, 400)) {
      // The cursor is no longer accepted: start again from the first row.
      return readRows(api, { kind: 'source', id, cursor: null }, stack, limit);
    }
    return refusedDatabase(api, id, error);
  }
}

/** A view of a database elsewhere has an id of its own, which Notion reports as not found. */
async function refusedDatabase(api: NotionApi, id: string, error: unknown): Promise<TreeBatch> {
  if (isRefused(error, 404)) return notOurs();
  const words = wordsOfOne(error);
  // Some databases are too large for Notion to return. If it does not respond to anything else either, it is down.
  if (error instanceof SourceUnavailable) await api.get('/users/me', z.object({}));
  const reason = `Notion does not return this database: ${words}`;
  const failure = { documentId: null, link: documentIdOf(id), entityId: id, reason };
  return { pages: [], skipped: [], failures: [failure] };
}

function notOurs(): TreeBatch {
  const reason = 'a linked database, or one that is not shared with the integration';
  return { pages: [], skipped: [{ documentId: null, reason }], failures: [] };
}

function notShared(id: string, cause: unknown): SourceRefused {
  const words = cause instanceof Error ? ` (${cause.message})` : '';
  return new SourceRefused(
    `The Notion integration can see no page or database ${id}: open it in Notion and add the integration under "Connections"${words}.`,
    { status: 404, cause },
  );
}
