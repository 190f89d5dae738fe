import type { IncomingHttpHeaders } from 'node:http';
import { hasCookie, type SessionCookie } from '#src/accounts/people/session-cookie.ts';
import type { Config } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ApiMiddleware } from './context.ts';
import { presentedKey } from './presented-key.ts';
import { announcesBody } from './read-body.ts';
import { pathOf } from './request-layers.ts';

/** Media types that a form of another site cannot send, and the one of uploads, which the origin protects. */
const BODY_TYPES =
  /^(application\/([\w.-]+\+)?json|application\/x-ndjson|multipart\/form-data)\s*(;|$)/i;
/** Where signing in is protected even before there is a cookie. */
const SIGN_IN_PATHS = /^(\/api)?\/(session|auth(?!\/(type|verify)$))(\/|$)/;

/**
 * Refuses what another site makes a browser send (CSRF). Browsers add the cookie of a session by themselves, so a
 * request that it authenticates and that may change something must say that it comes from our own pages. Keys are in
 * headers that browsers never add.
 */
export function refuseForeignPages(
  cookie: SessionCookie,
  { PUBLIC_URL: publicUrl }: Pick<Config, 'PUBLIC_URL'>,
): ApiMiddleware {
  const publicOrigin = publicUrl === undefined ? null : new URL(publicUrl).origin;
  return (ctx, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(ctx.method)) return next();
    const bySession = hasCookie(ctx.headers.cookie, cookie) && presentedKey(ctx.headers) === null;
    if (!bySession && !SIGN_IN_PATHS.test(pathOf(ctx))) return next();
    const standing = originOf(ctx.headers, publicOrigin);
    if (standing === 'foreign' || (standing === 'unknown' && bySession)) {
      throw new Problem(
        'UNAUTHORIZED',
        'The request does not come from the pages of this service, as its Origin or Sec-Fetch-Site header must say when a session authenticates it. Outside a browser, send an API key.',
      );
    }
    if (announcesBody(ctx.req) && !BODY_TYPES.test(ctx.headers['content-type'] ?? '')) {
      throw new Problem(
        'UNAUTHORIZED',
        'With a session, a body needs Content-Type: application/json, or multipart/form-data where files are taken.',
      );
    }
    return next();
  };
}

/** https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site */
function originOf(
  headers: IncomingHttpHeaders,
  publicOrigin: string | null,
): 'own' | 'foreign' | 'unknown' {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'foreign';
  if (origin !== undefined) return isOwn(origin, headers.host, publicOrigin) ? 'own' : 'foreign';
  return site === undefined ? 'unknown' : 'own';
}

function isOwn(origin: string, host: string | undefined, publicOrigin: string | null): boolean {
  const parsed = URL.parse(origin);
  if (parsed === null) return false;
  // Plain http may be written by anybody on the way, so it does not speak for the https site of the same name.
  if (publicOrigin !== null && parsed.host === new URL(publicOrigin).host) {
    return parsed.origin === publicOrigin;
  }
  return parsed.host === host;
}
