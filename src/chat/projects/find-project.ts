import type { ProjectId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** The owner of projects: every query here uses both ids. */
export interface ProjectOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** What an answer needs to know about its session's project. */
export interface FoundProject {
  id: ProjectId;
  name: string;
  instructions: string | null;
}

/** Null for a project that the owner does not have. */
export async function findProject(
  db: Database,
  owner: ProjectOwner,
  id: number,
): Promise<FoundProject | null> {
  const row = await db
    .selectFrom('project')
    .select(['id', 'name', 'instructions'])
    .where('id', '=', id as ProjectId) // a number from the caller; the query tells whether it exists
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst();
  return row ?? null;
}
