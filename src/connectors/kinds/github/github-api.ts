import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { RestApi } from '#src/connectors/source/rest-listing.ts';
import type { SourceHabits, SourceHttp } from '#src/connectors/source/source-http.ts';

/** The wait that GitHub documents for when it does not state one. */
const SECONDARY_LIMIT_WAIT_MS = 60_000;

/**
 * Limits, single sign-on and paging as documented in
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api,
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and
 * https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api.
 */
export function openGithub(http: SourceHttp, base: string, token: string): RestApi {
  const habits: SourceHabits = {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    rejected: (response) => ssoUrl(response) !== null,
    waitMs: githubWaitMs,
    words: githubWords,
  };
  return { http: http.withHabits(habits), base };
}

/** The API's base URL for the installation at `webUrl`; null means github.com. */
export function githubApiBase(webUrl: string | null, publicBase: string): string {
  const url = URL.parse(webUrl ?? '');
  if (!url) return withoutLastSlashes(publicBase);
  if (url.hostname === 'github.com' || url.hostname === 'api.github.com') return publicBase;
  // GitHub Enterprise Cloud with data residency serves the API on its own host, GitHub Enterprise Server on a path.
  if (url.hostname.endsWith('.ghe.com')) return `https://api.${url.host.replace(/^api\./, '')}`;
  return `${url.origin}${withoutLastSlashes(url.pathname).replace(/\/api\/v3$/, '')}/api/v3`;
}

/** An API path with its parts URL-encoded: githubPath`/repos/${owner}/${name}`. */
export function githubPath(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/**
 * The primary limit answers 403 or 429 with no requests remaining; the secondary one with `retry-after` or only a
 * message.
 */
function githubWaitMs(response: OutboundResponse, nowMs: number): number | null {
  const { status, headers } = response;
  if (status !== 403 && status !== 429) return null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const resetMs = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1_000;
  if (headers.get('x-ratelimit-remaining') === '0' && Number.isFinite(resetMs)) {
    // The header is in whole seconds.
    return Math.max(1_000, resetMs + 1_000 - nowMs);
  }
  const isLimit = status === 429 || /rate limit|abuse detection/i.test(response.text());
  return isLimit ? SECONDARY_LIMIT_WAIT_MS : null;
}

const errorBody = z.object({ message: z.string() });

function githubWords(response: OutboundResponse): string | null {
  let message: string | null = null;
  try {
    message = errorBody.parse(JSON.parse(response.text())).message;
  } catch {
    // Not GitHub's own response: a proxy in between sent it.
  }
  const url = ssoUrl(response);
  return url
    ? `${message ?? 'Single sign-on is required.'} Authorize the token at ${url}`
    : message;
}

/** `X-GitHub-SSO: required; url=https://github.com/orgs/acme/sso?authorization_request=…` */
function ssoUrl({ status, headers }: OutboundResponse): string | null {
  if (status !== 403) return null;
  return /required;\s*url=(\S+)/.exec(headers.get('x-github-sso') ?? '')?.[1] ?? null;
}
