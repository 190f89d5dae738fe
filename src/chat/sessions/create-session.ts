import { findAgent } from '#src/chat/agents/find-agent.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { insertSession } from '#src/chat/turns/insert-session.ts';
import type { AgentId, ChatSessionId, ProjectId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

interface SessionRequest {
  /** 0 is the default agent. */
  agentId: number;
  projectId: number | null;
  title: string | null;
}

/** @throws Problem BAD_REQUEST for an agent that the owner may not use, NOT_FOUND for a project that they do not have */
export async function createSession(
  db: Database,
  owner: ChatOwner,
  { agentId, projectId, title }: SessionRequest,
  now: Date,
): Promise<ChatSessionId> {
  const agent = await requireAgent(db, owner, agentId);
  return db.transaction().execute(async (transaction) => {
    const { sessionId } = await insertSession(transaction, owner, {
      agentId: agent.id as AgentId, // the row was found by this id
      projectId: projectId === null ? null : await lockProject(transaction, projectId),
      title,
      now,
    });
    return sessionId;
  });

  /** Locked against deletion until its session exists. */
  async function lockProject(transaction: Database, id: number): Promise<ProjectId> {
    const locked = await transaction
      .selectFrom('project')
      .select('id')
      .where('id', '=', id as ProjectId) // a number from the caller; the query tells whether it exists
      .where('workspace_id', '=', owner.workspaceId)
      .where('user_id', '=', owner.userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!locked) throw unknownProject(id);
    return locked.id;
  }
}

/** @throws Problem BAD_REQUEST for an agent that is unknown, deleted or another user's private one */
export async function requireAgent(
  db: Database,
  owner: ChatOwner,
  id: number,
): Promise<NonNullable<Awaited<ReturnType<typeof findAgent>>>> {
  const agent = await findAgent(db, owner, id);
  if (agent) return agent;
  throw new Problem(
    'BAD_REQUEST',
    `persona_id: there is no agent with the id ${id} that you may use. GET /persona lists those that there are; 0 is the default one.`,
  );
}

function unknownProject(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `project_id: you have no project with the id ${id}. GET /user/projects lists yours.`,
  );
}
