import type { WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/** The plan in effect and since when, or the plan that applies without a subscription. */
export type PlanChange = { plan_tier: PlanTier; plan_since: Date } | { base_plan_tier: PlanTier };

/** Saves the plan that billing decided. The caller must have locked the workspace. */
export async function savePlan(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  change: PlanChange,
): Promise<void> {
  await trx.updateTable('workspace').set(change).where('id', '=', workspaceId).execute();
}

/** The plan in effect and since when. */
export async function readPlan(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ plan_tier: PlanTier; plan_since: Date }> {
  return db
    .selectFrom('workspace')
    .select(['plan_tier', 'plan_since'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
}
