import { z } from 'zod';
import { type Account, nameTimeZone, readAccount, updateAccount } from '#src/accounts/account.ts';
import type { Principal } from '#src/accounts/principal.ts';
import { renameWorkspace } from '#src/accounts/workspaces.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { displayName } from '#src/platform/display-name.ts';
import { PLAN_TIERS, ROLES } from '#src/tables/accounts.ts';

const ACCOUNT = { tag: 'Account', family: 'reference', scope: 'any', path: '/account' } as const;

const accountReply = z.object({
  user_id: z.string(),
  workspace_id: z.string(),
  workspace_name: z.string(),
  display_name: z.string(),
  email: z.string().nullable(),
  role: z.enum(ROLES).describe('Of the key that asks.'),
  plan: z.enum(PLAN_TIERS),
  time_zone: z.string().describe("IANA name; the account's days begin and end by it."),
});

const timeZone = z
  .string()
  .max(64)
  .transform(nameTimeZone)
  .refine((zone) => zone !== null, 'must be an IANA time zone such as Europe/Berlin or UTC');

export const ownAccountRoutes: Route[] = [
  defineRoute({
    ...ACCOUNT,
    method: 'GET',
    summary: 'Your user account and its workspace',
    reply: accountReply,
    async handle({ services, principal }) {
      return presentAccount(await readAccount(services.db, principal), principal);
    },
  }),
  defineRoute({
    ...ACCOUNT,
    method: 'PATCH',
    summary: 'Change your name or your time zone',
    description:
      'What is left out stays. The time zone is an IANA name such as Europe/Berlin and changes once in 24 hours at most: a further change is a 409 that says when it is possible again.',
    body: z
      .object({ display_name: displayName.optional(), time_zone: timeZone.optional() })
      .refine(
        (body) => body.display_name !== undefined || body.time_zone !== undefined,
        'give display_name, time_zone or both',
      ),
    reply: accountReply,
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const account = await updateAccount(services.db, principal, {
        displayName: body.display_name ?? null,
        timeZone: body.time_zone ?? null,
      });
      return presentAccount(account, principal);
    },
  }),
  defineRoute({
    tag: 'Account',
    family: 'platform',
    scope: 'admin',
    method: 'PATCH',
    path: '/account/workspace',
    audit: { action: 'workspace.rename', fields: ['name'] },
    summary: 'Rename your workspace',
    body: z.object({ name: displayName }),
    reply: z.object({ id: z.string(), name: z.string() }),
    async handle({ services, principal: { workspaceId }, body: { name } }) {
      await renameWorkspace(services.db, workspaceId, name);
      return { id: workspaceId, name };
    },
  }),
];

function presentAccount(account: Account, { role }: Principal): z.input<typeof accountReply> {
  return {
    user_id: account.userId,
    workspace_id: account.workspaceId,
    workspace_name: account.workspaceName,
    display_name: account.displayName,
    email: account.email,
    role,
    plan: account.plan,
    time_zone: account.timeZone,
  };
}
