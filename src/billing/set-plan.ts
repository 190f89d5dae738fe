import { findWorkspace } from '#src/accounts/find-workspace.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { savePlan } from '#src/accounts/save-plan.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { type PlanTerms, settlePlan } from './settle-plan.ts';

export interface PlanChange {
  workspaceId: WorkspaceId;
  /** The plan now in effect: higher than the given one while a subscription grants more. */
  planTier: PlanTier;
  basePlanTier: PlanTier;
  previousPlanTier: PlanTier;
}

/**
 * Sets the plan that a workspace has without a subscription, and settles the one in effect.
 * @throws Problem NOT_FOUND when there is no such workspace
 */
export async function setPlan(
  db: Database,
  { workspaceId, planTier, ...terms }: PlanTerms & { workspaceId: string; planTier: PlanTier },
): Promise<PlanChange> {
  return db.transaction().execute(async (trx) => {
    const id = await findWorkspace(trx, workspaceId);
    if (id === null) {
      throw new Problem(
        'NOT_FOUND',
        `There is no workspace with the id ${JSON.stringify(workspaceId.slice(0, 100))}. GET /manage/admin/workspaces lists them.`,
      );
    }
    const { plan_tier: previousPlanTier } = await lockWorkspace(trx, id);
    await savePlan(trx, id, { base_plan_tier: planTier });
    return {
      workspaceId: id,
      planTier: await settlePlan(trx, id, terms),
      basePlanTier: planTier,
      previousPlanTier,
    };
  });
}
