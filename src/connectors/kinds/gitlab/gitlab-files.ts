import { z } from 'zod';
import { type GitlabProject } from './gitlab-api.ts';
import { findThing, type RestApi, listThings } from '#src/connectors/source/rest-listing.ts';
import type { FilesOfRepository, RepositoryFile } from '#src/connectors/source/repository-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { ListedPage } from '#src/connectors/source/updated-order.ts';

const SYMBOLIC_LINK = '120000';

const entry = z.object({
  id: z.string(),
  type: z.string(),
  path: z.string(),
  mode: z.string().nullish(),
});

/** The commit at the tip of the default branch; null when the repository is empty or closed to the token. */
export async function headCommit(gitlab: RestApi, project: GitlabProject): Promise<string | null> {
  const { id, default_branch, empty_repo, repository_access_level } = project;
  if (!default_branch || empty_repo === true || repository_access_level === 'disabled') return null;
  const path = `/projects/${id}/repository/commits/${encodeURIComponent(default_branch)}`;
  const commit = await findThing(gitlab, path, z.object({ id: z.string() }));
  if (commit) return commit.id;
  throw new SourceRefused(
    `The files of ${project.path_with_namespace} cannot be read: there is no branch ${default_branch}, or the token lacks the scope read_api or the role Reporter.`,
    { status: 404 },
  );
}

/**
 * One page of all files at a commit, with GitLab's keyset pagination, or offset pagination before version 17:
 * https://docs.gitlab.com/api/repositories/#list-repository-tree
 */
export async function listGitlabFiles(
  gitlab: RestApi,
  project: GitlabProject,
  ref: string,
  page: Record<string, string> | null,
): Promise<ListedPage<RepositoryFile>> {
  const path = `/projects/${project.id}/repository/tree`;
  const query = { ref, recursive: 'true', pagination: 'keyset', ...page };
  const { things, next } = await listThings(gitlab, path, entry, query);
  const files = things
    .filter(({ type }) => type === 'blob')
    .map((each) => fileOf(project, each.path, each.id, each.mode === SYMBOLIC_LINK));
  return { things: files, next };
}

/** One file at the tip of the default branch: https://docs.gitlab.com/api/repository_files/ */
export async function findGitlabFile(
  { http, base }: RestApi,
  project: GitlabProject,
  path: string,
): Promise<RepositoryFile | null> {
  const ref = encodeURIComponent(project.default_branch ?? 'HEAD');
  const file = `/projects/${project.id}/repository/files/${encodeURIComponent(path)}`;
  const url = `${base}${file}?ref=${ref}`;
  try {
    const { headers } = await http.send({ url, method: 'HEAD' });
    const sha = headers.get('x-gitlab-blob-id');
    if (!sha) throw new SourceRefused(`GitLab did not say which blob ${path} is.`);
    return fileOf(project, path, sha, false);
  } catch (error) {
    if (error instanceof SourceRefused && error.status === 404) return null;
    throw error;
  }
}

/**
 * Blobs are read by hash, so that content and listing agree:
 * https://docs.gitlab.com/api/repositories/#raw-blob-content
 */
export function gitlabFiles({ http, base }: RestApi, project: GitlabProject): FilesOfRepository {
  return {
    repository: project.path_with_namespace,
    branch: project.default_branch ?? '',
    async read({ sha }, maxBytes) {
      const path = `/projects/${project.id}/repository/blobs/${encodeURIComponent(sha)}/raw`;
      return (await http.send({ url: `${base}${path}`, maxBytes })).bytes;
    },
  };
}

export function gitlabFileUrl({ web_url, default_branch }: GitlabProject, path: string): string {
  const encode = (text: string) => text.split('/').map(encodeURIComponent).join('/');
  return `${web_url}/-/blob/${encode(default_branch ?? '')}/${encode(path)}`;
}

function fileOf(
  project: GitlabProject,
  path: string,
  sha: string,
  isLink: boolean,
): RepositoryFile {
  return { url: gitlabFileUrl(project, path), path, sha, bytes: null, isLink };
}
