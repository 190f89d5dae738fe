import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { EventTypeName } from './event-types.ts';

/**
 * Those of the given workspaces that have an endpoint for events of this type. A disabled endpoint listens too: it gets
 * what it missed when its owner recovers it.
 */
export async function listeningWorkspaces(
  db: Database | DatabaseTransaction,
  type: EventTypeName,
  workspaces: readonly WorkspaceId[],
): Promise<WorkspaceId[]> {
  if (workspaces.length === 0) return [];
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select distinct workspace_id from webhook_endpoint
    where workspace_id = any(${workspaces}::uuid[]) and deleted_at is null
      and ${type} = any(event_types)`.execute(db);
  return rows.map((row) => row.workspace_id);
}
