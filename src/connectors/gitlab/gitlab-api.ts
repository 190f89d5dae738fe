import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { GitlabCredential, GitlabSettings } from './gitlab-settings.ts';
import { findThing, type RestApi } from '#src/connectors/source/rest-listing.ts';
import { SourceRefused } from '#src/connectors/source-errors.ts';
import type { SourceHabits, SourceHttp } from '#src/connectors/source-http.ts';

const project = z.object({
  id: z.number(),
  path_with_namespace: z.string(),
  web_url: z.string(),
  default_branch: z.string().nullish(),
  empty_repo: z.boolean().nullish(),
  issues_access_level: z.string().nullish(),
  /** In versions without access levels, and for tokens that are not shown them. */
  issues_enabled: z.boolean().nullish(),
  merge_requests_enabled: z.boolean().nullish(),
  merge_requests_access_level: z.string().nullish(),
  repository_access_level: z.string().nullish(),
});
export type GitlabProject = z.infer<typeof project>;

/**
 * Tokens, limits and paging as documented in https://docs.gitlab.com/api/rest/authentication/,
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ and https://docs.gitlab.com/api/rest/#pagination.
 */
export function openGitlab(http: SourceHttp, credential: GitlabCredential): RestApi {
  const { gitlab_url, gitlab_access_token } = credential;
  const habits: SourceHabits = {
    headers: { 'private-token': gitlab_access_token },
    // A token without the scope stays without it; other 403s are about a single thing.
    rejected: ({ status, bytes }) => status === 403 && bytes.includes('insufficient_scope'),
    waitMs: gitlabWaitMs,
  };
  const url = new URL(gitlab_url);
  const path = withoutLastSlashes(url.pathname).replace(/\/api\/v4$/, '');
  return { http: http.withHabits(habits), base: `${url.origin}${path}/api/v4` };
}

/** https://docs.gitlab.com/api/projects/ @throws SourceRefused when the token sees no such project */
export async function getProject(
  gitlab: RestApi,
  { project_owner, project_name }: GitlabSettings,
): Promise<GitlabProject> {
  const path = [...project_owner.split('/'), ...project_name.split('/')]
    .filter((part) => part !== '')
    .join('/');
  const found = await findThing(gitlab, `/projects/${encodeURIComponent(path)}`, project);
  if (found) return found;
  throw new SourceRefused(`The project ${path} does not exist, or the token cannot see it.`, {
    status: 404,
  });
}

/** `Retry-After` where there is one is heeded without this; older versions send only `RateLimit-Reset`. */
function gitlabWaitMs({ status, headers }: OutboundResponse, nowMs: number): number | null {
  if (status !== 429 || headers.has('retry-after')) return null;
  const resetMs = Number(headers.get('ratelimit-reset') ?? Number.NaN) * 1_000;
  return Number.isFinite(resetMs) ? Math.max(1_000, resetMs + 1_000 - nowMs) : null;
}
