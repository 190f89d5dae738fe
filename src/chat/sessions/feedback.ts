import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { unknownMessage } from './session-ids.ts';

export interface Feedback {
  isPositive: boolean | null;
  text: string | null;
  predefined: string | null;
}

/**
 * Saves the user's feedback on an answer, replacing any earlier one.
 * @throws Problem NOT_FOUND, BAD_REQUEST for a message that is not an answer
 */
export async function giveFeedback(
  db: Database,
  owner: ChatOwner,
  messageId: number,
  { feedback, now }: { feedback: Feedback; now: Date },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const role = await lockMessage(transaction, owner, messageId);
    if (role !== 'assistant') {
      throw new Problem(
        'BAD_REQUEST',
        `body.chat_message_id: message ${messageId} is not an answer. Feedback is for messages of the type assistant.`,
      );
    }
    const values = {
      workspace_id: owner.workspaceId,
      is_positive: feedback.isPositive,
      feedback_text: feedback.text,
      predefined_feedback: feedback.predefined,
      created_at: now,
    };
    await transaction
      .insertInto('chat_feedback')
      .values({ chat_message_id: messageId, ...values })
      .onConflict((conflict) => conflict.column('chat_message_id').doUpdateSet(values))
      .execute();
  });
}

/**
 * Does nothing when there is none.
 * @throws Problem NOT_FOUND for the message
 */
export async function removeFeedback(
  db: Database,
  owner: ChatOwner,
  messageId: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockMessage(transaction, owner, messageId);
    await transaction
      .deleteFrom('chat_feedback')
      .where('chat_message_id', '=', messageId)
      .where('workspace_id', '=', owner.workspaceId)
      .execute();
  });
}

/** Locks the message against deletion until the transaction ends. */
async function lockMessage(
  transaction: DatabaseTransaction,
  { workspaceId, userId }: ChatOwner,
  messageId: number,
): Promise<'system' | 'user' | 'assistant'> {
  const message = await transaction
    .selectFrom('chat_message as message')
    .innerJoin('chat_session as session', 'session.id', 'message.chat_session_id')
    .select('message.role')
    .where('message.id', '=', messageId)
    .where('message.workspace_id', '=', workspaceId)
    .where('session.workspace_id', '=', workspaceId)
    .where('session.user_id', '=', userId)
    .where('session.deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  if (!message) throw unknownMessage(messageId);
  return message.role;
}
