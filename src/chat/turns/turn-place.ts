import { sql } from 'kysely';

import type { AgentId, ChatSessionId, ProjectId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { FileDescriptor } from '#src/tables/chat.ts';
import type { ChatOwner } from './chat-owner.ts';

/** Older messages are not read at all; the prompt decides which of the rest fit the model's context. */
const MAX_HISTORY_MESSAGES = 200;
/** A run whose lease is older than this belongs to a dead process. */
export const RUN_LEASE_MS = 30_000;

/**
 * Where a new message goes: after the last one shown, at the root (no history), or below a given message. Below a
 * user's message, that message is answered again.
 */
export type MessageParent = 'last' | 'root' | number;

/** The settings of an existing session, which apply to all its messages. */
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

/** The position of the new turn in its session's tree. */
export interface TurnPlace {
  /** Null: a new session. */
  sessionId: ChatSessionId | null;
  /** Null in a new session. */
  parentId: number | null;
  /** The user's message that is answered again; null when there is a new one. */
  answered: { id: number; content: string; files: FileDescriptor[] } | null;
  /** The messages before the question, oldest first. Answers that failed before their first text are omitted. */
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

/** @throws Problem BAD_REQUEST for a parent outside the session, NOT_FOUND for a session that was deleted meanwhile */
export async function findPlace(
  db: Database,
  owner: ChatOwner,
  sessionId: ChatSessionId,
  parent: MessageParent,
): Promise<TurnPlace> {
  const chain = await readChain(db, owner, sessionId, parent);
  const last = chain.at(-1);
  // It existed a moment ago, when its settings were read.
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

/** From the oldest message to the parent; without a parent, the shown branch down to its end. */
async function readChain(
  db: Database,
  owner: ChatOwner,
  sessionId: ChatSessionId,
  parent: MessageParent,
): Promise<ChainRow[]> {
  const own = sql`message.chat_session_id = ${sessionId} and message.workspace_id = ${owner.workspaceId}
    and exists (select 1 from chat_session session where session.id = ${sessionId}
      and session.workspace_id = ${owner.workspaceId} and session.user_id = ${owner.userId})`;
  // One lookup by id per step: the planner would execute a join against all messages of the session each time.
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
  // Upwards from the parent, the first is the latest; downwards from the root, the last is.
  const isUpward = typeof parent === 'number';
  const { rows } = await sql<ChainRow>`
    with recursive chain as (${walk}),
    latest as (select id, depth from chain
      order by depth ${isUpward ? sql`asc` : sql`desc`} limit ${MAX_HISTORY_MESSAGES})
    select ${columns} from latest join chat_message message on message.id = latest.id
    order by latest.depth ${isUpward ? sql`desc` : sql`asc`}`.execute(db);
  return rows;
}

export function noSession(sessionId: ChatSessionId): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no chat session ${sessionId}. POST /chat/session makes one.`,
  );
}
