import { findThing, listAllThings, type RestApi } from '#src/connectors/source/rest-listing.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { type GitlabProject, gitlabProject } from './gitlab-api.ts';
import type { GitlabSettings } from './gitlab-settings.ts';

/** A project chosen by the settings. */
export interface ChosenProject {
  /** Runs read projects in key order, and resume after the key of the last one. */
  key: string;
  /**
   * @throws SourceRefused when the token cannot see the project (any more)
   */
  open: () => Promise<GitlabProject>;
}

/** Whether there is only one project, so that a refusal applies to the run as a whole. */
export function isSingle({ projects, group }: GitlabSettings): boolean {
  return group === null && (projects === null || projects.length === 1);
}

/**
 * In key order.
 * @throws SourceRefused when the token cannot see the group
 */
export async function chosenProjects(
  gitlab: RestApi,
  settings: GitlabSettings,
): Promise<ChosenProject[]> {
  if (settings.group !== null) {
    const found = await listGroupProjects(gitlab, settings.group);
    return found.map((project) => ({ key: groupKey(project), open: async () => project }));
  }
  return namedPaths(settings).map((path) => ({
    key: path.toLowerCase(),
    open: () => getProject(gitlab, path),
  }));
}

function namedPaths({ project_owner, project_name, projects }: GitlabSettings): string[] {
  const named = projects ?? [`${project_owner ?? ''}/${project_name ?? ''}`];
  const paths = new Map(named.map(tidyPath).map((path) => [path.toLowerCase(), path]));
  return [...paths].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, path]) => path);
}

/** A renamed project keeps its numeric id. */
function groupKey({ id }: GitlabProject): string {
  return String(id).padStart(MAX_ID_DIGITS, '0');
}

const MAX_ID_DIGITS = 16;

/** https://docs.gitlab.com/api/projects/#get-a-single-project */
async function getProject(gitlab: RestApi, path: string): Promise<GitlabProject> {
  const found = await findThing(gitlab, `/projects/${encodeURIComponent(path)}`, gitlabProject);
  if (found) return found;
  throw new SourceRefused(`The project ${path} does not exist, or the token cannot see it.`, {
    status: 404,
  });
}

/** Includes those of subgroups; https://docs.gitlab.com/api/groups/#list-projects */
async function listGroupProjects(gitlab: RestApi, group: string): Promise<GitlabProject[]> {
  const path = tidyPath(group);
  const query = {
    include_subgroups: 'true',
    // Projects that other groups share with this one belong to those groups.
    with_shared: 'false',
    order_by: 'id',
    sort: 'asc',
  };
  try {
    const groupPath = `/groups/${encodeURIComponent(path)}/projects`;
    const listed = await listAllThings(gitlab, groupPath, gitlabProject, query);
    const lasting = listed.filter((one) => !one.marked_for_deletion_on);
    // A project that is added or removed between two pages shifts the others: some are then listed twice.
    const byKey = new Map(lasting.map((one) => [groupKey(one), one]));
    return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  } catch (error) {
    if (!(error instanceof SourceRefused) || error.status !== 404) throw error;
    throw new SourceRefused(`The group ${path} does not exist, or the token cannot see it.`, {
      status: 404,
      cause: error,
    });
  }
}

function tidyPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .join('/');
}
