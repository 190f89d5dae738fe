import { sql } from 'kysely';
import type { StoredFileId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { FileAddress, FileBytes } from './file-bytes.ts';
import type { FileLocation } from './file-store.ts';

/** Upload deadlines are far shorter: an upload unfinished for this long was left by a process that died. */
const ABANDONED_AFTER = sql`interval '1 day'`;

/**
 * Deletes unreachable data: unfinished uploads, files of deleted users, and bytes without a row, which a crash, a
 * deleted user or a deleted workspace leaves behind. A row is written before its bytes, so bytes without one belong to
 * nobody. In a bucket, which several installations may share, it only looks at workspaces in this database.
 */
export async function sweepFiles(
  db: Database,
  places: Readonly<Record<FileLocation, FileBytes | null>>,
  signal: AbortSignal,
): Promise<{ rows: number; bytes: number }> {
  const rows = (await deleteAbandoned(db)) + (await deleteOwnerless(db));
  let bytes = 0;
  for (const [location, place] of Object.entries(places)) {
    if (!place?.list) continue;
    for await (const listed of place.list()) {
      signal.throwIfAborted();
      const orphans = await withoutRow(db, listed, { isShared: location === 's3' });
      for (const orphan of orphans) await place.remove(orphan);
      bytes += orphans.length;
    }
  }
  return { rows, bytes };
}

async function deleteAbandoned(db: Database): Promise<number> {
  const { rows } = await sql`
    delete from stored_file where byte_count < 0 and created_at < now() - ${ABANDONED_AFTER}
    returning id`.execute(db);
  return rows.length;
}

/**
 * `user_file_id` in the metadata marks a user's upload; without its `user_file` row nobody owns it. A file whose
 * creator is deleted is ownerless too, unless a connector reads it.
 */
async function deleteOwnerless(db: Database): Promise<number> {
  const { rows } = await sql`
    delete from stored_file f where byte_count >= 0 and created_at < now() - ${ABANDONED_AFTER}
      and (metadata->>'user_file_id' is not null or created_by is null)
      and not exists (select from user_file u where u.stored_file_id = f.id)
      and not exists (select from connector c where c.workspace_id = f.workspace_id
        and position(f.id::text in c.settings::text) > 0)
    returning id`.execute(db);
  return rows.length;
}

async function withoutRow(
  db: Database,
  listed: readonly FileAddress[],
  { isShared }: { isShared: boolean },
): Promise<FileAddress[]> {
  const { rows } = await sql<{ workspaceId: WorkspaceId; id: StoredFileId }>`
    select listed.workspace_id as "workspaceId", listed.id
    from unnest(${listed.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${listed.map(({ id }) => id)}::uuid[]) as listed(workspace_id, id)
    where not exists (select from stored_file f
        where f.id = listed.id and f.workspace_id = listed.workspace_id)
      and (not ${isShared}::boolean
        or exists (select from workspace w where w.id = listed.workspace_id))`.execute(db);
  return rows;
}
