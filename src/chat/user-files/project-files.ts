import type { ProjectId, UserFileId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { SHOWN_COLUMNS, type ShownUserFile } from './present-user-file.ts';
import type { ProjectOwner } from '#src/chat/projects/find-project.ts';
import { lockProject } from '#src/chat/projects/projects.ts';

/** Limited because an answer considers all of them. */
const MAX_FILES = 1_000;

/** The files of a project in the order in which they were added. */
export function listFilesOfProject(
  db: Database,
  owner: ProjectOwner,
  projectId: ProjectId,
): Promise<ShownUserFile[]> {
  return db
    .selectFrom('project_file')
    .innerJoin('project', 'project.id', 'project_file.project_id')
    .innerJoin('user_file', 'user_file.id', 'project_file.user_file_id')
    .select(SHOWN_COLUMNS)
    .where('project_file.project_id', '=', projectId)
    .where('project.workspace_id', '=', owner.workspaceId)
    .where('project.user_id', '=', owner.userId)
    .where('user_file.workspace_id', '=', owner.workspaceId)
    .where('user_file.user_id', '=', owner.userId)
    .where('user_file.status', '!=', 'DELETING')
    .orderBy('project_file.added_at')
    .orderBy('user_file.id')
    .execute();
}

/**
 * Adds a file to a project; does nothing if it is already there.
 * @throws Problem NOT_FOUND for a project or file that the owner does not have, CONFLICT when the project is full
 */
export async function addFileToProject(
  db: Database,
  owner: ProjectOwner,
  { projectId, fileId }: { projectId: number; fileId: UserFileId },
): Promise<ShownUserFile> {
  return db.transaction().execute(async (trx) => {
    const { id } = await lockProject(trx, owner, projectId);
    const file = await readFile(trx, owner, fileId);
    const linked = await trx
      .selectFrom('project_file')
      .select('user_file_id')
      .where('project_id', '=', id)
      .execute();
    if (linked.some((link) => link.user_file_id === file.id)) return file;
    if (linked.length >= MAX_FILES) throw full(projectId);
    await trx
      .insertInto('project_file')
      .values({ project_id: id, user_file_id: file.id })
      .execute();
    return file;
  });
}

/**
 * Removes a file from a project; the user keeps it.
 * @throws Problem NOT_FOUND for a project or file that the owner does not have
 */
export async function removeFileFromProject(
  db: Database,
  owner: ProjectOwner,
  { projectId, fileId }: { projectId: number; fileId: UserFileId },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { id } = await lockProject(trx, owner, projectId);
    const file = await readFile(trx, owner, fileId);
    await trx
      .deleteFrom('project_file')
      .where('project_id', '=', id)
      .where('user_file_id', '=', file.id)
      .execute();
  });
}

async function readFile(
  trx: DatabaseTransaction,
  owner: ProjectOwner,
  id: UserFileId,
): Promise<ShownUserFile> {
  const row = await trx
    .selectFrom('user_file')
    .select(SHOWN_COLUMNS)
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('status', '!=', 'DELETING')
    .forKeyShare()
    .executeTakeFirst();
  if (row) return row;
  throw new Problem(
    'NOT_FOUND',
    `There is no file ${id} of yours. Upload it first: POST /user/projects/file/upload.`,
  );
}

function full(projectId: number): Problem {
  return new Problem(
    'CONFLICT',
    `The project ${projectId} has ${MAX_FILES} files, which is the limit. Remove one first.`,
  );
}
