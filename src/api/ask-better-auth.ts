import type { IncomingHttpHeaders } from 'node:http';
import { AUTH_PATH, CLIENT_ADDRESS_HEADER } from '#src/accounts/people/auth-paths.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';
import { Problem, type ProblemCode } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { ReplyHeaders } from './reply.ts';

/** Who asks. */
export interface Asker {
  readonly headers: IncomingHttpHeaders;
  readonly clientAddress: string;
}

/** A request to an endpoint of better-auth. */
interface Question extends Asker {
  method: 'GET' | 'POST';
  /** Below `AUTH_PATH`. */
  path: string;
  search?: string;
  body?: unknown;
}

export interface AuthAnswer {
  body: unknown;
  /** Null when it does not redirect. */
  location: string | null;
  /** Cookies to set. */
  headers: ReplyHeaders;
}

/** @throws Problem when better-auth refuses */
export async function askBetterAuth(
  { signIn, config }: Pick<Services, 'config' | 'signIn'>,
  { method, path, search = '', body, ...asker }: Question,
): Promise<AuthAnswer> {
  const baseUrl = baseUrlOf(config);
  const headers = headersFor(asker, baseUrl);
  if (method === 'POST') headers.set('content-type', 'application/json');
  const request = new Request(baseUrl + AUTH_PATH + path + search, {
    method,
    headers,
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  });
  return readAnswer(await signIn.answer(request));
}

/** The `Cookie` header that a browser sends after this answer. */
export function cookiesOf({ headers }: AuthAnswer): string {
  const set = [headers['Set-Cookie'] ?? []].flat();
  return set.map((cookie) => cookie.split(';', 1)[0]).join('; ');
}

/** Signs in a person who has just proved who they are. */
export async function signInNow(
  { signIn, config }: Pick<Services, 'config' | 'signIn'>,
  login: { email: string; password: string },
  asker: Asker,
): Promise<AuthAnswer> {
  return readAnswer(await signIn.signIn(login, headersFor(asker, baseUrlOf(config))));
}

/**
 * What better-auth may know of the client. `refuseForeignPages` has checked the origin, which may differ from the
 * address that better-auth knows: that of localhost, for instance.
 */
function headersFor({ headers: sent, clientAddress }: Asker, baseUrl: string): Headers {
  const headers = new Headers({ origin: new URL(baseUrl).origin });
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress);
  if (sent.cookie !== undefined) headers.set('cookie', sent.cookie);
  if (sent['user-agent'] !== undefined) {
    headers.set('user-agent', sent['user-agent'].slice(0, 500));
  }
  return headers;
}

async function readAnswer(response: Response): Promise<AuthAnswer> {
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  const { status } = response;
  if (status >= 400) throw problemOf(response, body);
  const cookies = response.headers.getSetCookie();
  return {
    body,
    location: status >= 300 ? response.headers.get('location') : null,
    headers: cookies.length > 0 ? { 'Set-Cookie': cookies } : {},
  };
}

const CODES: Readonly<Record<number, ProblemCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_REQUEST',
  429: 'RATE_LIMIT_EXCEEDED',
};

const SENTENCES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'The e-mail address or the password is wrong.',
  INVALID_PASSWORD: 'body.currentPassword: this is not your password.',
  INVALID_TOKEN:
    'body.token: this link was used, has expired or is wrong. Ask for another password reset.',
  CREDENTIAL_ACCOUNT_NOT_FOUND:
    'You sign in without a password. Sign out and reset the password to get one.',
  FAILED_TO_CREATE_SESSION: 'You belong to no workspace. Ask an admin to invite you.',
};

function problemOf({ status, headers }: Response, body: unknown): Error {
  const { code: reason, message } = detailsOf(body);
  const code = CODES[status];
  if (code === undefined)
    return new Error(`Signing in failed with ${status}: ${reason} ${message}`);
  if (code === 'RATE_LIMIT_EXCEEDED') {
    const retryAfterSeconds = Number(headers.get('x-retry-after') ?? 60);
    const sentence = `Too many attempts. Try again in ${retryAfterSeconds} s.`;
    return new Problem(code, sentence, { retryAfterSeconds });
  }
  return new Problem(code, SENTENCES[reason] ?? (message === '' ? reason : `${message}.`));
}

function detailsOf(body: unknown): { code: string; message: string } {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown }; // an object or null
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message.replace(/\.$/, '') : '',
  };
}
