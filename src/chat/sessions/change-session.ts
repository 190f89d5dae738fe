import type { Updateable } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { Tables } from '#src/tables/tables.ts';
import { type SessionAddress, unknownSession } from './session-ids.ts';

type SessionChange = Pick<
  Updateable<Tables['chat_session']>,
  'title' | 'shared_status' | 'temperature_override' | 'alternate_model'
>;

/**
 * Its position in the list stays, because that depends on its messages.
 * @throws Problem NOT_FOUND
 */
export async function changeSession(
  db: Database,
  { workspaceId, userId, id }: SessionAddress,
  change: SessionChange,
): Promise<void> {
  const changed = await db
    .updateTable('chat_session')
    .set(change)
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!changed) throw unknownSession(id);
}
