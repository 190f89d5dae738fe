import { z } from 'zod';
import { OIDC_PROVIDER, PASSWORD_LENGTH } from '#src/accounts/people/auth-paths.ts';
import { forgiveClient, limitSignIn } from '#src/accounts/people/limit-attempts.ts';
import { hasOwner } from '#src/accounts/people/owner-link.ts';
import { chooseWorkspace, endSession } from '#src/accounts/people/sessions.ts';
import { askBetterAuth, cookiesOf } from '#src/api/ask-better-auth.ts';
import { withStatus } from '#src/api/reply.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  linkToken,
  newPassword,
  personEmail,
  presentNewSession,
  requireSession,
  sessionReply,
} from '#src/api/session-reply.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';
import type { Config } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';

const SIGN_IN = { tag: 'Sign-in', family: 'platform', scope: 'public' } as const;

/** Any text may be tried; only new passwords have rules. */
const triedPassword = z.string().max(PASSWORD_LENGTH.max);

export const signInRoutes: Route[] = [
  defineRoute({
    ...SIGN_IN,
    method: 'GET',
    path: '/session/sign-in-options',
    summary: 'How people sign in here',
    reply: z.object({
      password: z.literal(true),
      password_min_length: z.int(),
      password_reset: z.boolean().describe('Whether a reset link can be mailed.'),
      sign_up: z.boolean().describe('Whether anybody may sign up.'),
      has_owner: z.boolean().describe('False until the owner link was used.'),
      oidc: z.object({ name: z.string() }).nullable(),
    }),
    async handle({ services: { db, config, signIn } }) {
      return {
        password: true as const,
        password_min_length: PASSWORD_LENGTH.min,
        password_reset: await signIn.mail.canSend(),
        sign_up: config.SIGN_UP === 'open',
        has_owner: await hasOwner(db),
        oidc: config.OIDC_ISSUER === undefined ? null : { name: config.OIDC_NAME },
      };
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/sign-in/email',
    summary: 'Sign in with an e-mail address and a password',
    description:
      'Sets the cookie of a new session and ends the one that the request carried. A wrong address and a wrong password have the same answer. Attempts are limited per account and per client.',
    body: z.object({
      email: personEmail,
      password: triedPassword,
      rememberMe: z.boolean().default(true).describe('False: until the browser is closed.'),
    }),
    reply: sessionReply,
    errors: ['UNAUTHENTICATED', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { db, signIn } = services;
      await limitSignIn(db, body.email, clientAddress);
      const earlier = await signIn.findSession(headers.cookie);
      const answer = await askBetterAuth(services, {
        method: 'POST',
        path: '/sign-in/email',
        body,
        headers,
        clientAddress,
      });
      await forgiveClient(db, body.email, clientAddress);
      const reply = await presentNewSession(services, answer);
      if (earlier !== null) await endSession(db, earlier.person.id, earlier.id);
      return reply;
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/sign-out',
    summary: 'End the session and clear its cookie',
    reply: z.object({ success: z.literal(true) }),
    errors: ['UNAUTHORIZED'],
    async handle({ services, headers, clientAddress }) {
      const path = '/sign-out';
      const asked = { method: 'POST', path, headers, clientAddress } as const;
      const answer = await askBetterAuth(services, asked);
      return withStatus(200, { success: true as const }, answer.headers);
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/request-password-reset',
    summary: 'Mail a link that resets the password',
    description:
      'The answer is the same whether somebody signs in with the address or not. Three mails an hour go to an address. Without a verified sender account of the operator the answer is 409.',
    body: z.object({ email: personEmail }),
    reply: z.object({ status: z.literal(true), message: z.string() }),
    errors: ['CONFLICT', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      if (!(await services.signIn.mail.canSend())) {
        throw new Problem(
          'CONFLICT',
          'No mail can be sent: the operator has no verified sender account. Ask the operator for a new link: npx millrace owner-link, or an invitation.',
        );
      }
      const path = '/request-password-reset';
      await askBetterAuth(services, { method: 'POST', path, body, headers, clientAddress });
      const message = 'If somebody signs in with this address, a link is on its way to it.';
      return { status: true as const, message };
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/reset-password',
    summary: 'Choose a new password with the token of a mailed link',
    description: 'Ends all sessions of the person. The token is valid for an hour, once.',
    body: z.object({ token: linkToken, newPassword }),
    reply: z.object({ status: z.literal(true) }),
    errors: ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const path = '/reset-password';
      await askBetterAuth(services, { method: 'POST', path, body, headers, clientAddress });
      return { status: true as const };
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/change-password',
    summary: 'Change your password and end your other sessions',
    body: z.object({ currentPassword: triedPassword, newPassword }),
    reply: z.object({ status: z.literal(true) }),
    errors: ['UNAUTHENTICATED', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const path = '/change-password';
      const withEnd = { ...body, revokeOtherSessions: true };
      const asked = { method: 'POST', path, body: withEnd, headers, clientAddress } as const;
      const earlier = await requireSession(services, headers);
      // Whoever has got hold of a session alone must not find out the password by it.
      await limitSignIn(services.db, earlier.person.email, clientAddress);
      const answer = await askBetterAuth(services, asked);
      await forgiveClient(services.db, earlier.person.email, clientAddress);
      const begun = await requireSession(services, { cookie: cookiesOf(answer) });
      await chooseWorkspace(services.db, begun, earlier.workspaceId ?? '');
      return withStatus(200, { status: true as const }, answer.headers);
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'POST',
    path: '/auth/sign-in/social',
    summary: 'Begin to sign in at the OpenID Connect provider',
    body: z.object({
      provider: z.literal(OIDC_PROVIDER),
      callbackURL: z
        .string()
        .max(2_000)
        .default('/console/')
        .describe('A path of the console, to which the browser comes back.'),
    }),
    reply: z.object({ url: z.string().describe('Send the browser there.'), redirect: z.boolean() }),
    errors: ['NOT_FOUND', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, body, headers, clientAddress }) {
      const { config } = services;
      assertHasProvider(config);
      const asked = {
        provider: body.provider,
        callbackURL: consolePage(config, body.callbackURL),
        errorCallbackURL: `${baseUrlOf(config)}/console/sign-in`,
        disableRedirect: true,
      };
      const path = '/sign-in/social';
      const answer = await askBetterAuth(services, {
        method: 'POST',
        path,
        body: asked,
        headers,
        clientAddress,
      });
      const { url } = z.object({ url: z.string() }).parse(answer.body);
      return withStatus(200, { url, redirect: true }, answer.headers);
    },
  }),
  defineRoute({
    ...SIGN_IN,
    method: 'GET',
    path: '/auth/callback/{provider}',
    summary: 'Where the OpenID Connect provider sends the browser back',
    description: 'Answers 302: to the page that was asked for, or to /console/sign-in?error=….',
    params: z.object({ provider: z.literal(OIDC_PROVIDER, 'is not known') }),
    query: z.record(z.string(), z.unknown()),
    reply: z.object({ location: z.string() }),
    errors: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    async handle({ services, query, headers, clientAddress, params }) {
      assertHasProvider(services.config);
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) {
        if (typeof value === 'string') search.set(name, value);
      }
      const answer = await askBetterAuth(services, {
        method: 'GET',
        path: `/callback/${params.provider}`,
        search: `?${search.toString()}`,
        headers,
        clientAddress,
      });
      const location = answer.location ?? `${baseUrlOf(services.config)}/console/`;
      return withStatus(302, { location }, { ...answer.headers, Location: location });
    },
  }),
];

/** @throws Problem NOT_FOUND without a provider */
function assertHasProvider(config: Config): void {
  if (config.OIDC_ISSUER !== undefined) return;
  throw new Problem('NOT_FOUND', 'This service has no OpenID Connect provider (OIDC_ISSUER).');
}

/** @throws Problem BAD_REQUEST for an address outside the console, to which a sign-in must not lead */
function consolePage(config: Config, page: string): string {
  const base = baseUrlOf(config);
  const url = page.startsWith('/') ? URL.parse(base + page) : null;
  if (url?.href.startsWith(`${base}/console/`)) return url.href;
  throw new Problem(
    'BAD_REQUEST',
    'body.callbackURL: must be a path of the console, such as /console/ or /console/documents.',
  );
}
