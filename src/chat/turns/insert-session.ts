import { randomUUID } from 'node:crypto';
import { cleanText } from '#src/documents/clean-text.ts';
import type { AgentId, ChatSessionId, ProjectId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { ChatOwner } from './chat-owner.ts';

export interface NewSession {
  /** 0 and null: the default agent. */
  agentId: AgentId | 0 | null;
  projectId: ProjectId | null;
  title: string | null;
  now: Date;
}

/** Creates a session with its root: the empty system message above all others. */
export async function insertSession(
  transaction: DatabaseTransaction,
  owner: ChatOwner,
  { agentId, projectId, title, now }: NewSession,
): Promise<{ sessionId: ChatSessionId; rootId: number }> {
  // Branded here, where the id is created.
  const sessionId = randomUUID() as string as ChatSessionId;
  await transaction
    .insertInto('chat_session')
    .values({
      id: sessionId,
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      title: title === null ? null : cleanText(title),
      agent_id: agentId === 0 ? null : agentId,
      project_id: projectId,
      temperature_override: null,
      alternate_model: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    })
    .execute();
  const root = await transaction
    .insertInto('chat_message')
    .values({
      workspace_id: owner.workspaceId,
      chat_session_id: sessionId,
      parent_id: null,
      latest_child_id: null,
      role: 'system',
      content: '',
      citations: '{}',
      reasoning: null,
      documents: null,
      packets: null,
      model: null,
      duration_ms: null,
      error: null,
      created_at: now,
      finished_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { sessionId, rootId: root.id };
}
