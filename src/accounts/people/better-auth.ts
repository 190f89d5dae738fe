import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import type { Logger } from 'pino';
import type { PersonId, PersonSessionId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, OIDC_PROVIDER, PASSWORD_LENGTH } from './auth-paths.ts';
import { sessionCookieOf } from './session-cookie.ts';

const DAY_SECONDS = 86_400;
const SESSION_SECONDS = 7 * DAY_SECONDS;
/** A session in use is prolonged this often. */
const PROLONG_SECONDS = 3_600;
const RESET_SECONDS = 3_600;

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface AuthSettings {
  db: Database;
  log: Logger;
  /** Signs cookies. */
  secret: string;
  /** Where browsers reach the service, without a trailing slash. */
  baseUrl: string;
  oidc: OidcSettings | null;
  /** Mails a token to its owner; must not throw or take long. */
  sendResetToken(person: { name: string; email: string }, token: string): void;
  passwordWasReset(email: string): Promise<void>;
  /** The error code for a provider's person who may not become one of ours, or null. */
  whyNotJoin(person: { email: string; isVerified: boolean }): Promise<string | null>;
  /** Where a new session of the person begins; null when the person must not sign in. */
  chooseWorkspace(personId: PersonId): Promise<WorkspaceId | null>;
  /** Counts a request to a path by a client. */
  takeAttempt(
    key: string,
    limit: { max: number; seconds: number },
  ): Promise<{ allowed: boolean; retryAfterSeconds: number }>;
}

/** A session that is valid now. */
export interface PersonSession {
  readonly id: PersonSessionId;
  readonly workspaceId: WorkspaceId | null;
  readonly createdAt: Date;
  readonly person: { readonly id: PersonId; readonly name: string; readonly email: string };
}

export interface BetterAuth {
  /** Serves one of its endpoints. */
  answer(request: Request): Promise<Response>;
  /** Signs in without a limit, for a caller that has just proved who it is. */
  signIn(login: { email: string; password: string }, headers: Headers): Promise<Response>;
  /** Null without a valid session. Writes nothing. */
  readSession(cookies: string): Promise<PersonSession | null>;
  /** Prolongs a session in use, once an hour. @returns cookies to set */
  prolong(cookies: string): Promise<string[]>;
  hashPassword(password: string): Promise<string>;
}

/** The only file that knows better-auth: settings in, sessions out. Its tables are created by our migrations. */
export function openBetterAuth(settings: AuthSettings): BetterAuth {
  const { baseUrl, db, log } = settings;
  const auth = betterAuth({
    baseURL: baseUrl,
    basePath: new URL(baseUrl).pathname.replace(/\/$/, '') + AUTH_PATH,
    secret: settings.secret,
    database: { db, type: 'postgres' },
    ...TABLES,
    user: { ...TABLES.user, validateUserInfo: (identity) => vetIdentity(settings, identity) },
    emailAndPassword: passwordsOf(settings),
    plugins: settings.oidc === null ? [] : [oidcPlugin(settings.oidc)],
    onAPIError: { errorURL: `${baseUrl}/console/sign-in` },
    databaseHooks: hooksOf(settings),
    rateLimit: limitsOf(settings),
    advanced: cookiesOf(baseUrl),
    telemetry: { enabled: false },
    // Most of its errors are refusals, which the caller sees.
    logger: { log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({}, message) },
  });
  return {
    answer: (request) => auth.handler(request),
    signIn: (login, headers) => auth.api.signInEmail({ body: login, headers, asResponse: true }),
    async readSession(cookies) {
      const found = await auth.api.getSession({
        headers: new Headers({ cookie: cookies }),
        query: { disableRefresh: true },
      });
      return found === null ? null : sessionOf(found);
    },
    async prolong(cookies) {
      const headers = new Headers({ cookie: cookies });
      const { headers: answered } = await auth.api.getSession({ headers, returnHeaders: true });
      return answered.getSetCookie();
    },
    hashPassword: async (password) => (await auth.$context).password.hash(password),
  };
}

function passwordsOf(settings: AuthSettings) {
  return {
    enabled: true,
    // Persons are made with their membership: see join-workspace.ts.
    disableSignUp: true,
    minPasswordLength: PASSWORD_LENGTH.min,
    maxPasswordLength: PASSWORD_LENGTH.max,
    resetPasswordTokenExpiresIn: RESET_SECONDS,
    revokeSessionsOnPasswordReset: true,
    async sendResetPassword({ user, token }: { user: MailedPerson; token: string }) {
      settings.sendResetToken(user, token);
    },
    onPasswordReset: ({ user }: { user: MailedPerson }) => settings.passwordWasReset(user.email),
  };
}

