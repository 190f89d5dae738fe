import { z } from 'zod';
import { readAccount } from '#src/accounts/account.ts';
import {
  invite,
  listInvitations,
  markMailed,
  withdrawInvitation,
} from '#src/accounts/people/invitations.ts';
import { linkTo } from '#src/accounts/people/link-token.ts';
import { invitationMail } from '#src/accounts/people/mails.ts';
import { makeOwnerToken } from '#src/accounts/people/owner-link.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { personEmail } from '#src/api/session-reply.ts';
import { explainNoSeat } from '#src/billing/plans.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';
import { ROLES } from '#src/tables/accounts.ts';

const INVITATIONS = { tag: 'Members', family: 'reference', scope: 'admin' } as const;

const invitationFields = {
  id: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
};

export const invitationRoutes: Route[] = [
  defineRoute({
    ...INVITATIONS,
    method: 'POST',
    path: '/account/invitations',
    audit: { action: 'invitation.create', fields: ['email', 'role'] },
    summary: 'Invite somebody who will sign in',
    description:
      'By a link that works once, for seven days. It is mailed when the operator has a verified sender account, else shown this once, to be passed on. Another invitation of the same address replaces the earlier one. Open invitations count as seats: 403 when none is free.',
    body: z.object({
      email: personEmail,
      role: z.enum(ROLES).default('member').describe('Of the sessions of the person.'),
    }),
    reply: z.object({
      ...invitationFields,
      link: z.string().nullable().describe('Null when it was mailed.'),
      mailed: z.boolean(),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const { db, config, signIn } = services;
      const { workspaceId, userId: by } = principal;
      const made = await invite(db, { workspaceId, by, ...body }, explainNoSeat);
      const link = linkTo(baseUrlOf(config), 'invitation', made.token);
      const { workspaceName, displayName: invitedBy } = await readAccount(db, principal);
      const mail = invitationMail({ email: body.email, workspaceName, invitedBy, link });
      const mailed = await signIn.mail.send(mail);
      if (mailed) await markMailed(db, made.id);
      return {
        id: made.id,
        ...body,
        created_at: made.createdAt.toISOString(),
        expires_at: made.expiresAt.toISOString(),
        link: mailed ? null : link,
        mailed,
      };
    },
  }),
  defineRoute({
    ...INVITATIONS,
    method: 'GET',
    path: '/account/invitations',
    summary: 'List the invitations that are open, oldest first',
    reply: z.object({
      invitations: z.array(
        z.object({
          ...invitationFields,
          invited_by: z.string().nullable().describe('A display name.'),
        }),
      ),
      total: z.int(),
    }),
    async handle({ services, principal }) {
      const open = await listInvitations(services.db, principal.workspaceId);
      const invitations = open.map((invitation) => ({
        id: invitation.id,
        email: invitation.email,
        role: invitation.role,
        invited_by: invitation.invitedBy,
        created_at: invitation.createdAt.toISOString(),
        expires_at: invitation.expiresAt.toISOString(),
      }));
      return { invitations, total: invitations.length };
    },
  }),
  defineRoute({
    ...INVITATIONS,
    method: 'DELETE',
    path: '/account/invitations/{id}',
    audit: { action: 'invitation.withdraw', fields: [] },
    summary: 'Withdraw an invitation; its link is dead at once',
    params: z.object({ id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    async handle({ services, principal, params }) {
      const { workspaceId } = principal;
      await withdrawInvitation(services.db, { workspaceId, id: params.id });
      return { status: 'deleted' as const, id: params.id };
    },
  }),
  defineRoute({
    tag: 'Workspaces',
    family: 'platform',
    scope: 'bootstrap-admin',
    method: 'POST',
    path: '/manage/admin/owner-link',
    audit: { action: 'owner_link.create', fields: [] },
    summary: 'Make an owner link: whoever opens it becomes an operator',
    description: 'It works once, for 24 hours. All owner links end with the first that is used.',
    reply: z.object({ link: z.string(), expires_at: z.iso.datetime() }),
    async handle({ services: { db, config } }) {
      const { token, expiresAt } = await makeOwnerToken(db);
      const link = linkTo(baseUrlOf(config), 'welcome', token);
      return { link, expires_at: expiresAt.toISOString() };
    },
  }),
];
