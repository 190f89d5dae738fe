import { sql } from 'kysely';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

/** The workspace with this id; null for an unknown id, and for text that is not a UUID. */
export async function findWorkspace(
  db: Database | DatabaseTransaction,
  id: string,
): Promise<WorkspaceId | null> {
  if (!isUuid(id)) return null;
  const row = await db
    .selectFrom('workspace')
    .select('id')
    .where('id', '=', id.toLowerCase() as WorkspaceId) // in UUID format; the query tells whether it exists
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The workspace of the user with this id; null as for `findWorkspace`. */
export async function findWorkspaceOfUser(
  db: Database | DatabaseTransaction,
  id: string,
): Promise<WorkspaceId | null> {
  if (!isUuid(id)) return null;
  const row = await db
    .selectFrom('user_account')
    .select('workspace_id')
    .where('id', '=', id.toLowerCase() as UserId) // in UUID format; the query tells whether it exists
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}

/** Whether the database was used before: a new one has no workspace when its first process starts. */
export async function hasWorkspaces(db: Database | DatabaseTransaction): Promise<boolean> {
  const { rows } = await sql`select from workspace limit 1`.execute(db);
  return rows.length > 0;
}
