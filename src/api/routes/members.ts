import { z } from 'zod';
import { addMember, changeSignInRole, listMembers, removeMember } from '#src/accounts/members.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { PLANS, UNLIMITED, explainNoSeat } from '#src/billing/plans.ts';
import { displayName } from '#src/platform/display-name.ts';
import { ROLES } from '#src/tables/accounts.ts';

const MEMBERS = { tag: 'Members', family: 'reference', scope: 'admin' } as const;

/** RFC 5321 section 4.5.3.1.3 limits an address to 254 characters. */
const email = z.email().max(254);

export const memberRoutes: Route[] = [
  defineRoute({
    ...MEMBERS,
    method: 'GET',
    path: '/account/members',
    summary: 'List the user accounts of the workspace, oldest first',
    reply: z.object({
      members: z.array(
        z.object({
          user_id: z.string(),
          display_name: z.string(),
          email: z.string().nullable(),
          roles: z.array(z.enum(ROLES)).describe('Of its valid keys; empty when it has none.'),
          sign_in_role: z
            .enum(ROLES)
            .nullable()
            .describe('Of the sessions of its person; null for an account that only has keys.'),
          created_at: z.iso.datetime(),
          is_owner: z.boolean().describe('The account that the workspace began with.'),
        }),
      ),
      total: z.int(),
      seats: z
        .int()
        .describe(`Members that the plan has room for, the owner included; ${UNLIMITED}: any.`),
    }),
    async handle({ services, principal }) {
      const { members, plan } = await listMembers(services.db, principal.workspaceId);
      return {
        members: members.map((member) => ({
          user_id: member.userId,
          display_name: member.displayName,
          email: member.email,
          roles: member.roles,
          sign_in_role: member.signInRole,
          created_at: member.createdAt.toISOString(),
          is_owner: member.isOwner,
        })),
        total: members.length,
        seats: PLANS[plan].seats,
      };
    },
  }),
  defineRoute({
    ...MEMBERS,
    method: 'POST',
    path: '/account/members',
    audit: { action: 'member.add', fields: ['display_name', 'email', 'role'] },
    summary: 'Add a user account with its first API key, which is shown this once',
    description:
      'Takes one seat of the plan: 1 on Free, 3 on Personal, 10 on Pro, 50 on Agency, any number on Enterprise. Without a free seat the answer is 403. The e-mail address, if any, is no other member’s.',
    body: z.object({
      display_name: displayName,
      email: email.nullish(),
      role: z.enum(ROLES).default('member').describe('What the key may do.'),
    }),
    reply: z.object({
      user_id: z.string(),
      display_name: z.string(),
      email: z.string().nullable(),
      role: z.enum(ROLES),
      api_key: z.string(),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const member = {
        displayName: body.display_name,
        email: body.email ?? null,
        role: body.role,
        workspaceId: principal.workspaceId,
      };
      const added = await addMember(services.db, member, explainNoSeat);
      return {
        user_id: added.userId,
        display_name: member.displayName,
        email: member.email,
        role: member.role,
        api_key: added.apiKey,
      };
    },
  }),
  defineRoute({
    ...MEMBERS,
    method: 'PATCH',
    path: '/account/members/{id}',
    audit: { action: 'member.role', fields: ['role'] },
    summary: 'Change the role in which the sessions of a member act, at once',
    description:
      'The roles of keys are fixed. Your own role, the owner’s and that of the last admin cannot be changed: 409.',
    params: z.object({ id: z.string() }),
    body: z.object({ role: z.enum(ROLES) }),
    reply: z.object({ user_id: z.string(), role: z.enum(ROLES) }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body: { role } }) {
      const { workspaceId, userId: by } = principal;
      await changeSignInRole(services.db, { workspaceId, userId: params.id, by, role });
      return { user_id: params.id, role };
    },
  }),
  defineRoute({
    ...MEMBERS,
    method: 'DELETE',
    path: '/account/members/{id}',
    audit: { action: 'member.remove', fields: [] },
    summary: 'Remove a user account; its sessions end at once, its keys within 5 seconds',
    description:
      "Its API keys, sign-in sessions, chat sessions and points go with it, and the person when they belong to no other workspace. Documents, connectors, credentials and files that it made stay and belong to nobody; documents of its private pairs are then found by nobody until the pair's access changes. Your own account, the owner's and that of the last admin cannot be removed: 409.",
    params: z.object({ id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), user_id: z.string() }),
    errors: ['CONFLICT'],
    async handle({ services, principal, params }) {
      const { workspaceId, userId: by } = principal;
      await removeMember(services.db, { workspaceId, userId: params.id, by });
      return { status: 'deleted' as const, user_id: params.id };
    },
  }),
];
