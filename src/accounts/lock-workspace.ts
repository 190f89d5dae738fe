import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/**
 * Serializes what must not happen twice at once in a workspace: changes of its plan and members, and inserts that are
 * counted against a limit. Inserting rows that refer to the workspace is not blocked.
 * @throws Problem NOT_FOUND when there is no such workspace
 */
export async function lockWorkspace(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<{ plan_tier: PlanTier; base_plan_tier: PlanTier }> {
  const workspace = await trx
    .selectFrom('workspace')
    .select(['plan_tier', 'base_plan_tier'])
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!workspace) throw new Problem('NOT_FOUND', 'There is no workspace with this id.');
  return workspace;
}
