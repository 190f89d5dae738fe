import { z } from 'zod';
import { listWorkspaces } from '#src/accounts/list-workspaces.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { setPlan } from '#src/billing/set-plan.ts';
import { displayName } from '#src/platform/display-name.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PLAN_TIERS } from '#src/tables/accounts.ts';

const WORKSPACES = { tag: 'Workspaces', family: 'platform', scope: 'bootstrap-admin' } as const;
const planTier = z.enum(PLAN_TIERS);

export const workspaceRoutes: Route[] = [
  defineRoute({
    ...WORKSPACES,
    method: 'POST',
    path: '/manage/admin/workspaces',
    audit: { action: 'workspace.create', fields: ['name', 'plan_tier'] },
    summary: 'Make a workspace and its first admin key',
    description:
      'The key is shown this once. Without plan_tier the workspace is on the default plan.',
    body: z.object({ name: displayName, plan_tier: planTier.nullish() }),
    reply: z.object({ workspace_id: z.string(), api_key: z.string() }),
    async handle({ services, body }) {
      const made = await createWorkspace(services.db, {
        name: body.name,
        planTier: body.plan_tier ?? services.config.DEFAULT_PLAN,
      });
      return { workspace_id: made.workspaceId, api_key: made.apiKey };
    },
  }),
  defineRoute({
    ...WORKSPACES,
    method: 'GET',
    path: '/manage/admin/workspaces',
    summary: 'List all workspaces, oldest first',
    description:
      'members counts user accounts. base_plan_tier is the plan that holds without a subscription; plan_tier the one in force.',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    reply: z.object({
      workspaces: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          plan_tier: planTier,
          base_plan_tier: planTier,
          is_bootstrap: z.boolean(),
          members: z.int(),
          created_at: z.iso.datetime(),
        }),
      ),
      total: z.int().describe('Of all workspaces, those of other pages too.'),
    }),
    async handle({ services, query }) {
      const { workspaces, total } = await listWorkspaces(services.db, query);
      return {
        total,
        workspaces: workspaces.map((workspace) => ({
          id: workspace.id,
          name: workspace.name,
          plan_tier: workspace.planTier,
          base_plan_tier: workspace.basePlanTier,
          is_bootstrap: workspace.isBootstrap,
          members: workspace.members,
          created_at: workspace.createdAt.toISOString(),
        })),
      };
    },
  }),
  defineRoute({
    ...WORKSPACES,
    method: 'PUT',
    path: '/manage/admin/workspaces/{id}/plan',
    audit: { action: 'workspace.plan', fields: ['plan_tier'] },
    summary: 'Set the plan that a workspace has without a subscription',
    description:
      'A subscription that grants more stays in force: plan_tier then differs from base_plan_tier. Members beyond the seats of a smaller plan stay, and none can be added. In force everywhere within 5 seconds.',
    params: z.object({ id: z.string() }),
    body: z.object({ plan_tier: planTier }),
    reply: z.object({
      workspace_id: z.string(),
      plan_tier: planTier.describe('In force now.'),
      base_plan_tier: planTier.describe('As it was set.'),
      previous_plan_tier: planTier.describe('In force before.'),
    }),
    async handle({ services, params, body }) {
      const change = await setPlan(services.db, {
        workspaceId: params.id,
        planTier: body.plan_tier,
        now: services.clock(),
        graceDays: services.config.PAYMENT_GRACE_DAYS,
      });
      return {
        workspace_id: change.workspaceId,
        plan_tier: change.planTier,
        base_plan_tier: change.basePlanTier,
        previous_plan_tier: change.previousPlanTier,
      };
    },
  }),
];
