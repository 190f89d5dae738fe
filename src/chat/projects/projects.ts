import { type Selectable, sql } from 'kysely';

import { lockUser } from '#src/accounts/lock-user.ts';
import type { ProjectId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Tables } from '#src/tables/tables.ts';
import type { ProjectOwner } from './find-project.ts';

/** Limited because a list returns all of them. */
const MAX_PROJECTS = 500;

export type ProjectRow = Selectable<Tables['project']>;

/** A user's projects, oldest first. */
export function listProjects(db: Database, owner: ProjectOwner): Promise<ProjectRow[]> {
  return db
    .selectFrom('project')
    .selectAll()
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .orderBy('id')
    .execute();
}

/** @throws Problem NOT_FOUND for a project that the owner does not have */
export async function readProject(
  db: Database,
  owner: ProjectOwner,
  id: number,
): Promise<ProjectRow> {
  const row = await selectProject(db, owner, id).executeTakeFirst();
  if (!row) throw unknownProject(id);
  return row;
}

/**
 * The same, locked until something has been added: it is neither deleted nor changed meanwhile.
 * @throws Problem NOT_FOUND for a project that the owner does not have
 */
export async function lockProject(
  trx: DatabaseTransaction,
  owner: ProjectOwner,
  id: number,
): Promise<ProjectRow> {
  const row = await selectProject(trx, owner, id).forNoKeyUpdate().executeTakeFirst();
  if (!row) throw unknownProject(id);
  return row;
}

export interface ProjectContent {
  name: string;
  description: string | null;
  instructions: string | null;
}

/** @throws Problem CONFLICT when the user has the maximum number of projects */
export async function createProject(
  db: Database,
  owner: ProjectOwner,
  content: ProjectContent,
): Promise<ProjectRow> {
  return db.transaction().execute(async (trx) => {
    await assertRoom(trx, owner);
    return trx
      .insertInto('project')
      .values({ ...content, workspace_id: owner.workspaceId, user_id: owner.userId })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Fields that the change omits stay unchanged.
 * @throws Problem NOT_FOUND
 */
export async function changeProject(
  db: Database,
  owner: ProjectOwner,
  id: number,
  change: Partial<ProjectContent>,
): Promise<ProjectRow> {
  const row = await db
    .updateTable('project')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id as ProjectId) // a number from the caller; the query tells whether it exists
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw unknownProject(id);
  return row;
}

/**
 * Deletes a project with its conversations; its files stay with the user.
 * @throws Problem NOT_FOUND
 */
export async function deleteProject(db: Database, owner: ProjectOwner, id: number): Promise<void> {
  const row = await db
    .deleteFrom('project')
    .where('id', '=', id as ProjectId) // a number from the caller; the query tells whether it exists
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw unknownProject(id);
}

function selectProject(db: Database, owner: ProjectOwner, id: number) {
  return db
    .selectFrom('project')
    .selectAll()
    .where('id', '=', id as ProjectId) // a number from the caller; the query tells whether it exists
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId);
}

/** The lock on the account makes concurrent requests count one after the other. */
async function assertRoom(trx: DatabaseTransaction, owner: ProjectOwner): Promise<void> {
  await lockUser(trx, owner.userId);
  const { projects } = await trx
    .selectFrom('project')
    .select(sql<number>`count(*)::int`.as('projects'))
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow();
  if (projects < MAX_PROJECTS) return;
  throw new Problem(
    'CONFLICT',
    `You have ${MAX_PROJECTS} projects, which is the limit. Delete one that is no longer needed: DELETE /user/projects/{id}.`,
  );
}

function unknownProject(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no project ${id} of yours. GET /user/projects lists your projects.`,
  );
}
