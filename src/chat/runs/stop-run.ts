import { sql } from 'kysely';

import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { RunServices } from './run-services.ts';

/**
 * Asks the answers in progress of a session to stop; their text so far is kept. Does nothing when there is none.
 * @throws Problem NOT_FOUND for a session that the owner does not have
 */
export async function stopRuns(
  { db, answerRuns }: Pick<RunServices, 'db' | 'answerRuns'>,
  { workspaceId, userId }: ChatOwner,
  sessionId: ChatSessionId,
): Promise<void> {
  const session = await db
    .selectFrom('chat_session')
    .select('id')
    .where('id', '=', sessionId)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!session) throw new Problem('NOT_FOUND', `There is no chat session ${sessionId}.`);
  const { rows } = await sql<{ chat_message_id: number }>`
    update chat_run set stop_requested_at = coalesce(stop_requested_at, now())
    where chat_session_id = ${sessionId} and workspace_id = ${workspaceId} and finished_at is null
    returning chat_message_id`.execute(db);
  for (const { chat_message_id } of rows) answerRuns.stop(chat_message_id);
}
