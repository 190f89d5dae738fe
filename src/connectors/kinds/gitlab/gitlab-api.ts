import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { GitlabCredential } from './gitlab-settings.ts';
import type { RestApi } from '#src/connectors/source/rest-listing.ts';
import type { SourceHabits, SourceHttp } from '#src/connectors/source/source-http.ts';

export const gitlabProject = z.object({
  id: z.number(),
  path_with_namespace: z.string(),
  web_url: z.string(),
  default_branch: z.string().nullish(),
  empty_repo: z.boolean().nullish(),
  issues_access_level: z.string().nullish(),
  /** Set by versions without access levels, and for tokens that may not see those. */
  issues_enabled: z.boolean().nullish(),
  merge_requests_enabled: z.boolean().nullish(),
  merge_requests_access_level: z.string().nullish(),
  repository_access_level: z.string().nullish(),
  /** A date. Until the project is deleted then, it is already hidden from most users. */
  marked_for_deletion_on: z.string().nullish(),
});
export type GitlabProject = z.infer<typeof gitlabProject>;

/**
 * Tokens, limits and paging as documented in https://docs.gitlab.com/api/rest/authentication/,
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ and https://docs.gitlab.com/api/rest/#pagination.
 */
export function openGitlab(http: SourceHttp, credential: GitlabCredential): RestApi {
  const { gitlab_url, gitlab_access_token } = credential;
  const habits: SourceHabits = {
    headers: { 'private-token': gitlab_access_token },
    // A token that lacks the scope will not gain it; other 403s concern a single resource.
    rejected: ({ status, bytes }) => status === 403 && bytes.includes('insufficient_scope'),
    waitMs: gitlabWaitMs,
  };
  const url = new URL(gitlab_url);
  const path = withoutLastSlashes(url.pathname).replace(/\/api\/v4$/, '');
  return { http: http.withHabits(habits), base: `${url.origin}${path}/api/v4` };
}

/** `Retry-After` is honoured elsewhere; older versions send only `RateLimit-Reset`. */
function gitlabWaitMs({ status, headers }: OutboundResponse, nowMs: number): number | null {
  if (status !== 429 || headers.has('retry-after')) return null;
  const resetMs = Number(headers.get('ratelimit-reset') ?? Number.NaN) * 1_000;
  return Number.isFinite(resetMs) ? Math.max(1_000, resetMs + 1_000 - nowMs) : null;
}
