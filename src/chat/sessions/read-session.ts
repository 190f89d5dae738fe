import { sql } from 'kysely';
import { type MainlineMessage, loadMainline } from '#src/chat/turns/mainline.ts';
import type { AgentId, ChatSessionId, UserId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { type SessionAddress, unknownSession } from './session-ids.ts';

/** A session with the branch that is shown. */
export interface SessionDetails {
  id: ChatSessionId;
  user_id: UserId;
  owner_name: string;
  title: string | null;
  agent_id: AgentId | null;
  /** Null for the default agent. */
  agent_name: string | null;
  created_at: Date;
  shared_status: 'public' | 'private';
  alternate_model: string | null;
  temperature_override: number | null;
  deleted_at: Date | null;
  /** The answer in progress; null when there is none. */
  run_id: number | null;
  messages: MainlineMessage[];
}

/**
 * A session that the reader may see: their own, and with `isShared` those of their workspace that are shared.
 * @throws Problem NOT_FOUND
 */
export async function readSession(
  db: Database,
  reader: SessionAddress,
  { isShared, includesDeleted }: { isShared: boolean; includesDeleted: boolean },
): Promise<SessionDetails> {
  const { id, workspaceId, userId } = reader;
  const { rows } = await sql<Omit<SessionDetails, 'messages'>>`
    select session.id, session.user_id, owner.display_name as owner_name, session.title,
      session.agent_id, agent.name as agent_name, session.created_at, session.shared_status,
      session.alternate_model, session.temperature_override, session.deleted_at,
      (select max(run.chat_message_id) from chat_run run
        where run.chat_session_id = session.id and run.finished_at is null
          and run.alive_until > now()) as run_id
    from chat_session session
    join user_account owner on owner.id = session.user_id
    left join agent on agent.id = session.agent_id and agent.workspace_id = session.workspace_id
    where session.id = ${id} and session.workspace_id = ${workspaceId} and (
      (session.user_id = ${userId}
        and (session.deleted_at is null or ${includesDeleted}::boolean))
      or (${isShared}::boolean and session.shared_status = 'public'
        and session.deleted_at is null))`.execute(db);
  const [session] = rows;
  if (!session) throw unknownSession(id);
  const messages = await loadMainline(db, { workspaceId, userId: session.user_id }, id);
  if (messages.length === 0) throw unknownSession(id); // it was deleted in between
  return { ...session, messages };
}
