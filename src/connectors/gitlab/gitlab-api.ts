import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { GitlabCredential, GitlabSettings } from './gitlab-settings.ts';
import { nextPage } from '#src/connectors/source/next-page.ts';
import { SourceRefused } from '#src/connectors/source-errors.ts';
import type { SourceHabits, SourceHttp } from '#src/connectors/source-http.ts';
import type { ListedPage } from '#src/connectors/source/updated-order.ts';

/** GitLab's REST API with one token. */
export interface GitlabApi {
  http: SourceHttp;
  /** Without a slash at the end. */
  base: string;
}

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

/** GitLab's own limit of a page. */
const PAGE_SIZE = 100;
/** 10,000 comments; GitLab allows 5,000 under one issue or merge request. */
const MAX_PAGES = 100;

/**
 * Tokens, limits and paging as documented in https://docs.gitlab.com/api/rest/authentication/,
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ and https://docs.gitlab.com/api/rest/#pagination.
 */
export function openGitlab(http: SourceHttp, credential: GitlabCredential): GitlabApi {
  const { gitlab_url, gitlab_access_token } = credential;
  const habits: SourceHabits = {
    headers: { 'private-token': gitlab_access_token },
    // A token without the scope stays without it; other 403s are about a single thing.
    rejected: ({ status, bytes }) => status === 403 && bytes.includes('insufficient_scope'),
    waitMs: gitlabWaitMs,
  };
  const url = new URL(gitlab_url);
  const path = url.pathname.replace(/(\/api\/v4)?\/*$/, '');
  return { http: http.withHabits(habits), base: `${url.origin}${path}/api/v4` };
}

/** https://docs.gitlab.com/api/projects/ @throws SourceRefused when the token sees no such project */
export async function getProject(
  gitlab: GitlabApi,
  { project_owner, project_name }: GitlabSettings,
): Promise<GitlabProject> {
  const path = [...project_owner.split('/'), ...project_name.split('/')]
    .filter((part) => part !== '')
    .join('/');
  const found = await findGitlab(gitlab, `/projects/${encodeURIComponent(path)}`, project);
  if (found) return found;
  throw new SourceRefused(`The project ${path} does not exist, or the token cannot see it.`, {
    status: 404,
  });
}

export async function listGitlab<Thing>(
  { http, base }: GitlabApi,
  path: string,
  item: z.ZodType<Thing>,
  query: Record<string, string>,
): Promise<ListedPage<Thing>> {
  const search = new URLSearchParams({ per_page: String(PAGE_SIZE), ...query });
  const { data, response } = await http.json(
    { url: `${base}${path}?${search.toString()}` },
    z.array(item),
  );
  return { things: data, next: nextPage(response.headers) };
}

/** All pages of a list that is short by nature. @throws SourceRefused when it is not */
export async function listAllGitlab<Thing>(
  gitlab: GitlabApi,
  path: string,
  item: z.ZodType<Thing>,
  query: Record<string, string> = {},
): Promise<Thing[]> {
  const things: Thing[] = [];
  let page: Record<string, string> | null = {};
  for (let pages = 0; page; pages += 1) {
    if (pages === MAX_PAGES) throw new SourceRefused(`${path} has more than ${MAX_PAGES} pages.`);
    const listed: ListedPage<Thing> = await listGitlab(gitlab, path, item, { ...query, ...page });
    things.push(...listed.things);
    page = listed.next;
  }
  return things;
}

/** Null when the answer is 404: gone, or not for this token. */
export async function findGitlab<Thing>(
  { http, base }: GitlabApi,
  path: string,
  schema: z.ZodType<Thing>,
): Promise<Thing | null> {
  try {
    return (await http.json({ url: `${base}${path}` }, schema)).data;
  } catch (error) {
    if (error instanceof SourceRefused && error.status === 404) return null;
    throw error;
  }
}

/** `Retry-After` where there is one is heeded without this; older versions send only `RateLimit-Reset`. */
function gitlabWaitMs({ status, headers }: OutboundResponse, nowMs: number): number | null {
  if (status !== 429 || headers.has('retry-after')) return null;
  const resetMs = Number(headers.get('ratelimit-reset') ?? Number.NaN) * 1_000;
  return Number.isFinite(resetMs) ? Math.max(1_000, resetMs + 1_000 - nowMs) : null;
}
