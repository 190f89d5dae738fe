import { sql } from 'kysely';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { UserFileId } from '#src/ids.ts';
import { sendUserFile } from './upload-user-files.ts';

/**
 * Reads a file anew that could not be read.
 * @returns false when it has not failed any more
 */
export async function retryUserFile(
  services: Pick<ChatServices, 'db' | 'log' | 'producer'>,
  id: UserFileId,
  requestId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update user_file set status = 'PROCESSING', error = null, attempts = 0, claimed_until = null,
      queued_at = now()
    where id = ${id} and status = 'FAILED' returning id`.execute(services.db);
  if (rows.length === 0) return false;
  await sendUserFile(services, id, { requestId, place: 1 });
  return true;
}
