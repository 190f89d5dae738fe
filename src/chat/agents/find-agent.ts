import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';

import type { AgentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Tables } from '#src/tables/tables.ts';

/** The agent that answers, with the fields that an answer needs. */
export interface Agent {
  /** 0 is the default agent. */
  id: number;
  name: string;
  /** '' when it has none. */
  instructions: string;
  /** Null: all tools. */
  toolIds: readonly number[] | null;
  /** Names; empty: all documents. */
  documentSets: readonly string[];
  modelProvider: string | null;
  modelVersion: string | null;
  temperature: number | null;
}

/** The user on whose behalf agents are read. */
export interface AgentViewer {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** Used when no agent is named: all tools and documents of the workspace, no instructions. Has no row. */
export const DEFAULT_AGENT: Agent = {
  id: 0,
  name: 'Assistant',
  instructions: '',
  toolIds: null,
  documentSets: [],
  modelProvider: null,
  modelVersion: null,
  temperature: null,
};

/** Null for an agent that is unknown, deleted or another user's private one. */
export async function findAgent(
  db: Database,
  viewer: AgentViewer,
  id: number,
): Promise<Agent | null> {
  if (id === DEFAULT_AGENT.id) return DEFAULT_AGENT;
  const row = await db
    .selectFrom('agent')
    .select([
      'id',
      'name',
      'instructions',
      'tool_ids as toolIds',
      'document_sets as documentSets',
      'model_provider as modelProvider',
      'model_version as modelVersion',
      'temperature',
    ])
    .where('id', '=', id as AgentId) // a number of the caller's; the query tells whether it is one
    .where((where) => isVisibleTo(where, viewer))
    .executeTakeFirst();
  return row ?? null;
}

/** The agents that a user may use: the workspace's public ones and their own. */
export function isVisibleTo(
  where: ExpressionBuilder<Tables, 'agent'>,
  { workspaceId, userId }: AgentViewer,
): Expression<SqlBool> {
  return where.and([
    where('agent.workspace_id', '=', workspaceId),
    where('agent.deleted_at', 'is', null),
    where.or([where('agent.is_public', '=', true), where('agent.created_by', '=', userId)]),
  ]);
}
