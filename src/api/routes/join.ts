import { z } from 'zod';
import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import { acceptInvitation, readOffer } from '#src/accounts/people/accept-invitation.ts';
import { limitTokens } from '#src/accounts/people/limit-attempts.ts';
import { useOwnerLink } from '#src/accounts/people/owner-link.ts';
import { chooseWorkspace } from '#src/accounts/people/sessions.ts';
import { signUp } from '#src/accounts/people/sign-up.ts';
import { renameWorkspace } from '#src/accounts/workspaces.ts';
import { signInNow } from '#src/api/ask-better-auth.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  linkToken,
  newPassword,
  personEmail,
  presentNewSession,
  presentSession,
  requireSession,
  sessionReply,
} from '#src/api/session-reply.ts';
import { explainNoSeat } from '#src/billing/plans.ts';
import { displayName } from '#src/platform/display-name.ts';
import { Problem } from '#src/platform/errors.ts';
import { ROLES } from '#src/tables/accounts.ts';

const JOIN = { tag: 'Sign-in', family: 'platform', scope: 'public', method: 'POST' } as const;
const newPerson = { name: displayName, email: personEmail, password: newPassword };

/** How people come to be: by the owner link, by an invitation, or by signing up. */
export const joinRoutes: Route[] = [
  defineRoute({
    ...JOIN,
    path: '/session/owner',
    summary: 'Become an operator with the owner link',
    description:
      "The link is printed when the service starts without an owner, and by npx millrace owner-link. It works once, for 24 hours. Whoever signs in to the operator's workspace with the address already gets the new password, and their sessions end.",
    body: z.object({
      token: linkToken,
      ...newPerson,
      workspace_name: displayName.nullish().describe('A new name of the operator’s workspace.'),
    }),
    reply: sessionReply,
    errors: ['CONFLICT', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { token, name, email, password } = body;
      await limitTokens(services.db, clientAddress);
      const passwordHash = await services.signIn.hashPassword(password);
      await useOwnerLink(services.db, token, { name, email, passwordHash });
      const workspaceId = await findBootstrapWorkspace(services.db);
      if (body.workspace_name && workspaceId !== null) {
        await renameWorkspace(services.db, workspaceId, body.workspace_name);
      }
      const asker = { headers, clientAddress };
      return presentNewSession(services, await signInNow(services, { email, password }, asker));
    },
  }),
  defineRoute({
    ...JOIN,
    path: '/session/sign-up',
    summary: 'Sign up, with a workspace of your own',
    description: 'Where SIGN_UP=open; otherwise 403. The workspace is on the default plan.',
    body: z.object({ ...newPerson, workspace_name: displayName }),
    reply: sessionReply,
    errors: ['CONFLICT', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { db, config } = services;
      if (config.SIGN_UP !== 'open') {
        throw new Problem(
          'UNAUTHORIZED',
          'Nobody can sign up here. Ask an admin of a workspace to invite you.',
        );
      }
      const { name, email, password, workspace_name: workspaceName } = body;
      await limitTokens(db, clientAddress);
      const passwordHash = await services.signIn.hashPassword(password);
      const workspace = { name: workspaceName, planTier: config.DEFAULT_PLAN };
      await signUp(db, { name, email, passwordHash }, workspace);
      const asker = { headers, clientAddress };
      return presentNewSession(services, await signInNow(services, { email, password }, asker));
    },
  }),
  defineRoute({
    ...JOIN,
    path: '/session/invitation',
    summary: 'What an invitation offers',
    body: z.object({ token: linkToken }),
    reply: z.object({
      email: z.string(),
      role: z.enum(ROLES),
      workspace_name: z.string(),
      expires_at: z.iso.datetime(),
      has_account: z.boolean().describe('True: sign in with the address before you accept.'),
    }),
    errors: ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services: { db }, body, clientAddress }) {
      await limitTokens(db, clientAddress);
      const offer = await readOffer(db, body.token);
      return {
        email: offer.email,
        role: offer.role,
        workspace_name: offer.workspaceName,
        expires_at: offer.expiresAt.toISOString(),
        has_account: offer.hasAccount,
      };
    },
  }),
  defineRoute({
    ...JOIN,
    path: '/session/invitation/accept',
    summary: 'Accept an invitation',
    description:
      'A new person gives a name and a password. One who has an account must be signed in with it. The session then acts in the new workspace.',
    body: z.object({
      token: linkToken,
      name: displayName.optional(),
      password: newPassword.optional(),
    }),
    reply: sessionReply,
    errors: ['CONFLICT', 'UNAUTHENTICATED', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { db, signIn } = services;
      const { token, name, password } = body;
      await limitTokens(db, clientAddress);
      const session = await signIn.findSession(headers.cookie);
      const isComplete = name !== undefined && password !== undefined;
      const passwordHash = isComplete ? await signIn.hashPassword(password) : null;
      const person = passwordHash === null || !isComplete ? null : { name, passwordHash };
      const accepting = { session, newPerson: person };
      const joined = await acceptInvitation(db, token, accepting, explainNoSeat);
      if (joined.newEmail !== null && password !== undefined) {
        const login = { email: joined.newEmail, password };
        return presentNewSession(
          services,
          await signInNow(services, login, { headers, clientAddress }),
        );
      }
      await chooseWorkspace(db, await requireSession(services, headers), joined.workspaceId);
      return presentSession(services, await requireSession(services, headers));
    },
  }),
];
