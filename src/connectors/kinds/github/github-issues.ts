import { z } from 'zod';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import { githubPath } from './github-api.ts';
import {
  findThing,
  type RestApi,
  listAllThings,
  listThings,
} from '#src/connectors/source/rest-listing.ts';
import type { GithubRepository } from './github-repositories.ts';
import type {
  ListedPage,
  UpdatedCursor,
  UpdatedThing,
} from '#src/connectors/source/updated-order.ts';

const person = z.object({ login: z.string() }).nullish();

const issue = z.object({
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  updated_at: z.string(),
  comments: z.number().nullish(),
  user: person,
  assignees: z.array(person).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  draft: z.boolean().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
});

const remark = z.object({
  body: z.string().nullish(),
  user: person,
  html_url: z.string().nullish(),
  /** Only in reviews. */
  state: z.string().nullish(),
  /** Only in review comments on a line of a file. */
  path: z.string().nullish(),
});

export type GithubIssue = UpdatedThing & z.infer<typeof issue>;
export type IssueState = 'all' | 'open' | 'closed';

/**
 * Issues and pull requests, which GitHub lists together, by time of change:
 * https://docs.github.com/en/rest/issues/issues#list-repository-issues
 */
export async function listIssues(
  github: RestApi,
  repository: GithubRepository,
  state: IssueState,
  since: string | null,
  page: UpdatedCursor['page'],
): Promise<ListedPage<GithubIssue>> {
  const { things, next } = await listThings(github, `${repository.path}/issues`, issue, {
    state,
    sort: 'updated',
    direction: 'asc',
    ...(since === null ? {} : { since }),
    ...page,
  });
  return { things: things.map(toIssue), next };
}

/** Null when it is gone. A transferred issue is found under its new URL. */
export async function findIssue(
  github: RestApi,
  address: { owner: string; name: string; number: string },
): Promise<GithubIssue | null> {
  const { owner, name, number } = address;
  const path = githubPath`/repos/${owner}/${name}/issues/${number}`;
  const found = await findThing(github, path, issue);
  return found ? toIssue(found) : null;
}

export function isKindWanted(
  { pull_request }: GithubIssue,
  settings: { include_prs: boolean; include_issues: boolean },
): boolean {
  return pull_request ? settings.include_prs : settings.include_issues;
}

/**
 * With its comments; a pull request also with its reviews and review comments:
 * https://docs.github.com/en/rest/issues/comments, https://docs.github.com/en/rest/pulls/reviews and
 * https://docs.github.com/en/rest/pulls/comments
 */
export async function issueDocument(
  github: RestApi,
  repository: { path: string; fullName: string },
  found: GithubIssue,
): Promise<ConnectorDocument> {
  const { number, html_url: link, title, body } = found;
  const remarks = await listRemarks(github, repository.path, found);
  const author = found.user?.login;
  return {
    id: link,
    semanticIdentifier: `${repository.fullName}#${number}: ${title}`,
    title,
    sections: [
      { text: isBlank(body) ? title : body, link },
      ...remarks.map((each) => ({ text: remarkText(each), link: each.html_url ?? link })),
    ],
    metadata: issueMetadata(found, repository.fullName),
    updatedAt: new Date(found.updated_at),
    primaryOwners: author ? [{ display_name: author }] : [],
    secondaryOwners: assigneesOf(found).map((login) => ({ display_name: login })),
    source: null,
  };
}

async function listRemarks(
  github: RestApi,
  repositoryPath: string,
  { number, comments, pull_request }: GithubIssue,
): Promise<z.infer<typeof remark>[]> {
  const paths: string[] = [];
  if (comments !== 0) paths.push(`${repositoryPath}/issues/${number}/comments`);
  if (pull_request) {
    paths.push(`${repositoryPath}/pulls/${number}/reviews`);
    paths.push(`${repositoryPath}/pulls/${number}/comments`);
  }
  const lists = [];
  for (const path of paths) lists.push(await listAllThings(github, path, remark));
  return lists.flat().filter(({ body }) => !isBlank(body));
}

function remarkText({ user, state, path, body }: z.infer<typeof remark>): string {
  const verdict = state ? ` (${state.toLowerCase().replaceAll('_', ' ')})` : '';
  const place = path ? ` on ${path}` : '';
  return `${user?.login ?? 'ghost'}${verdict}${place}: ${body ?? ''}`;
}

function issueMetadata(found: GithubIssue, repo: string): ConnectorDocument['metadata'] {
  const { pull_request, state, user, milestone, draft } = found;
  const labels = (found.labels ?? []).flatMap(
    (label) => (typeof label === 'string' ? label : label.name) ?? [],
  );
  const merged = pull_request ? String(Boolean(pull_request.merged_at)) : null;
  const entries: [string, string | string[] | null | undefined][] = [
    ['object_type', pull_request ? 'pull_request' : 'issue'],
    ['repo', repo],
    ['state', state],
    ['merged', merged],
    ['draft', draft ? 'true' : null],
    ['author', user?.login],
    ['assignees', assigneesOf(found)],
    ['labels', labels],
    ['milestone', milestone?.title],
  ];
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value && value.length > 0 ? [[key, value]] : [])),
  );
}

function assigneesOf({ assignees }: GithubIssue): string[] {
  return (assignees ?? []).flatMap((each) => each?.login ?? []);
}

function toIssue(found: z.infer<typeof issue>): GithubIssue {
  return { ...found, key: found.number, updatedAt: found.updated_at };
}

function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return !text || text.trim() === '';
}
