import { randomUUID } from 'node:crypto';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { createApiKey } from './api-keys.ts';

/** Creates a workspace with its owner, its default pair and one admin key, all or nothing. */
export async function createWorkspace(
  db: Database,
  { name, planTier }: { name: string; planTier: PlanTier },
): Promise<{ workspaceId: WorkspaceId; userId: UserId; apiKey: string }> {
  return db.transaction().execute(async (transaction) => {
    const ids = await insertWorkspace(transaction, { name, planTier, isBootstrap: false });
    const { key } = await createApiKey(transaction, {
      ...ids,
      name: 'First admin key',
      role: 'admin',
      expiresInDays: null,
    });
    return { ...ids, apiKey: key };
  });
}

export async function renameWorkspace(
  db: Database,
  workspaceId: WorkspaceId,
  name: string,
): Promise<void> {
  await db.updateTable('workspace').set({ name }).where('id', '=', workspaceId).execute();
}

/**
 * Inserts the rows every workspace starts with: the workspace, an owner, and the hidden pair for documents that name
 * none.
 */
export async function insertWorkspace(
  transaction: DatabaseTransaction,
  { name, planTier, isBootstrap }: { name: string; planTier: PlanTier; isBootstrap: boolean },
): Promise<{ workspaceId: WorkspaceId; userId: UserId }> {
  // New rows' ids are branded at their source.
  const workspaceId = randomUUID() as WorkspaceId;
  const userId = randomUUID() as UserId;
  await transaction
    .insertInto('workspace')
    .values({
      id: workspaceId,
      name,
      plan_tier: planTier,
      base_plan_tier: planTier,
      is_bootstrap: isBootstrap,
    })
    .execute();
  await transaction
    .insertInto('user_account')
    .values({ id: userId, workspace_id: workspaceId, display_name: 'Owner', email: null })
    .execute();
  await transaction
    .insertInto('cc_pair')
    .values({
      workspace_id: workspaceId,
      name: 'Ingestion API',
      source: 'ingestion_api',
      is_default: true,
      created_by: userId,
    })
    .execute();
  return { workspaceId, userId };
}
