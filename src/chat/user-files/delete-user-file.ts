import { sql } from 'kysely';
import type { StoredFileId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ShownUserFile } from './present-user-file.ts';
import type { UserFileOwner } from './user-file-owner.ts';
import { findUserFile } from './user-files.ts';

export interface Associations {
  projectNames: string[];
}

/**
 * Deletes a file with its passages and its bytes, unless it is in a project. Messages with the file keep its name.
 * @returns the projects that contain it; if there are any, nothing was deleted
 * @throws Problem NOT_FOUND for a file that the owner does not have
 */
export async function deleteUserFile(
  { db, files }: Pick<ChatServices, 'db' | 'files'>,
  owner: UserFileOwner,
  id: string,
): Promise<Associations> {
  const file = await findUserFile(db, owner, id);
  const rows = await db.transaction().execute((trx) => deleteUnused(trx, owner, file));
  if (rows.length > 0) {
    await files.remove(
      owner.workspaceId,
      rows.map((row) => row.stored_file_id),
    );
    return { projectNames: [] };
  }
  const projects = await db
    .selectFrom('project_file')
    .innerJoin('project', 'project.id', 'project_file.project_id')
    .select('project.name')
    .where('user_file_id', '=', file.id)
    .where('project.workspace_id', '=', owner.workspaceId)
    .orderBy('project.id')
    .execute();
  return { projectNames: projects.map(({ name }) => name) };
}

/** Locks the file first: whether a project has it must be read once nobody can add it to one. */
async function deleteUnused(
  trx: DatabaseTransaction,
  { workspaceId, userId }: UserFileOwner,
  { id }: Pick<ShownUserFile, 'id'>,
): Promise<{ stored_file_id: StoredFileId }[]> {
  await trx.selectFrom('user_file').select('id').where('id', '=', id).forUpdate().execute();
  const { rows } = await sql<{ stored_file_id: StoredFileId }>`
    delete from user_file where id = ${id}
      and workspace_id = ${workspaceId} and user_id = ${userId}
      and not exists (select from project_file p where p.user_file_id = user_file.id)
    returning stored_file_id`.execute(trx);
  return rows;
}
