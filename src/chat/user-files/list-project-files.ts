import type { ProjectId, StoredFileId, UserFileId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { UserFileOwner } from './user-file-owner.ts';

export interface ProjectFile {
  userFileId: UserFileId;
  storedFileId: StoredFileId;
  name: string;
  /** Null for images. */
  text: string | null;
  tokenCount: number;
}

/** The successfully read files of a project, in the order in which they were added. */
export async function listProjectFiles(
  db: Database,
  owner: UserFileOwner,
  projectId: ProjectId,
): Promise<ProjectFile[]> {
  const rows = await db
    .selectFrom('project_file')
    .innerJoin('user_file', 'user_file.id', 'project_file.user_file_id')
    .innerJoin('project', 'project.id', 'project_file.project_id')
    .select(['user_file.id', 'stored_file_id', 'user_file.name', 'text', 'token_count'])
    .where('project_file.project_id', '=', projectId)
    .where('project.workspace_id', '=', owner.workspaceId)
    .where('project.user_id', '=', owner.userId)
    .where('user_file.workspace_id', '=', owner.workspaceId)
    .where('user_file.user_id', '=', owner.userId)
    .where('user_file.status', '=', 'COMPLETED')
    .orderBy('project_file.added_at')
    .orderBy('user_file.id')
    .execute();
  return rows.map((row) => ({
    userFileId: row.id,
    storedFileId: row.stored_file_id,
    name: row.name,
    text: row.text,
    tokenCount: row.token_count ?? 0,
  }));
}
