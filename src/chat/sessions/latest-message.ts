import { sql } from 'kysely';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { unknownMessage } from './session-ids.ts';

/**
 * Shows the branch of a message: on the path from the root to it, each message's latest child becomes the next one.
 * What is shown below it stays.
 * @throws Problem NOT_FOUND, BAD_REQUEST for a root
 */
export async function showBranchOf(
  db: Database,
  { workspaceId, userId }: ChatOwner,
  messageId: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Locks the session first, in the same order as adding a message, to avoid deadlocks.
    const message = await transaction
      .selectFrom('chat_session as session')
      .innerJoin('chat_message as message', 'message.chat_session_id', 'session.id')
      .select('message.parent_id')
      .where('message.id', '=', messageId)
      .where('message.workspace_id', '=', workspaceId)
      .where('session.workspace_id', '=', workspaceId)
      .where('session.user_id', '=', userId)
      .where('session.deleted_at', 'is', null)
      .forNoKeyUpdate(['session'])
      .executeTakeFirst();
    if (!message) throw unknownMessage(messageId);
    if (message.parent_id === null) {
      throw new Problem(
        'BAD_REQUEST',
        `body.message_id: message ${messageId} is the root of its session. Name a message below it.`,
      );
    }
    await sql`
      with recursive path as (
        select id, parent_id from chat_message
        where id = ${messageId} and workspace_id = ${workspaceId}
        union all
        select above.id, above.parent_id from chat_message above join path on above.id = path.parent_id)
      update chat_message message set latest_child_id = path.id
      from path where message.id = path.parent_id and message.latest_child_id is distinct from path.id`.execute(
      transaction,
    );
  });
}
