import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

import { cleanJson } from '#src/documents/clean-text.ts';
import type { ChatSessionId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { FileDescriptor } from '#src/tables/chat.ts';
import type { ChatOwner } from './chat-owner.ts';
import { noSession, RUN_LEASE_MS, type SessionSettings, type TurnPlace } from './turn-place.ts';

export interface NewTurn {
  place: TurnPlace;
  /** For a new session. */
  settings: Pick<SessionSettings, 'agentId' | 'projectId'>;
  message: string;
  files: readonly FileDescriptor[];
  now: Date;
}

export interface Turn {
  sessionId: ChatSessionId;
  isNewSession: boolean;
  /** Null when an earlier message is answered again. */
  userMessageId: number | null;
  /** Its row exists, unfinished, until `finishTurns`. */
  assistantMessageId: number;
}

/** A turn to begin, as input of the statement. */
export interface AskedTurn {
  sessionId: ChatSessionId;
  isNewSession: boolean;
  parentId: number | null;
  /** The user's message that is answered again. */
  questionId: number | null;
  /** JSON of `COLUMNS`; its length is what this turn adds to the statement. */
  json: string;
}

const COLUMNS = sql.raw(`session_id uuid, workspace_id uuid, user_id uuid, agent_id integer,
  project_id integer, parent_id integer, question_id integer, content text, files json,
  asked_at timestamptz`);
const NEXT_ID = sql.raw(`nextval(pg_get_serial_sequence('chat_message', 'id'))::integer`);

export function askTurn(
  { workspaceId, userId }: ChatOwner,
  { place, settings, message, files, now }: NewTurn,
): AskedTurn {
  // Branded here, where the id is created.
  const sessionId = place.sessionId ?? (randomUUID() as string as ChatSessionId);
  const questionId = place.answered?.id ?? null;
  const json = cleanJson({
    session_id: sessionId,
    workspace_id: workspaceId,
    user_id: userId,
    agent_id: settings.agentId,
    project_id: settings.projectId,
    parent_id: place.parentId,
    question_id: questionId,
    content: message,
    files,
    asked_at: now,
  });
  return {
    sessionId,
    isNewSession: place.sessionId === null,
    parentId: place.parentId,
    questionId,
    json,
  };
}

/**
 * Saves the user's messages and reserves the answers' rows, in one statement for all turns of the same moment, because
 * the embedded database has a single connection. No two turns may be of one session, and their sessions must all be new
 * or all exist.
 * @returns the results in the order of the turns; a Problem NOT_FOUND for a session that was deleted meanwhile
 */
export async function beginTurns(
  db: Database,
  turns: readonly AskedTurn[],
): Promise<PromiseSettledResult<Turn>[]> {
  const { rows } = await sql<{ session_id: string; question: number; answer: number }>`
    with asked as materialized (
      select * from json_to_recordset(${jsonList(turns)}::json) as asked (${COLUMNS})),
    ${sessionsOf(turns)},
    ids as materialized (
      select asked.*, coalesce(asked.parent_id, ${NEXT_ID}) as parent,
        coalesce(asked.question_id, ${NEXT_ID}) as question, ${NEXT_ID} as answer
      from asked join session on session.id = asked.session_id),
    written as (
      insert into chat_message (id, workspace_id, chat_session_id, parent_id, latest_child_id, role, content,
        citations, files, created_at, finished_at)
      overriding system value
      select parent, workspace_id, session_id, null, question, 'system', '', '{}'::json, '[]'::json, asked_at,
        asked_at
      from ids where parent_id is null
      union all
      select question, workspace_id, session_id, parent, answer, 'user', content, '{}'::json, files, asked_at,
        asked_at
      from ids where question_id is null
      union all
      select answer, workspace_id, session_id, question, null, 'assistant', '', '{}'::json, '[]'::json, asked_at,
        null
      from ids),
    run as (
      insert into chat_run (chat_message_id, workspace_id, chat_session_id, alive_until, started_at)
      select answer, workspace_id, session_id, now() + ${RUN_LEASE_MS} * interval '1 millisecond', asked_at
      from ids),
    shown as (
      update chat_message
      set latest_child_id = case when ids.question_id is null then ids.question else ids.answer end
      from ids where chat_message.id = ids.parent_id
        and chat_message.id = any(${turns.flatMap(({ parentId }) => parentId ?? [])}::integer[]))
    select session_id, question, answer from ids`.execute(db);
  const bySession = new Map(rows.map((row) => [row.session_id, row]));
  return turns.map(({ sessionId, isNewSession, questionId }) => {
    const row = bySession.get(sessionId);
    if (!row) return { status: 'rejected', reason: noSession(sessionId) };
    const userMessageId = questionId === null ? row.question : null;
    const value = { sessionId, isNewSession, userMessageId, assistantMessageId: row.answer };
    return { status: 'fulfilled', value };
  });
}

/** Creates the sessions, or finds the existing ones; no row for a deleted one. */
function sessionsOf(turns: readonly AskedTurn[]): RawBuilder<unknown> {
  if (turns.every(({ isNewSession }) => isNewSession))
    return sql`session as (
      insert into chat_session (id, workspace_id, user_id, agent_id, project_id, created_at, updated_at)
      select session_id, workspace_id, user_id, agent_id, project_id, asked_at, asked_at from asked
      returning id)`;
  // Locked in a fixed order, so that two processes never deadlock.
  return sql`locked as materialized (
      select session.id, asked.asked_at
      from chat_session session join asked on asked.session_id = session.id
        and asked.workspace_id = session.workspace_id and asked.user_id = session.user_id
      where session.id = any(${turns.map(({ sessionId }) => sessionId)}::uuid[])
        and session.deleted_at is null
      order by session.id for update of session),
    session as (
      update chat_session set updated_at = locked.asked_at from locked
      where chat_session.id = locked.id
        and chat_session.id = any(${turns.map(({ sessionId }) => sessionId)}::uuid[])
      returning chat_session.id)`;
}

export function jsonList(items: readonly { json: string }[]): string {
  return `[${items.map(({ json }) => json).join(',')}]`;
}
