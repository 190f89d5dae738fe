import { sql } from 'kysely';
import type { StoredFileId, UserFileId, WorkspaceId } from '#src/ids.ts';
import type { Config } from '#src/platform/config.ts';
import type { Database } from '#src/platform/database.ts';

/** A claim not renewed for this long belongs to a dead worker. */
const LEASE_SECONDS = 20;

/** How many files of one workspace are read at once: one place stays for another workspace. */
export function maxOfWorkspace({
  USER_FILE_CONCURRENCY,
}: Pick<Config, 'USER_FILE_CONCURRENCY'>): number {
  return Math.max(1, USER_FILE_CONCURRENCY - 1);
}

/** A file that only this worker is reading. */
export interface ClaimedFile {
  id: UserFileId;
  workspace_id: WorkspaceId;
  stored_file_id: StoredFileId;
  name: string;
  /** Includes this one; also distinguishes this claim from a later one. */
  attempts: number;
}

/**
 * @param atOnce so many files of one workspace are read at once; when one is done, `nextUserFiles` are sent
 * @returns null when there is nothing to do: already read, deleted, claimed by another worker, or enough of its
 *   workspace are being read
 */
export async function claimUserFile(
  db: Database,
  id: UserFileId,
  atOnce: number,
): Promise<ClaimedFile | null> {
  const { rows } = await sql<ClaimedFile>`
    update user_file set attempts = attempts + 1, queued_at = now(),
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and status = 'PROCESSING'
      and (claimed_until is null or claimed_until < now())
      and (select count(*) from user_file other
        where other.workspace_id = user_file.workspace_id and other.status = 'PROCESSING'
          and other.claimed_until > now()) < ${atOnce}
    returning id, workspace_id, stored_file_id, name, attempts`.execute(db);
  return rows[0] ?? null;
}

/** Files of a workspace that wait to be read, the oldest first. */
export async function nextUserFiles(
  db: Database,
  workspaceId: WorkspaceId,
  limit: number,
): Promise<UserFileId[]> {
  const { rows } = await sql<{ id: UserFileId }>`
    select id from user_file
    where workspace_id = ${workspaceId} and status = 'PROCESSING' and claimed_until is null
    order by created_at, id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** @returns false when the file was deleted or claimed by another worker */
export async function renewUserFile(db: Database, claim: ClaimedFile): Promise<boolean> {
  const { rows } = await sql`
    update user_file set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${claim.id} and attempts = ${claim.attempts} and status = 'PROCESSING'
    returning id`.execute(db);
  return rows.length === 1;
}

/** Lets another worker, or this one later, start again. `countsAttempt` false: it was not the file's fault. */
export async function releaseUserFile(
  db: Database,
  claim: ClaimedFile,
  { countsAttempt }: { countsAttempt: boolean },
): Promise<void> {
  await sql`
    update user_file set claimed_until = null, queued_at = now(),
      attempts = attempts - ${countsAttempt ? 0 : 1}
    where id = ${claim.id} and attempts = ${claim.attempts} and status = 'PROCESSING'`.execute(db);
}

export async function failUserFile(
  db: Database,
  claim: ClaimedFile,
  reason: string,
): Promise<void> {
  await db
    .updateTable('user_file')
    .set({ status: 'FAILED', error: reason, claimed_until: null })
    .where('id', '=', claim.id)
    .where('attempts', '=', claim.attempts)
    .where('status', '=', 'PROCESSING')
    .execute();
}
