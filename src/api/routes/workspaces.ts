import { z } from 'zod';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { displayName } from '#src/platform/display-name.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PLAN_TIERS } from '#src/tables.ts';

export const workspaceRoutes: Route[] = [
  defineRoute({
    tag: 'Workspaces',
    family: 'platform',
    scope: 'bootstrap-admin',
    method: 'POST',
    path: '/manage/admin/workspaces',
    summary: 'Make a workspace and its first admin key',
    description:
      'The key is shown this once. Without plan_tier the workspace is on the default plan.',
    body: z.object({ name: displayName, plan_tier: z.enum(PLAN_TIERS).nullish() }),
    reply: z.object({ workspace_id: z.string(), api_key: z.string() }),
    async handle({ services, body }) {
      const made = await createWorkspace(services.db, {
        name: body.name,
        planTier: body.plan_tier ?? services.config.DEFAULT_PLAN,
      });
      return { workspace_id: made.workspaceId, api_key: made.apiKey };
    },
  }),
];
