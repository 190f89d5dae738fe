import { z } from 'zod';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import { type GitlabProject } from './gitlab-api.ts';
import {
  findThing,
  type RestApi,
  listAllThings,
  listThings,
} from '#src/connectors/source/rest-listing.ts';
import type { GitlabSettings } from './gitlab-settings.ts';
import type {
  ListedPage,
  UpdatedCursor,
  UpdatedThing,
} from '#src/connectors/source/updated-order.ts';

const person = z.object({ username: z.string(), name: z.string().nullish() }).nullish();

const issue = z.object({
  iid: z.number(),
  web_url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  updated_at: z.string(),
  user_notes_count: z.number().nullish(),
  author: person,
  assignees: z.array(person).nullish(),
  labels: z.array(z.string()).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  confidential: z.boolean().nullish(),
  draft: z.boolean().nullish(),
});

const note = z.object({
  id: z.number(),
  body: z.string().nullish(),
  author: person,
  /** "changed the milestone": written by GitLab itself. */
  system: z.boolean().nullish(),
  /** Only in comments on a line of a file. */
  position: z.object({ new_path: z.string().nullish() }).nullish(),
});

export type GitlabIssue = UpdatedThing & z.infer<typeof issue>;
/** As in API paths. */
export type IssueKind = 'issues' | 'merge_requests';

/**
 * By time of change: https://docs.gitlab.com/api/issues/#list-project-issues and
 * https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
 */
export async function listGitlabIssues(
  gitlab: RestApi,
  { id }: GitlabProject,
  kind: IssueKind,
  state: GitlabSettings['state_filter'],
  since: string | null,
  page: UpdatedCursor['page'],
): Promise<ListedPage<GitlabIssue>> {
  const { things, next } = await listThings(gitlab, `/projects/${id}/${kind}`, issue, {
    scope: 'all',
    // Merge requests are either closed or merged, and the API filters by one state only.
    state: kind === 'merge_requests' && state === 'closed' ? 'all' : state,
    order_by: 'updated_at',
    sort: 'asc',
    ...(since === null ? {} : { updated_after: since }),
    ...page,
  });
  return { things: things.map(toIssue), next };
}

export async function findGitlabIssue(
  gitlab: RestApi,
  { id }: GitlabProject,
  kind: IssueKind,
  iid: string,
): Promise<GitlabIssue | null> {
  const path = `/projects/${id}/${kind}/${encodeURIComponent(iid)}`;
  const found = await findThing(gitlab, path, issue);
  return found ? toIssue(found) : null;
}

export function isStateWanted(
  { state }: GitlabIssue,
  filter: GitlabSettings['state_filter'],
): boolean {
  const isOpen = state === 'opened' || state === 'reopened' || state === 'locked';
  return filter === 'all' || (filter === 'opened') === isOpen;
}

/**
 * A stable URL: GitLab's own URL of an issue ends in `/-/issues/7` or `/-/work_items/7`, or lacks the dash, depending
 * on the version.
 */
export function gitlabIssueId(
  { web_url }: GitlabProject,
  kind: IssueKind,
  { iid }: Pick<GitlabIssue, 'iid'>,
): string {
  return `${web_url}/-/${kind}/${iid}`;
}

/** With its comments: https://docs.gitlab.com/api/notes/ */
export async function gitlabIssueDocument(
  gitlab: RestApi,
  project: GitlabProject,
  kind: IssueKind,
  found: GitlabIssue,
): Promise<ConnectorDocument> {
  const { iid, web_url: link, title, description, author, user_notes_count } = found;
  const path = `/projects/${project.id}/${kind}/${iid}/notes`;
  const order = { sort: 'asc', order_by: 'created_at' };
  const notes = user_notes_count === 0 ? [] : await listAllThings(gitlab, path, note, order);
  const sign = kind === 'issues' ? '#' : '!';
  return {
    id: gitlabIssueId(project, kind, found),
    semanticIdentifier: `${project.path_with_namespace}${sign}${iid}: ${title}`,
    title,
    sections: [
      { text: isBlank(description) ? title : description, link },
      ...notes
        .filter(({ system, body }) => !system && !isBlank(body))
        .map((each) => ({ text: noteText(each), link: `${link}#note_${each.id}` })),
    ],
    metadata: issueMetadata(found, project, kind),
    updatedAt: new Date(found.updated_at),
    primaryOwners: author ? [{ display_name: author.name ?? author.username }] : [],
    secondaryOwners: peopleOf(found).map(({ name, username }) => ({
      display_name: name ?? username,
    })),
    source: null,
  };
}

function noteText({ author, position, body }: z.infer<typeof note>): string {
  const place = position?.new_path ? ` on ${position.new_path}` : '';
  return `${author?.name ?? author?.username ?? 'Ghost User'}${place}: ${body ?? ''}`;
}

function issueMetadata(
  found: GitlabIssue,
  project: GitlabProject,
  kind: IssueKind,
): ConnectorDocument['metadata'] {
  const entries: [string, string | string[] | null | undefined][] = [
    ['object_type', kind === 'issues' ? 'issue' : 'merge_request'],
    ['project', project.path_with_namespace],
    ['state', found.state],
    ['draft', found.draft ? 'true' : null],
    ['confidential', found.confidential ? 'true' : null],
    ['author', found.author?.username],
    ['assignees', peopleOf(found).map(({ username }) => username)],
    ['labels', found.labels],
    ['milestone', found.milestone?.title],
  ];
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value && value.length > 0 ? [[key, value]] : [])),
  );
}

function peopleOf({ assignees }: GitlabIssue): NonNullable<z.infer<typeof person>>[] {
  return (assignees ?? []).flatMap((each) => each ?? []);
}

function toIssue(found: z.infer<typeof issue>): GitlabIssue {
  return { ...found, key: found.iid, updatedAt: found.updated_at };
}

function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return !text || text.trim() === '';
}
