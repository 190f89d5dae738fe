import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/** The plan that holds now, and since when; or the one that holds without a subscription. */
export type PlanChange = { plan_tier: PlanTier; plan_since: Date } | { base_plan_tier: PlanTier };

/** Writes what billing has decided. The caller has locked the workspace. */
export async function savePlan(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  change: PlanChange,
): Promise<void> {
  await trx.updateTable('workspace').set(change).where('id', '=', workspaceId).execute();
}
