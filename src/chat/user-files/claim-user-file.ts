import { sql } from 'kysely';
import type { StoredFileId, UserFileId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** A claim not renewed for this long belongs to a dead worker. */
const LEASE_SECONDS = 20;

/** A file that only this worker is reading. */
export interface ClaimedFile {
  id: UserFileId;
  workspace_id: WorkspaceId;
  stored_file_id: StoredFileId;
  name: string;
  /** Includes this one; also distinguishes this claim from a later one. */
  attempts: number;
}

/** @returns null when there is nothing to do: already read, deleted, or claimed by another worker */
export async function claimUserFile(db: Database, id: UserFileId): Promise<ClaimedFile | null> {
  const { rows } = await sql<ClaimedFile>`
    update user_file set attempts = attempts + 1, queued_at = now(),
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and status = 'PROCESSING'
      and (claimed_until is null or claimed_until < now())
    returning id, workspace_id, stored_file_id, name, attempts`.execute(db);
  return rows[0] ?? null;
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
