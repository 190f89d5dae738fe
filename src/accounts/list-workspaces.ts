import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

export interface ListedWorkspace {
  id: WorkspaceId;
  name: string;
  planTier: PlanTier;
  basePlanTier: PlanTier;
  isBootstrap: boolean;
  members: number;
  createdAt: Date;
}

/** A page of all workspaces, oldest first, and the total number. */
export async function listWorkspaces(
  db: Database,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ workspaces: ListedWorkspace[]; total: number }> {
  const workspaces = await db
    .selectFrom('workspace as w')
    .select([
      'w.id',
      'w.name',
      'w.plan_tier as planTier',
      'w.base_plan_tier as basePlanTier',
      'w.is_bootstrap as isBootstrap',
      'w.created_at as createdAt',
    ])
    .select(
      sql<number>`(select count(*)::int from user_account u where u.workspace_id = w.id)`.as(
        'members',
      ),
    )
    .orderBy('w.created_at')
    .orderBy('w.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await db
    .selectFrom('workspace')
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return { workspaces, total };
}
