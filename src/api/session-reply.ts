import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { CALLER_SCOPES, scopesOf } from '#src/accounts/principal.ts';
import { PASSWORD_LENGTH } from '#src/accounts/people/auth-paths.ts';
import type { PersonSession } from '#src/accounts/people/better-auth.ts';
import { hasPassword, listMemberships } from '#src/accounts/people/sessions.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { ROLES } from '#src/tables/accounts.ts';
import { type AuthAnswer, cookiesOf } from './ask-better-auth.ts';
import { type JsonReply, withStatus } from './reply.ts';

const workspaceFields = { id: z.string(), name: z.string(), role: z.enum(ROLES) };

/** A session, its person and their workspaces. */
export const sessionReply = z
  .object({
    person: z.object({
      id: z.string(),
      name: z.string(),
      email: z.string(),
      has_password: z.boolean().describe('False for one who only signs in at a provider.'),
    }),
    workspace: z
      .object({
        ...workspaceFields,
        is_operator: z.boolean().describe('Whether the session may do what operators may.'),
        may: z
          .array(z.enum(CALLER_SCOPES))
          .describe('The access of the role: endpoints that require one of these are open to it.'),
      })
      .describe('The chosen one, in which the session acts.'),
    workspaces: z.array(z.object(workspaceFields)),
  })
  .meta({ id: 'Session' });

/** RFC 5321 section 4.5.3.1.3 limits an address to 254 characters. */
export const personEmail = z
  .email()
  .max(254)
  .transform((email) => email.toLowerCase());

export const newPassword = z
  .string()
  .min(PASSWORD_LENGTH.min, `must have at least ${PASSWORD_LENGTH.min} characters`)
  .max(PASSWORD_LENGTH.max, `must have at most ${PASSWORD_LENGTH.max} characters`);

/** A secret from a link. */
export const linkToken = z.string().min(1).max(200);

/** @throws Problem UNAUTHENTICATED without a valid session */
export async function requireSession(
  { signIn }: Pick<Services, 'signIn'>,
  headers: IncomingHttpHeaders,
): Promise<PersonSession> {
  const session = await signIn.findSession(headers.cookie);
  if (session !== null) return session;
  throw new Problem('UNAUTHENTICATED', 'Nobody is signed in. Sign in first.');
}

/** @throws Problem UNAUTHENTICATED when the person has just left the chosen workspace */
export async function presentSession(
  { db }: Pick<Services, 'db'>,
  { person, workspaceId }: PersonSession,
): Promise<z.input<typeof sessionReply>> {
  const memberships = await listMemberships(db, person.id);
  const chosen = memberships.find(({ id }) => id === workspaceId);
  if (!chosen) throw new Problem('UNAUTHENTICATED', 'The session is over. Sign in again.');
  const { id, name, role, isBootstrap } = chosen;
  return {
    person: { ...person, has_password: await hasPassword(db, person.id) },
    workspace: {
      id,
      name,
      role,
      is_operator: isBootstrap && role === 'admin',
      may: scopesOf(role, isBootstrap),
    },
    workspaces: memberships.map((one) => ({ id: one.id, name: one.name, role: one.role })),
  };
}

/** The session that better-auth has just begun, with its cookie. */
export async function presentNewSession(
  services: Pick<Services, 'db' | 'signIn'>,
  answer: AuthAnswer,
): Promise<JsonReply<z.input<typeof sessionReply>>> {
  const session = await requireSession(services, { cookie: cookiesOf(answer) });
  return withStatus(200, await presentSession(services, session), answer.headers);
}
