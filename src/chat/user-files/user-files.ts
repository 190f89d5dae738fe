import type { UserFileId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { SHOWN_COLUMNS, type ShownUserFile } from './present-user-file.ts';
import type { UserFileOwner } from './user-file-owner.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

const RECENT = 100;

/** @throws Problem NOT_FOUND for a file that the owner does not have */
export async function findUserFile(
  db: Database,
  owner: UserFileOwner,
  id: string,
): Promise<ShownUserFile> {
  const [row] = await findUserFiles(db, owner, [id]);
  if (row) return row;
  throw new Problem('NOT_FOUND', `File not found. There is no file ${id.slice(0, 100)} of yours.`);
}

/** The files that the owner has, in the order of the ids. */
export async function findUserFiles(
  db: Database,
  owner: UserFileOwner,
  ids: readonly string[],
): Promise<ShownUserFile[]> {
  // Ids from clients: the query tells which exist.
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].filter(isUuid) as UserFileId[];
  if (wanted.length === 0) return [];
  const rows = await db
    .selectFrom('user_file')
    .select(SHOWN_COLUMNS)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('status', '!=', 'DELETING')
    .where('id', 'in', wanted)
    .execute();
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return wanted.flatMap((id) => rowOf.get(id) ?? []);
}

/** The files that the owner used or uploaded last, the latest first. */
export async function listRecentFiles(
  db: Database,
  owner: UserFileOwner,
): Promise<ShownUserFile[]> {
  return db
    .selectFrom('user_file')
    .select(SHOWN_COLUMNS)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('status', '!=', 'DELETING')
    .orderBy((eb) => eb.fn.coalesce('last_accessed_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(RECENT)
    .execute();
}
