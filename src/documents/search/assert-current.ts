import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { StaleRead } from '#src/platform/read-replica.ts';
import type { ArrangedDocument } from './arrange-documents.ts';
import type { SearchFilters } from './search-filters.ts';
import { visibleOf } from './search-postings.ts';

/**
 * Compares what a replica found with the primary, in one statement over primary keys: every passage of the page, and of
 * the copies that it names, must still be there, be visible to this user and pass the filters.
 * @throws StaleRead otherwise
 */
export async function assertCurrent(
  primary: Database,
  search: {
    workspaceId: WorkspaceId;
    userId: UserId;
    filters: SearchFilters;
    includesHidden: boolean;
  },
  page: readonly ArrangedDocument[],
): Promise<void> {
  const chunks = page.flatMap(({ chunkId, copies }) => [chunkId, ...copies.chunkIds]);
  const scope = { ...search, conditions: [], limit: chunks.length };
  const current = await visibleOf(
    primary,
    scope,
    chunks.map((key) => ({ key, score: 0 })),
  );
  if (current.length < chunks.length) throw new StaleRead();
}
