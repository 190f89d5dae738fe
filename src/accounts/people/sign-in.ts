import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { ExplainNoSeat } from '#src/accounts/members.ts';
import type { PersonId, WorkspaceId } from '#src/ids.ts';
import { baseUrlOf, withoutLastSlashes } from '#src/platform/base-url.ts';
import type { Config } from '#src/platform/config.ts';
import type { Database } from '#src/platform/database.ts';
import { acceptAllFor, isInvited } from './accept-invitation.ts';
import type { BetterAuth, OidcSettings, PersonSession } from './better-auth.ts';
import { forgiveAccount, takeAttempt, takeMail } from './limit-attempts.ts';
import { linkTo } from './link-token.ts';
import { resetMail } from './mails.ts';
import { findLatestWorkspace, pruneExpired } from './sessions.ts';
import { hasCookie, type SessionCookie, sessionCookieOf } from './session-cookie.ts';
import { createOwnWorkspace } from './sign-up.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Mail of the service itself, through a sender account of the operator. */
export interface ServiceMail {
  canSend(): Promise<boolean>;
  /** False when it was not sent. */
  send(mail: Mail): Promise<boolean>;
}

/** Sessions and passwords of people. */
export interface SignIn {
  readonly cookie: SessionCookie;
  readonly mail: ServiceMail;
  /** The session that a `Cookie` header carries; null without a valid one. */
  findSession(cookies: string | undefined): Promise<PersonSession | null>;
  readonly answer: BetterAuth['answer'];
  readonly signIn: BetterAuth['signIn'];
  readonly prolong: BetterAuth['prolong'];
  readonly hashPassword: BetterAuth['hashPassword'];
}

export interface SignInSettings {
  config: Pick<
    Config,
    | 'DEFAULT_PLAN'
    | 'HOST'
    | 'OIDC_CLIENT_ID'
    | 'OIDC_CLIENT_SECRET'
    | 'OIDC_ISSUER'
    | 'PORT'
    | 'PUBLIC_URL'
    | 'SIGN_UP'
  >;
  db: Database;
  log: Logger;
  /** The key that seals now. */
  encryptionKey: Buffer;
  mail: ServiceMail;
  explainNoSeat: ExplainNoSeat;
}

/** Loads better-auth, which takes half a second, only when somebody signs in. */
export function openSignIn(settings: SignInSettings): SignIn {
  const baseUrl = baseUrlOf(settings.config);
  const cookie = sessionCookieOf(baseUrl);
  let opened: Promise<BetterAuth> | undefined;
  const open = (): Promise<BetterAuth> => (opened ??= load(settings, baseUrl));
  return {
    cookie,
    mail: settings.mail,
    async findSession(cookies) {
      if (cookies === undefined || !hasCookie(cookies, cookie)) return null;
      return (await open()).readSession(cookies);
    },
    answer: async (request) => (await open()).answer(request),
    signIn: async (login, headers) => (await open()).signIn(login, headers),
    prolong: async (cookies) => (await open()).prolong(cookies),
    hashPassword: async (password) => (await open()).hashPassword(password),
  };
}

async function load(settings: SignInSettings, baseUrl: string): Promise<BetterAuth> {
  const { db, log, config, mail } = settings;
  const { openBetterAuth } = await import('./better-auth.ts');
  return openBetterAuth({
    db,
    log,
    baseUrl,
    secret: secretOf(settings.encryptionKey),
    oidc: oidcOf(config),
    sendResetToken(person, token) {
      const link = linkTo(baseUrl, 'reset-password', token);
      const send = async (): Promise<void> => {
        if (!(await takeMail(db, person.email))) return;
        await mail.send(resetMail(person, link));
      };
      // Not awaited: the time would tell whether the address is known.
      send().catch((error: unknown) => log.error({ err: error }, 'a reset link was not mailed'));
    },
    passwordWasReset: (email) => forgiveAccount(db, email),
    whyNotJoin: async ({ email, isVerified }) =>
      config.SIGN_UP === 'open' || (isVerified && (await isInvited(db, email)))
        ? null
        : 'not_invited',
    chooseWorkspace: (personId) => chooseFirstWorkspace(settings, personId),
    takeAttempt: (key, limit) => takeAttempt(db, key, limit),
  });
}

/** HKDF (RFC 5869): what signs cookies tells nothing about the key that seals secrets. */
function secretOf(encryptionKey: Buffer): string {
  const derived = hkdfSync('sha256', encryptionKey, '', 'millrace sign-in', 32);
  return Buffer.from(derived).toString('base64url');
}

function oidcOf({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
}: SignInSettings['config']): OidcSettings | null {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer: withoutLastSlashes(issuer), clientId, clientSecret };
}

/** A person from a provider has no workspace at first: invitations give them one, or open sign-up does. */
async function chooseFirstWorkspace(
  { db, config, explainNoSeat }: SignInSettings,
  personId: PersonId,
): Promise<WorkspaceId | null> {
  await pruneExpired(db);
  const known = await findLatestWorkspace(db, personId);
  if (known !== null) return known;
  const person = await db
    .selectFrom('person')
    .select(['id', 'name', 'email', 'email_verified'])
    .where('id', '=', personId)
    .executeTakeFirst();
  if (!person) return null;
  if (person.email_verified) await acceptAllFor(db, person, explainNoSeat);
  const joined = await findLatestWorkspace(db, personId);
  if (joined !== null || config.SIGN_UP !== 'open') return joined;
  await createOwnWorkspace(db, person, config.DEFAULT_PLAN);
  return findLatestWorkspace(db, personId);
}
