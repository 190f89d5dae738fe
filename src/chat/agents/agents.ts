import { type Selectable, sql } from 'kysely';

import type { AgentId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Tables } from '#src/tables/tables.ts';
import { type AgentViewer, DEFAULT_AGENT, isVisibleTo } from './find-agent.ts';

export type AgentRow = Selectable<Tables['agent']>;

/** Who changes an agent: allowed for its creator, and for an admin if it is public. */
export interface AgentEditor extends AgentViewer {
  role: string;
}

/** The agents that a user may use, oldest first, without the default agent. */
export function listAgents(db: Database, viewer: AgentViewer): Promise<AgentRow[]> {
  return db
    .selectFrom('agent')
    .selectAll()
    .where((where) => isVisibleTo(where, viewer))
    .orderBy('id')
    .execute();
}

/** @throws Problem NOT_FOUND for an agent that is unknown, deleted or another user's private one */
export async function readAgent(db: Database, viewer: AgentViewer, id: number): Promise<AgentRow> {
  const row = await db
    .selectFrom('agent')
    .selectAll()
    .where('id', '=', id as AgentId) // a number from the caller; the query tells whether it exists
    .where((where) => isVisibleTo(where, viewer))
    .executeTakeFirst();
  if (!row) throw unknownAgent(id);
  return row;
}

/**
 * Locks and returns the row of an agent before a change.
 * @throws Problem BAD_REQUEST for the default agent, NOT_FOUND, UNAUTHORIZED when someone else created it
 */
export async function lockAgent(
  trx: DatabaseTransaction,
  editor: AgentEditor,
  id: number,
): Promise<AgentRow> {
  if (id === DEFAULT_AGENT.id) {
    throw new Problem(
      'BAD_REQUEST',
      'Agent 0 is the default agent and cannot be changed. Create another: POST /persona.',
    );
  }
  const row = await trx
    .selectFrom('agent')
    .selectAll()
    .where('id', '=', id as AgentId) // a number from the caller; the query tells whether it exists
    .where((where) => isVisibleTo(where, editor))
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw unknownAgent(id);
  if (row.created_by !== editor.userId && editor.role !== 'admin') {
    throw new Problem(
      'UNAUTHORIZED',
      `The agent ${id} was created by someone else: only that user and the admins of the workspace may change or delete it.`,
    );
  }
  return row;
}

/**
 * Deletes an agent. Its conversations remain and continue with the default agent.
 * @throws as `lockAgent`
 */
export async function deleteAgent(db: Database, editor: AgentEditor, id: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { id: known } = await lockAgent(trx, editor, id);
    await trx
      .updateTable('agent')
      .set({ deleted_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', known)
      .execute();
  });
}

function unknownAgent(id: number): Problem {
  return new Problem('NOT_FOUND', `There is no agent ${id}. GET /persona lists the agents.`);
}
