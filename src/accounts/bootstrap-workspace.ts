import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/** The operator's workspace; null before the API's first start. */
export async function findBootstrapWorkspace(
  db: Database | DatabaseTransaction,
): Promise<WorkspaceId | null> {
  const row = await db
    .selectFrom('workspace')
    .select('id')
    .where('is_bootstrap', '=', true)
    .executeTakeFirst();
  return row?.id ?? null;
}
