import { sql } from 'kysely';

import { SESSION_COLUMNS, type SessionRow } from './present-session.ts';
import { unknownSession } from './session-ids.ts';
import type { ChatSessionId, ProjectId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ProjectOwner } from '#src/chat/projects/find-project.ts';
import { lockProject } from '#src/chat/projects/projects.ts';

/** Shown with a project; GET /chat/get-user-chat-sessions pages through all of them. */
const MAX_SHOWN = 200;

/** The conversations of each project, last used first. */
export async function listProjectSessions(
  db: Database,
  owner: ProjectOwner,
  projectIds: readonly ProjectId[],
): Promise<Map<ProjectId, SessionRow[]>> {
  if (projectIds.length === 0) return new Map();
  const { rows } = await sql<SessionRow & { project_id: ProjectId; updated_at: Date }>`
    select s.* from unnest(${projectIds}::int[]) as wanted(id)
    cross join lateral (
      select ${SESSION_COLUMNS}, project_id, updated_at from chat_session
      where project_id = wanted.id and workspace_id = ${owner.workspaceId}
        and user_id = ${owner.userId} and deleted_at is null
      order by updated_at desc, id limit ${MAX_SHOWN}) s
    order by s.updated_at desc, s.id`.execute(db);
  return Map.groupBy(rows, ({ project_id }) => project_id);
}

/**
 * Moves a conversation to a project; with null, out of its current one.
 * @throws Problem NOT_FOUND for a project or a conversation that the owner does not have
 */
export async function moveSession(
  db: Database,
  owner: ProjectOwner,
  sessionId: ChatSessionId,
  projectId: number | null,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const project = projectId === null ? null : await lockProject(trx, owner, projectId);
    const moved = await trx
      .updateTable('chat_session')
      .set({ project_id: project?.id ?? null })
      .where('id', '=', sessionId)
      .where('workspace_id', '=', owner.workspaceId)
      .where('user_id', '=', owner.userId)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!moved) throw unknownSession(sessionId);
  });
}

/**
 * The project of a conversation; null when it has none.
 * @throws Problem NOT_FOUND for a conversation that the owner does not have
 */
export async function projectOfSession(
  db: Database,
  owner: ProjectOwner,
  sessionId: ChatSessionId,
): Promise<ProjectId | null> {
  const row = await db
    .selectFrom('chat_session')
    .select('project_id')
    .where('id', '=', sessionId)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw unknownSession(sessionId);
  return row.project_id;
}
