import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { sql } from 'kysely';

import type { ChatModels } from '#src/chat/model/chat-models.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { AgentChange, NewAgent } from './agent-request.ts';
import { type AgentEditor, type AgentRow, lockAgent } from './agents.ts';
import { assertModel, assertTools, documentSetNames } from './check-agent.ts';
import { type AgentViewer, isVisibleTo } from './find-agent.ts';

/** Limited because a list returns all of them. */
const MAX_AGENTS = 500;

/**
 * @throws Problem BAD_REQUEST for a tool, document set or model that does not exist, CONFLICT when the maximum number
 * of agents is reached
 */
export async function createAgent(
  db: Database,
  chatModels: ChatModels,
  maker: AgentViewer,
  wanted: NewAgent,
): Promise<AgentRow> {
  return db.transaction().execute(async (trx) => {
    await assertRoom(trx, maker);
    const content = await contentOf(trx, chatModels, maker, wanted, null);
    return trx
      .insertInto('agent')
      .values({
        ...content,
        name: wanted.name,
        workspace_id: maker.workspaceId,
        created_by: maker.userId,
        deleted_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Fields that the change omits keep their values.
 * @throws Problem as `lockAgent`, and BAD_REQUEST for a tool, document set or model that does not exist
 */
export async function changeAgent(
  db: Database,
  chatModels: ChatModels,
  editor: AgentEditor,
  id: number,
  change: AgentChange,
): Promise<AgentRow> {
  return db.transaction().execute(async (trx) => {
    const present = await lockAgent(trx, editor, id);
    if (change.isPublic === false && present.is_public && present.created_by !== editor.userId) {
      throw new Problem(
        'BAD_REQUEST',
        'body.is_public: a private agent is seen by its maker alone, so only its maker can make it private.',
      );
    }
    const content = await contentOf(trx, chatModels, editor, change, present);
    return trx
      .updateTable('agent')
      .set({ ...content, name: change.name ?? present.name, updated_at: sql<Date>`now()` })
      .where('id', '=', present.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** The columns of an agent after a change; `present` is null for a new agent. */
async function contentOf(
  trx: DatabaseTransaction,
  chatModels: ChatModels,
  { workspaceId }: AgentViewer,
  change: AgentChange,
  present: AgentRow | null,
) {
  if (change.toolIds) await assertTools(trx, workspaceId, change.toolIds);
  const sets = await documentSetNames(trx, workspaceId, change);
  const model = {
    provider: chosen(change.modelProvider, present?.model_provider ?? null),
    version: chosen(change.modelVersion, present?.model_version ?? null),
  };
  if (change.modelProvider !== undefined || change.modelVersion !== undefined)
    assertModel(chatModels, model);
  return {
    description: chosen(change.description, present?.description ?? '') ?? '',
    instructions: chosen(change.instructions, present?.instructions ?? '') ?? '',
    is_public: change.isPublic ?? present?.is_public ?? true,
    tool_ids: chosen(change.toolIds, present?.tool_ids ?? null),
    document_sets: sets ?? present?.document_sets ?? [],
    model_provider: model.provider,
    model_version: model.version,
    temperature: chosen(change.temperature, present?.temperature ?? null),
    starter_messages: JSON.stringify(
      chosen(change.starterMessages, present?.starter_messages ?? []) ?? [],
    ),
  };
}

/** The wanted value, including null; the current one if undefined. */
function chosen<T>(wanted: T | undefined, present: T): T {
  return wanted === undefined ? present : wanted;
}

/** The lock on the workspace makes concurrent calls count one after the other. */
async function assertRoom(trx: DatabaseTransaction, maker: AgentViewer): Promise<void> {
  await lockWorkspace(trx, maker.workspaceId);
  const { agents } = await trx
    .selectFrom('agent')
    .select(sql<number>`count(*)::int`.as('agents'))
    .where((where) => isVisibleTo(where, maker))
    .executeTakeFirstOrThrow();
  if (agents < MAX_AGENTS) return;
  throw new Problem(
    'CONFLICT',
    `There are ${MAX_AGENTS} agents, which is the limit per user. Delete one that is no longer needed: DELETE /persona/{id}.`,
  );
}
