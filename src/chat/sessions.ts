import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';

import { cleanText } from '#src/documents/clean-text.ts';
import type { ChatSessionId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PastMessage } from './build-prompt.ts';

const MAX_HISTORY_MESSAGES = 10;

/** Whose sessions: every query here takes both ids. */
export interface SessionOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** Where a new message goes: after the session's last one, at the root (no history), or below a given message. */
export type MessageParent = 'last' | 'root' | number;

export interface NewTurn {
  /** Null makes a session. */
  sessionId: ChatSessionId | null;
  parent: MessageParent;
  message: string;
  now: Date;
}

export interface Turn {
  sessionId: ChatSessionId;
  isNewSession: boolean;
  userMessageId: number;
  /** Its row exists, empty, until `finishTurn`. */
  assistantMessageId: number;
  /** The messages before this one, oldest first. */
  history: PastMessage[];
}

/**
 * Saves the user's message and reserves the answer's row.
 * @throws Problem NOT_FOUND for a session that the owner does not have, BAD_REQUEST for a parent outside the session
 */
export async function beginTurn(db: Database, owner: SessionOwner, turn: NewTurn): Promise<Turn> {
  return db.transaction().execute(async (transaction) => {
    const sessionId = turn.sessionId ?? (await insertSession(transaction, owner, turn.now));
    if (turn.sessionId !== null) await touchSession(transaction, owner, turn.sessionId, turn.now);
    const parentId = await findParent(transaction, owner, sessionId, turn.parent);
    const history = await loadHistory(transaction, owner, parentId);
    const place = { workspace_id: owner.workspaceId, chat_session_id: sessionId };
    const insert = (role: 'user' | 'assistant', parent: number | null, content: string) =>
      transaction
        .insertInto('chat_message')
        .values({
          ...place,
          role,
          parent_id: parent,
          content,
          citations: '{}',
          error: null,
          created_at: turn.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
    const question = await insert('user', parentId, cleanText(turn.message));
    const answer = await insert('assistant', question.id, '');
    return {
      sessionId,
      isNewSession: turn.sessionId === null,
      userMessageId: question.id,
      assistantMessageId: answer.id,
      history,
    };
  });
}

export interface FinishedTurn {
  content: string;
  /** Citation number → document id. */
  citations: Record<string, string>;
  /** Why `content` is not the whole answer; null when it is. */
  error: string | null;
}

/** Fills the row that `beginTurn` reserved. */
export async function finishTurn(
  db: Database,
  owner: SessionOwner,
  turn: Turn,
  finished: FinishedTurn,
): Promise<void> {
  await db
    .updateTable('chat_message')
    .set({
      content: cleanText(finished.content),
      citations: JSON.stringify(finished.citations),
      error: finished.error === null ? null : cleanText(finished.error),
    })
    .where('id', '=', turn.assistantMessageId)
    .where('workspace_id', '=', owner.workspaceId)
    .where('chat_session_id', 'in', (query) =>
      query
        .selectFrom('chat_session as session')
        .select('session.id')
        .where('session.id', '=', turn.sessionId)
        .where('session.workspace_id', '=', owner.workspaceId)
        .where('session.user_id', '=', owner.userId),
    )
    .execute();
}

async function insertSession(
  db: DatabaseTransaction,
  owner: SessionOwner,
  now: Date,
): Promise<ChatSessionId> {
  const { id } = await db
    .insertInto('chat_session')
    .values({
      // The brand is given where the id is made.
      id: randomUUID() as string as ChatSessionId,
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      title: null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function touchSession(
  db: DatabaseTransaction,
  owner: SessionOwner,
  sessionId: ChatSessionId,
  now: Date,
): Promise<void> {
  const touched = await db
    .updateTable('chat_session')
    .set({ updated_at: now })
    .where('id', '=', sessionId)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .returning('id')
    .executeTakeFirst();
  if (touched === undefined)
    throw new Problem(
      'NOT_FOUND',
      `There is no chat session ${sessionId}. Leave chat_session_id out to start a new one.`,
    );
}

async function findParent(
  db: DatabaseTransaction,
  owner: SessionOwner,
  sessionId: ChatSessionId,
  parent: MessageParent,
): Promise<number | null> {
  if (parent === 'root') return null;
  const found = await db
    .selectFrom('chat_message as message')
    .innerJoin('chat_session as session', 'session.id', 'message.chat_session_id')
    .select('message.id')
    .where('message.workspace_id', '=', owner.workspaceId)
    .where('session.user_id', '=', owner.userId)
    .where('session.id', '=', sessionId)
    .$if(parent !== 'last', (query) => query.where('message.id', '=', Number(parent)))
    .orderBy('message.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined && parent !== 'last')
    throw new Problem(
      'BAD_REQUEST',
      `parent_message_id: message ${parent} is not in this chat session. Leave it out to continue after the last message.`,
    );
  return found?.id ?? null;
}

/** The chain of messages that ends in `lastId`. Answers that failed before their first word are left out. */
async function loadHistory(
  db: DatabaseTransaction,
  owner: SessionOwner,
  lastId: number | null,
): Promise<PastMessage[]> {
  if (lastId === null) return [];
  const { rows } = await sql<PastMessage>`
    with recursive own as not materialized (
      select message.id, message.parent_id, message.role, message.content
      from chat_message message join chat_session session on session.id = message.chat_session_id
      where message.workspace_id = ${owner.workspaceId} and session.user_id = ${owner.userId}),
    chain as (
      select own.*, 1 as depth from own where id = ${lastId}
      union all
      select own.*, chain.depth + 1 from own join chain on own.id = chain.parent_id
      where chain.depth < ${MAX_HISTORY_MESSAGES})
    select role, content from chain where content <> '' order by depth desc`.execute(db);
  return rows;
}
