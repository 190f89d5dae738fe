import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Answers of a workspace that were finished in the last minute. */
export async function countAnswers(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from chat_run
    where finished_at > now() - interval '1 minute' and workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.count ?? 0;
}
