import { sql } from 'kysely';
import type { ChatSessionId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { FileDescriptor } from '#src/tables/chat.ts';
import type { ChatOwner } from './chat-owner.ts';

/** A message of the branch that is shown. */
export interface MainlineMessage {
  id: number;
  parent_id: number | null;
  latest_child_id: number | null;
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** Citation number → document id. */
  citations: Record<string, string>;
  reasoning: string | null;
  documents: unknown[] | null;
  files: FileDescriptor[];
  packets: unknown[] | null;
  model: string | null;
  duration_ms: number | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
  /** The owner's feedback; null when there is none, or only text. */
  is_positive: boolean | null;
}

/** From the root down, following each message's latest child; empty when the owner has no such session. */
export async function loadMainline(
  db: Database,
  { workspaceId, userId }: ChatOwner,
  sessionId: ChatSessionId,
): Promise<MainlineMessage[]> {
  const { rows } = await sql<MainlineMessage>`
    with recursive line as (
      select root.id, root.latest_child_id, 0 as depth
      from chat_message root join chat_session session on session.id = root.chat_session_id
      where session.id = ${sessionId} and session.workspace_id = ${workspaceId}
        and session.user_id = ${userId} and root.workspace_id = ${workspaceId}
        and root.parent_id is null
      union all
      select child.id, child.latest_child_id, line.depth + 1
      from line join chat_message child on child.id = line.latest_child_id
        and child.parent_id = line.id and child.workspace_id = ${workspaceId})
    select message.id, message.parent_id, message.latest_child_id, message.role, message.content,
      message.citations, message.reasoning, message.documents, message.files, message.packets,
      message.model, message.duration_ms, message.error, message.created_at, message.finished_at,
      feedback.is_positive
    from line join chat_message message on message.id = line.id
    left join chat_feedback feedback on feedback.chat_message_id = message.id
    order by line.depth`.execute(db);
  return rows;
}
