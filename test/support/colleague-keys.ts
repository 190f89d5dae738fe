import { randomUUID } from 'node:crypto';
import { describeApiKey } from '#src/accounts/api-keys.ts';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Role } from '#src/tables/accounts.ts';
import { insertUser } from './seed-workspace.ts';

/** A key of each role, all belonging to a second user of the workspace. */
export async function insertColleague(
  db: Database,
  workspaceId: string,
): Promise<{ userId: UserId; keys: Record<Role, string> }> {
  // Rows inserted by tests get their branded ids here.
  const userId = (await insertUser(db, workspaceId)) as UserId;
  const keys: Record<Role, string> = { admin: '', member: '', ingest: '', read: '', observer: '' };
  for (const role of ['admin', 'member', 'ingest', 'read'] as const) {
    keys[role] = `colleague-${role}-${randomUUID()}`;
    await db
      .insertInto('api_key')
      .values({
        ...describeApiKey(keys[role]),
        id: randomUUID() as ApiKeyId,
        workspace_id: workspaceId as WorkspaceId,
        user_id: userId,
        name: `Colleague ${role}`,
        role,
        is_bootstrap: false,
      })
      .execute();
  }
  return { userId, keys };
}