interface MailedPerson {
  name: string;
  email: string;
}

/** Called for identities of the provider; one that is new to us needs a reason to come in. */
async function vetIdentity(
  settings: AuthSettings,
  identity: {
    user: Partial<MailedPerson> & { emailVerified?: boolean };
    source: { action: string };
  },
): Promise<{ error: string } | undefined> {
  if (identity.source.action !== 'create-user') return undefined;
  const { email = '', emailVerified: isVerified = false } = identity.user;
  const error = await settings.whyNotJoin({ email, isVerified });
  return error === null ? undefined : { error };
}

function limitsOf(settings: AuthSettings) {
  return {
    enabled: true,
    window: 60,
    max: 60,
    customRules: LIMITS,
    customStorage: {
      async consume(key: string, { window, max }: { window: number; max: number }) {
        const taken = await settings.takeAttempt(key, { max, seconds: window });
        return { allowed: taken.allowed, retryAfter: taken.retryAfterSeconds };
      },
    },
  };
}

function cookiesOf(baseUrl: string) {
  const { name, prefix, isSecure } = sessionCookieOf(baseUrl);
  return {
    database: { generateId: 'uuid', validateSchema: false },
    ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    // Named, because better-auth skips these checks when it believes to be tested.
    disableCSRFCheck: false,
    disableOriginCheck: false,
    useSecureCookies: false, // it would add another prefix
    cookiePrefix: prefix,
    defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
    cookies: { session_token: { name } },
  } as const satisfies NonNullable<BetterAuthOptions['advanced']>;
}

/** Requests per client and path. The API also limits attempts per account: see limit-attempts.ts. */
const LIMITS = {
  '/sign-in/email': { window: 60, max: 20 },
  '/sign-in/social': { window: 60, max: 20 },
  '/request-password-reset': { window: 3_600, max: 10 },
  '/reset-password': { window: 60, max: 10 },
  '/change-password': { window: 60, max: 10 },
};

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** The names of src/tables/accounts.ts. */
const TABLES = {
  user: { modelName: 'person', fields: { emailVerified: 'email_verified', ...TIMES } },
  session: {
    modelName: 'person_session',
    fields: {
      userId: 'person_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...TIMES,
    },
    additionalFields: {
      workspaceId: { type: 'string', required: false, input: false, fieldName: 'workspace_id' },
    },
    expiresIn: SESSION_SECONDS,
    updateAge: PROLONG_SECONDS,
    cookieCache: { enabled: false }, // a revoked session must end at once
  },
  account: {
    modelName: 'person_login',
    fields: {
      userId: 'person_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...TIMES,
    },
    updateAccountOnSignIn: false,
  },
  verification: {
    modelName: 'person_verification',
    fields: { expiresAt: 'expires_at', ...TIMES },
    storeIdentifier: 'hashed',
  },
} as const;

/** Tokens of the provider are of no use to us, so none is kept. */
const WITHOUT_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
};

function hooksOf(settings: AuthSettings) {
  return {
    account: {
      create: { before: async (account: object) => ({ data: { ...account, ...WITHOUT_TOKENS } }) },
    },
    session: {
      create: {
        async before(session: { userId: string }) {
          const workspaceId = await settings.chooseWorkspace(session.userId as PersonId); // of a row of person
          return workspaceId !== null && { data: { ...session, workspaceId } };
        },
      },
    },
  };
}

function oidcPlugin({ issuer, clientId, clientSecret }: OidcSettings) {
  return genericOAuth({
    config: [
      {
        providerId: OIDC_PROVIDER,
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
      },
    ],
  });
}

function sessionOf({
  session,
  user,
}: {
  session: { id: string; createdAt: Date; workspaceId?: string | null | undefined };
  user: { id: string; name: string; email: string };
}): PersonSession {
  // The ids come from rows of these tables.
  return {
    id: session.id as PersonSessionId,
    workspaceId: (session.workspaceId ?? null) as WorkspaceId | null,
    createdAt: session.createdAt,
    person: { id: user.id as PersonId, name: user.name, email: user.email },
  };
}
