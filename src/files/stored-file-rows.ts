import { sql } from 'kysely';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
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

/** What is known of completely uploaded files; unknown ids are left out. */
export async function findStoredFiles(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  ids: readonly StoredFileId[],
): Promise<Map<StoredFileId, { name: string; byte_count: number; created_at: Date }>> {
  const { rows } = await sql<{
    id: StoredFileId;
    name: string;
    byte_count: number;
    created_at: Date;
  }>`
    select id, name, byte_count, created_at from stored_file
    where workspace_id = ${workspaceId} and byte_count >= 0 and id = any(${ids}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, { ...row, byte_count: Number(row.byte_count) }]));
}

/**
 * The description of a completely uploaded image; null when there is no such file.
 * @param userId only a file that this user uploaded; null means anybody's
 */
export async function findDescription(
  db: Database,
  {
    workspaceId,
    userId,
    fileId,
  }: { workspaceId: WorkspaceId; userId: UserId | null; fileId: string },
): Promise<{ id: StoredFileId; description: string | null } | null> {
  const row = await db
    .selectFrom('stored_file')
    .select(['id', 'description'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId as StoredFileId) // from a document; the query tells whether it exists
    .where('byte_count', '>=', 0)
    .$if(userId !== null, (query) => query.where('created_by', '=', userId))
    .executeTakeFirst();
  return row ?? null;
}

/** Bytes of all files of a workspace. */
export async function sumFileBytes(db: Database, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(byte_count), 0)::float8 as bytes from stored_file
    where workspace_id = ${workspaceId} and byte_count > 0`.execute(db);
  return rows[0]?.bytes ?? 0;
}
