import type { ConnectorContext, ConnectorPage } from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import type { GitlabProject } from './gitlab-api.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import {
  findGitlabFile,
  gitlabFiles,
  gitlabFileUrl,
  headCommit,
  listGitlabFiles,
} from './gitlab-files.ts';
import {
  findGitlabIssue,
  gitlabIssueDocument,
  gitlabIssueId,
  type IssueKind,
  isStateWanted,
  listGitlabIssues,
} from './gitlab-issues.ts';
import { isKindRead } from './gitlab-poll.ts';
import { chosenProjects, isSingle } from './gitlab-projects.ts';
import type { GitlabSettings } from './gitlab-settings.ts';
import { mergePages, type PagePart } from '#src/connectors/source/merge-pages.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { readRepositoryFiles, skipReason } from '#src/connectors/source/repository-file.ts';
import {
  readUpdated,
  type UpdatedCursor,
  updatedSince,
} from '#src/connectors/source/updated-order.ts';

const FETCHED_AGAIN_PER_PAGE = 50;
const KINDS: readonly IssueKind[] = ['issues', 'merge_requests'];

/** @throws when a project, or any part of one, cannot be listed */
export async function* listGitlabIds(
  gitlab: RestApi,
  settings: GitlabSettings,
): AsyncGenerator<string[]> {
  for (const { open } of await chosenProjects(gitlab, settings)) {
    yield* listProjectIds(gitlab, settings, await open());
  }
}

async function* listProjectIds(
  gitlab: RestApi,
  settings: GitlabSettings,
  project: GitlabProject,
): AsyncGenerator<string[]> {
  for (const kind of KINDS) {
    if (isKindRead(kind, settings, project)) yield* listKindIds(gitlab, settings, project, kind);
  }
  const ref = settings.include_code_files ? await headCommit(gitlab, project) : null;
  if (ref === null) return;
  let page: Record<string, string> | null = {};
  while (page) {
    const files: Awaited<ReturnType<typeof listGitlabFiles>> = await listGitlabFiles(
      gitlab,
      project,
      ref,
      page,
    );
    yield files.things.filter((file) => skipReason(file) === null).map(({ url }) => url);
    page = files.next;
  }
}

async function* listKindIds(
  gitlab: RestApi,
  { state_filter }: GitlabSettings,
  project: GitlabProject,
  kind: IssueKind,
): AsyncGenerator<string[]> {
  const readIssues = async (from: UpdatedCursor) =>
    readUpdated(from, async (since, page) =>
      listGitlabIssues(gitlab, project, kind, state_filter, since, page),
    );
  let cursor: UpdatedCursor | null = updatedSince(null);
  while (cursor) {
    const read: Awaited<ReturnType<typeof readIssues>> = await readIssues(cursor);
    yield read.things
      .filter((thing) => isStateWanted(thing, state_filter))
      .map((thing) => gitlabIssueId(project, kind, thing));
    cursor = read.next;
  }
}

/** Document ids are the URLs that people use, and say what to request. */
export async function* fetchGitlabAgain(
  gitlab: RestApi,
  settings: GitlabSettings,
  documentIds: readonly string[],
  context: ConnectorContext,
): AsyncGenerator<Omit<ConnectorPage<unknown>, 'checkpoint'>> {
  const opened = await openChosen(gitlab, settings);
  for (let start = 0; start < documentIds.length; start += FETCHED_AGAIN_PER_PAGE) {
    const ids = documentIds.slice(start, start + FETCHED_AGAIN_PER_PAGE);
    const { results, failures } = await fetchEach(
      ids,
      (id) => id,
      async (id) => {
        const project = projectOf(opened, id);
        return project ? fetchOne(gitlab, settings, project, id, context) : { removed: [id] };
      },
    );
    yield mergePages([{ failures }, ...results], 'documents that failed before');
  }
}

interface OpenedProjects {
  projects: GitlabProject[];
  /** Why other projects are missing. */
  refusal: SourceRefused | null;
}

async function openChosen(gitlab: RestApi, settings: GitlabSettings): Promise<OpenedProjects> {
  const opened: OpenedProjects = { projects: [], refusal: null };
  for (const { open } of await chosenProjects(gitlab, settings)) {
    try {
      opened.projects.push(await open());
    } catch (error) {
      if (!(error instanceof SourceRefused) || isSingle(settings)) throw error;
      opened.refusal = error;
    }
  }
  return opened;
}

/**
 * Null when the project was renamed, or other projects have been chosen since.
 * @throws SourceRefused when the document may belong to a project that cannot be opened
 */
function projectOf({ projects, refusal }: OpenedProjects, id: string): GitlabProject | null {
  const project = projects.find(({ web_url }) => id.startsWith(`${web_url}/-/`));
  if (project) return project;
  if (refusal) throw refusal;
  return null;
}

async function fetchOne(
  gitlab: RestApi,
  settings: GitlabSettings,
  project: GitlabProject,
  id: string,
  context: ConnectorContext,
): Promise<PagePart> {
  const files = gitlabFileUrl(project, '');
  if (id.startsWith(files)) {
    const path = decodeURIComponent(id.slice(files.length));
    const file = settings.include_code_files ? await findGitlabFile(gitlab, project, path) : null;
    if (!file) return { removed: [id] };
    return readRepositoryFiles([file], gitlabFiles(gitlab, project), context);
  }
  const rest = id.slice(project.web_url.length);
  const [, name, iid] = /^\/-\/(issues|merge_requests)\/(\d+)$/.exec(rest) ?? [];
  if (!name || !iid) return { removed: [id] };
  const kind = name === 'merge_requests' ? name : 'issues';
  const found = isKindRead(kind, settings, project)
    ? await findGitlabIssue(gitlab, project, kind, iid)
    : null;
  if (!found || !isStateWanted(found, settings.state_filter)) {
    return { removed: [id] };
  }
  return { documents: [await gitlabIssueDocument(gitlab, project, kind, found)] };
}
