import { type Agent, DEFAULT_AGENT, findAgent } from '#src/chat/agents/find-agent.ts';
import type { ChatModel } from '#src/chat/model/chat-model.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { countTokens } from '#src/documents/count-tokens.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { requireAgent } from './create-session.ts';
import { type SessionAddress, unknownSession } from './session-ids.ts';
import { findModel } from './session-model.ts';

/** Share of the context; the rest is for the answer, the question and the history. */
const SHARE_FOR_DOCUMENTS = 0.75;

type TokenServices = Pick<ChatServices, 'db' | 'config' | 'chatModels'>;

/**
 * Tokens of documents that fit next to the agent's instructions.
 * @throws Problem BAD_REQUEST for an unknown agent
 */
export async function tokensBesideAgent(
  services: TokenServices,
  owner: ChatOwner,
  agentId: number,
): Promise<number> {
  const agent = await requireAgent(services.db, owner, agentId);
  return tokensLeft(services, modelOf(services, labelOf(agent)), agent.instructions);
}

/**
 * Tokens of files that fit into the context of the session's model next to instructions.
 * @throws Problem NOT_FOUND
 */
export async function tokensLeftInSession(
  services: TokenServices,
  { workspaceId, userId, id }: SessionAddress,
): Promise<number> {
  const { db } = services;
  const session = await db
    .selectFrom('chat_session as session')
    .leftJoin('project', 'project.id', 'session.project_id')
    .select(['session.agent_id', 'session.alternate_model', 'project.instructions'])
    .where('session.id', '=', id)
    .where('session.workspace_id', '=', workspaceId)
    .where('session.user_id', '=', userId)
    .where('session.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!session) throw unknownSession(id);
  const found = await findAgent(db, { workspaceId, userId }, session.agent_id ?? DEFAULT_AGENT.id);
  const agent = found ?? DEFAULT_AGENT;
  const model = modelOf(services, session.alternate_model ?? labelOf(agent));
  return tokensLeft(services, model, `${agent.instructions}\n${session.instructions ?? ''}`);
}

function labelOf({ modelProvider, modelVersion }: Agent): string | null {
  if (modelProvider === null || modelVersion === null) return modelVersion;
  return `${modelProvider}/${modelVersion}`;
}

function modelOf({ chatModels }: TokenServices, name: string | null): ChatModel | null {
  return (name === null ? null : findModel(chatModels, name)) ?? chatModels.default;
}

function tokensLeft(
  { config }: TokenServices,
  model: ChatModel | null,
  instructions: string,
): number {
  const all = model?.contextTokens ?? config.LLM_CONTEXT_TOKENS;
  return Math.max(0, Math.floor(all * SHARE_FOR_DOCUMENTS) - countTokens(instructions));
}
