import { z } from 'zod';
import { deletePerson } from '#src/accounts/people/delete-person.ts';
import { limitSignIn } from '#src/accounts/people/limit-attempts.ts';
import {
  chooseWorkspace,
  endOtherSessions,
  endSession,
  findCaller,
  hasPassword,
  listSessions,
  renamePerson,
} from '#src/accounts/people/sessions.ts';
import { signInNow } from '#src/api/ask-better-auth.ts';
import { withStatus } from '#src/api/reply.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { presentSession, requireSession, sessionReply } from '#src/api/session-reply.ts';
import { displayName } from '#src/platform/display-name.ts';
import { Problem } from '#src/platform/errors.ts';

/** The session is identified here and not by the scope: it need not act in a workspace. */
const SESSION = { tag: 'Sign-in', family: 'platform', scope: 'public' } as const;
const REFUSED = ['UNAUTHENTICATED', 'UNAUTHORIZED'] as const;

/** How fresh a session must be where no password can be asked for. */
const FRESH_MS = 10 * 60_000;

export const sessionRoutes: Route[] = [
  defineRoute({
    ...SESSION,
    method: 'GET',
    path: '/session',
    summary: 'Who is signed in, and in which workspace',
    description: 'Prolongs the session, at most once an hour, and then renews its cookie.',
    reply: sessionReply,
    errors: ['UNAUTHENTICATED'],
    async handle({ services, headers }) {
      const session = await requireSession(services, headers);
      const reply = await presentSession(services, session);
      const caller = await findCaller(services.db, session);
      if (caller !== null) {
        const login = { action: 'login', sourceId: null, oncePerDay: true } as const;
        services.pointsAwarder.submit({ ...caller, ...login });
      }
      const cookies = await services.signIn.prolong(headers.cookie ?? '');
      return withStatus(200, reply, cookies.length > 0 ? { 'Set-Cookie': cookies } : {});
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'PUT',
    path: '/session/workspace',
    summary: 'Choose the workspace in which the session acts',
    body: z.object({ workspace_id: z.string() }),
    reply: sessionReply,
    errors: [...REFUSED, 'NOT_FOUND'],
    async handle({ services, body, headers }) {
      const session = await requireSession(services, headers);
      await chooseWorkspace(services.db, session, body.workspace_id);
      return presentSession(services, await requireSession(services, headers));
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'PATCH',
    path: '/session/person',
    summary: 'Change your name',
    description: 'The display name in each workspace stays; PATCH /account changes it.',
    body: z.object({ name: displayName }),
    reply: sessionReply,
    errors: REFUSED,
    async handle({ services, body, headers }) {
      const { person } = await requireSession(services, headers);
      await renamePerson(services.db, person.id, body.name);
      return presentSession(services, await requireSession(services, headers));
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'DELETE',
    path: '/session/person',
    summary: 'Delete yourself: your sign-in and your user account in every workspace',
    description:
      'As when an admin removes you from each of them. Needs your password; one who has none must have signed in within ten minutes. 409 while you own a workspace or are its last admin.',
    body: z.object({ password: z.string().max(128).optional() }),
    reply: z.object({ status: z.literal('deleted') }),
    errors: [...REFUSED, 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { db, clock } = services;
      const { id, person, createdAt } = await requireSession(services, headers);
      if (await hasPassword(db, person.id)) {
        await limitSignIn(db, person.email, clientAddress);
        const login = { email: person.email, password: body.password ?? '' };
        await signInNow(services, login, { headers: {}, clientAddress });
      } else if (clock().getTime() - createdAt.getTime() > FRESH_MS) {
        throw new Problem(
          'UNAUTHORIZED',
          'This needs a session that is younger than ten minutes. Sign out, sign in, and try again.',
        );
      }
      await deletePerson(db, person.id);
      services.log.info({ sessionId: id }, 'a person deleted themselves');
      return { status: 'deleted' as const };
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'GET',
    path: '/session/sessions',
    summary: 'List your sessions, the newest first',
    reply: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          created_at: z.iso.datetime(),
          last_used_at: z.iso.datetime().describe('To the hour.'),
          expires_at: z.iso.datetime(),
          ip_address: z.string().nullable(),
          user_agent: z.string().nullable(),
          is_current: z.boolean(),
        }),
      ),
    }),
    errors: ['UNAUTHENTICATED'],
    async handle({ services, headers }) {
      const current = await requireSession(services, headers);
      const sessions = await listSessions(services.db, current.person.id);
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
          ip_address: session.ipAddress,
          user_agent: session.userAgent,
          is_current: session.id === current.id,
        })),
      };
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'DELETE',
    path: '/session/sessions',
    summary: 'End all your sessions but this one, at once',
    reply: z.object({ status: z.literal('deleted'), count: z.int() }),
    errors: REFUSED,
    async handle({ services, headers }) {
      const session = await requireSession(services, headers);
      return { status: 'deleted' as const, count: await endOtherSessions(services.db, session) };
    },
  }),
  defineRoute({
    ...SESSION,
    method: 'DELETE',
    path: '/session/sessions/{id}',
    summary: 'End one of your sessions, at once',
    params: z.object({ id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    errors: [...REFUSED, 'NOT_FOUND'],
    async handle({ services, params, headers }) {
      const { person } = await requireSession(services, headers);
      await endSession(services.db, person.id, params.id);
      return { status: 'deleted' as const, id: params.id };
    },
  }),
];
