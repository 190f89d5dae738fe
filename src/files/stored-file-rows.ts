import { sql } from 'kysely';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';

/** Saves the description that a vision model gives of an image; of two concurrent descriptions, the first is kept. */
export async function keepDescription(
  db: Database,
  id: StoredFileId,
  description: string,
): Promise<void> {
  await db
    .updateTable('stored_file')
    .set({ description })
    .where('id', '=', id)
    .where('description', 'is', null)
    .execute();
}

/** Sets the media types detected from the content. */
export async function setMediaTypes(
  trx: DatabaseTransaction,
  files: readonly { id: StoredFileId; mediaType: string }[],
): Promise<void> {
  await sql`
    update stored_file f set media_type = x.type
    from unnest(${files.map(({ id }) => id)}::uuid[],
      ${files.map(({ mediaType }) => mediaType)}::text[]) as x(id, type)
    where f.id = x.id`.execute(trx);
}

/** `sweepFiles` deletes their bytes later. */
export async function deleteFileRows(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  ids: readonly StoredFileId[],
): Promise<void> {
  await sql`delete from stored_file where workspace_id = ${workspaceId}
    and id = any(${ids}::uuid[])`.execute(trx);
}
