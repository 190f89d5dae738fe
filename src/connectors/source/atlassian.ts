import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { SourceHabits, SourceHttp } from './source-http.ts';

/** The host for requests with scoped API tokens. */
export const ATLASSIAN_GATEWAY = 'https://api.atlassian.com';

export interface AtlassianCredential {
  /** Null for Data Center's personal access tokens. */
  user: string | null;
  token: string;
}

const ERROR = z.object({
  errorMessages: z.array(z.string()).nullish().catch(null),
  errors: z.record(z.string(), z.unknown()).nullish().catch(null),
  message: z.string().nullish().catch(null),
  error: z.string().nullish().catch(null),
});

/**
 * What Jira and Confluence have in common.
 * https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/
 * https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
 * https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html
 */
export function atlassianHabits({ user, token }: AtlassianCredential): SourceHabits {
  const basic = Buffer.from(`${user ?? ''}:${token}`).toString('base64');
  return {
    headers: {
      authorization: user === null ? `Bearer ${token}` : `Basic ${basic}`,
      accept: 'application/json',
      // Without it, some Data Center versions reject a POST as cross-site request forgery.
      'x-atlassian-token': 'no-check',
    },
    rejected: isLoginRefused,
    waitMs: resetWaitMs,
    words: errorWords,
  };
}

/**
 * Whether the site reports a failed login. Old Data Center versions answer 403 after too many wrong passwords (and
 * ask for a CAPTCHA), and some calls answer 200 with what an anonymous visitor may see.
 * https://developer.atlassian.com/server/jira/platform/basic-authentication/
 */
function isLoginRefused(response: OutboundResponse): boolean {
  const reason = response.headers.get('x-seraph-loginreason') ?? '';
  return /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED|AUTHORISATION_FAILED/.test(reason);
}

/** `X-RateLimit-Reset` holds a time. `Retry-After`, if present, is honoured elsewhere. */
function resetWaitMs({ status, headers }: OutboundResponse, nowMs: number): number | null {
  if (status !== 429 || headers.has('retry-after')) return null;
  const reset = Date.parse(headers.get('x-ratelimit-reset') ?? '');
  if (!Number.isNaN(reset)) return Math.max(1_000, reset - nowMs);
  const interval = Number(headers.get('x-ratelimit-interval-seconds'));
  return interval > 0 ? interval * 1_000 : null;
}

function errorWords(response: OutboundResponse): string | null {
  if (isLoginRefused(response)) {
    return `This account was not logged in (${response.headers.get('x-seraph-loginreason')}). Check the token; after many wrong ones, sign in with a browser once.`;
  }
  const { data } = ERROR.safeParse(parseJson(response.text()));
  if (!data) return null;
  const fieldWords = Object.entries(data.errors ?? {})
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([field, words]) => `${field}: ${words}`);
  const words = [...(data.errorMessages ?? []), ...fieldWords];
  if (words.length === 0) words.push(data.message ?? data.error ?? '');
  return words.join(' ').trim() || null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const TENANT = z.object({ cloudId: z.string().min(1) });

/**
 * The gateway URL of a site, for scoped tokens.
 * https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/
 */
export async function gatewayBase(
  http: SourceHttp,
  origin: string,
  product: 'jira' | 'confluence',
  gateway: string,
): Promise<string> {
  const { data } = await http.json({ url: `${origin}/_edge/tenant_info` }, TENANT);
  return `${gateway}/ex/${product}/${encodeURIComponent(data.cloudId)}`;
}

/** A user's input as the URL of a site; null when it is not one. */
export function siteUrl(text: string): URL | null {
  const address = text.includes('://') ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  const isSite =
    url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isSite ? url : null;
}
