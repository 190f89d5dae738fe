import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

import { cleanJson, cleanText } from '#src/documents/clean-text.ts';
import type { AgentId, ChatSessionId, ProjectId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { FileDescriptor } from '#src/tables.ts';
import type { ChatOwner } from './insert-session.ts';
import type { Packet } from './packets.ts';

/** Older messages are not read at all; what of the rest fits the model's context the prompt decides. */
const MAX_HISTORY_MESSAGES = 200;
/** A run whose process has not renewed this is that of a dead process. */
export const RUN_LEASE_MS = 30_000;

/**
 * Where a new message goes: after the last one that is shown, at the root (no history), or below a given message. Below
 * a user's message it is that message which is answered again.
 */
export type MessageParent = 'last' | 'root' | number;

/** What a session that exists fixes for all its messages. */
export interface SessionSettings {
  agentId: AgentId | null;
  projectId: ProjectId | null;
  temperature: number | null;
  /** `provider/model`, or a model's name. */
  model: string | null;
}

/** @throws Problem NOT_FOUND for a session that the owner does not have */
export async function readSessionSettings(
  db: Database,
  owner: ChatOwner,
  sessionId: ChatSessionId,
): Promise<SessionSettings> {
  const row = await db
    .selectFrom('chat_session')
    .select(['agent_id', 'project_id', 'temperature_override', 'alternate_model'])
    .where('id', '=', sessionId)
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw noSession(sessionId);
  return {
    agentId: row.agent_id,
    projectId: row.project_id,
    temperature: row.temperature_override,
    model: row.alternate_model,
  };
}

export interface PastTurn {
  role: 'user' | 'assistant';
  content: string;
  files: FileDescriptor[];
  isClarification: boolean;
}

/** Where the new turn stands in its session's tree. */
export interface TurnPlace {
  /** Null: the session is to be made. */
  sessionId: ChatSessionId | null;
  /** Null in a session to be made. */
  parentId: number | null;
  /** The user's message that is answered again; null when there is a new one. */
  answered: { id: number; content: string; files: FileDescriptor[] } | null;
  /** The messages before the question, oldest first. Answers that failed before their first word are left out. */
  history: PastTurn[];
}

export const NEW_SESSION: TurnPlace = {
  sessionId: null,
  parentId: null,
  answered: null,
  history: [],
};

interface ChainRow {
  id: number;
  role: 'system' | 'user' | 'assistant';
  content: string;
  files: FileDescriptor[];
  is_clarification: boolean;
}

/** @throws Problem BAD_REQUEST for a parent outside of the session, NOT_FOUND for a session that was deleted meanwhile */
export async function findPlace(
  db: Database,
  owner: ChatOwner,
  sessionId: ChatSessionId,
  parent: MessageParent,
): Promise<TurnPlace> {
  const chain = await readChain(db, owner, sessionId, parent);
  const last = chain.at(-1);
  // It was there a moment ago, when its settings were read.
  if (!last && typeof parent !== 'number') throw noSession(sessionId);
  if (!last) {
    throw new Problem(
      'BAD_REQUEST',
      `parent_message_id: message ${parent} is not in this chat session. Leave it out to continue after the last message.`,
    );
  }
  const isAgain = last.role === 'user' && typeof parent === 'number';
  const before = isAgain ? chain.slice(0, -1) : chain;
  return {
    sessionId,
    parentId: last.id,
    answered: isAgain ? { id: last.id, content: last.content, files: last.files } : null,
    history: before.flatMap(({ role, content, files, is_clarification }) =>
      role === 'system' || content === ''
        ? []
        : [{ role, content, files, isClarification: is_clarification }],
    ),
  };
}

/** From the oldest to the parent; without one, the branch that is shown, down to its end. */
async function readChain(
  db: Database,
  owner: ChatOwner,
  sessionId: ChatSessionId,
  parent: MessageParent,
): Promise<ChainRow[]> {
  const own = sql`message.chat_session_id = ${sessionId} and message.workspace_id = ${owner.workspaceId}
    and exists (select 1 from chat_session session where session.id = ${sessionId}
      and session.workspace_id = ${owner.workspaceId} and session.user_id = ${owner.userId})`;
  // One look by id for each step: a join would be planned as one with all messages of the session, again and again.
  const next = (id: string) => sql`cross join lateral (
    select message.id, message.parent_id, message.latest_child_id from chat_message message
    where message.id = chain.${sql.ref(id)} and ${own} limit 1) next`;
  const columns = sql`message.id, message.role, message.content, message.files, message.is_clarification`;
  const walk =
    typeof parent === 'number'
      ? sql`select message.id, message.parent_id, 1 as depth from chat_message message
          where message.id = ${parent} and ${own}
          union all
          select next.id, next.parent_id, chain.depth + 1 from chain ${next('parent_id')}
          where chain.depth < ${MAX_HISTORY_MESSAGES}`
      : sql`select message.id, message.latest_child_id, 1 as depth from chat_message message
          where message.parent_id is null and ${own}
          union all
          select next.id, next.latest_child_id, chain.depth + 1 from chain ${next('latest_child_id')}
          where ${parent === 'last'}`;
  // Up from the parent the first is the latest, down from the root the last is.
  const isUpward = typeof parent === 'number';
  const { rows } = await sql<ChainRow>`
    with recursive chain as (${walk}),
    latest as (select id, depth from chain
      order by depth ${isUpward ? sql`asc` : sql`desc`} limit ${MAX_HISTORY_MESSAGES})
    select ${columns} from latest join chat_message message on message.id = latest.id
    order by latest.depth ${isUpward ? sql`desc` : sql`asc`}`.execute(db);
  return rows;
}

export interface NewTurn {
  place: TurnPlace;
  /** Of a session to be made. */
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
  /** Its row exists, unfinished, until `finishTurn`. */
  assistantMessageId: number;
}

/**
 * Saves the user's message and reserves the answer's row, in a session that is made or there: one statement, for the
 * embedded database has one connection for all who ask.
 * @throws Problem NOT_FOUND for a session that was deleted meanwhile
 */
export async function beginTurn(db: Database, owner: ChatOwner, turn: NewTurn): Promise<Turn> {
  const { place, now } = turn;
  // The brand is given where the id is made.
  const sessionId = place.sessionId ?? (randomUUID() as string as ChatSessionId);
  const question = place.answered?.id ?? null;
  const message = sql`${owner.workspaceId}::uuid, ${sessionId}::uuid`;
  const { rows } = await sql<{ question: number; answer: number }>`
    with session as (${sessionOf(owner, turn, sessionId)}),
    ids as materialized (select
      coalesce(${place.parentId}::integer,
        nextval(pg_get_serial_sequence('chat_message', 'id'))::integer) as parent,
      coalesce(${question}::integer,
        nextval(pg_get_serial_sequence('chat_message', 'id'))::integer) as question,
      nextval(pg_get_serial_sequence('chat_message', 'id'))::integer as answer
      from session),
    written as (
      insert into chat_message (id, workspace_id, chat_session_id, parent_id, latest_child_id, role, content,
        citations, files, created_at, finished_at)
      overriding system value
      select parent, ${message}, null, question, 'system', '', '{}'::json, '[]'::json, ${now}::timestamptz,
        ${now}::timestamptz
      from ids where ${place.parentId}::integer is null
      union all
      select question, ${message}, parent, answer, 'user', ${cleanText(turn.message)}, '{}'::json,
        ${JSON.stringify(turn.files)}::json, ${now}::timestamptz, ${now}::timestamptz
      from ids where ${question}::integer is null
      union all
      select answer, ${message}, question, null, 'assistant', '', '{}'::json, '[]'::json, ${now}::timestamptz, null
      from ids),
    run as (
      insert into chat_run (chat_message_id, workspace_id, chat_session_id, alive_until, started_at)
      select answer, ${message}, now() + ${RUN_LEASE_MS} * interval '1 millisecond', ${now}::timestamptz from ids),
    shown as (
      update chat_message set latest_child_id = case when ${question}::integer is null then question else answer end
      from ids where chat_message.id = ${place.parentId}::integer)
    select question, answer from ids`.execute(db);
  const [ids] = rows;
  if (!ids) throw noSession(sessionId);
  return {
    sessionId,
    isNewSession: place.sessionId === null,
    userMessageId: question === null ? ids.question : null,
    assistantMessageId: ids.answer,
  };
}

/** Makes the session, or finds the one that is there; no row for one that is gone. */
function sessionOf(
  { workspaceId, userId }: ChatOwner,
  { place, settings, now }: NewTurn,
  sessionId: ChatSessionId,
): RawBuilder<unknown> {
  return place.sessionId === null
    ? sql`insert into chat_session (id, workspace_id, user_id, agent_id, project_id, created_at, updated_at)
        values (${sessionId}, ${workspaceId}, ${userId}, ${settings.agentId}, ${settings.projectId}, ${now}, ${now})
        returning id`
    : sql`update chat_session set updated_at = ${now}
        where id = ${sessionId} and workspace_id = ${workspaceId} and user_id = ${userId} and deleted_at is null
        returning id`;
}

export interface FinishedTurn {
  content: string;
  /** Citation number → document id. */
  citations: Record<string, string>;
  reasoning: string | null;
  /** Null when nothing was searched. */
  documents: readonly unknown[] | null;
  packets: readonly Packet[];
  isClarification: boolean;
  /** The model that answered; null when none did. */
  model: string | null;
  durationMs: number;
  /** Why `content` is not the whole answer; null when it is. */
  error: string | null;
  now: Date;
}

/**
 * Fills the row that `beginTurn` reserved; does nothing when its session is gone.
 * @param rows `unfinished` leaves alone what the answer's own process has filled meanwhile
 */
export async function finishTurn(
  db: Database,
  owner: ChatOwner,
  messageId: number,
  finished: FinishedTurn,
  rows: 'all' | 'unfinished' = 'all',
): Promise<void> {
  await sql`
    with message as (
      update chat_message set
        content = ${cleanText(finished.content)},
        citations = ${cleanJson(finished.citations)}::json,
        reasoning = ${finished.reasoning === null ? null : cleanText(finished.reasoning)},
        documents = ${finished.documents === null ? null : cleanJson(finished.documents)}::json,
        packets = ${cleanJson(finished.packets)}::json,
        is_clarification = ${finished.isClarification},
        model = ${finished.model},
        duration_ms = ${Math.round(finished.durationMs)},
        error = ${finished.error === null ? null : cleanText(finished.error)},
        finished_at = ${finished.now}
      where id = ${messageId} and workspace_id = ${owner.workspaceId}
        and (${rows === 'all'}::boolean or finished_at is null)
        and chat_session_id in (select id from chat_session
          where workspace_id = ${owner.workspaceId} and user_id = ${owner.userId})
      returning id)
    update chat_run set finished_at = ${finished.now}
    where chat_message_id in (select id from message)`.execute(db);
}

function noSession(sessionId: ChatSessionId): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no chat session ${sessionId}. Leave chat_session_id out to start a new one.`,
  );
}
