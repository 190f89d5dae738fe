import { z } from 'zod';
import type { ConnectorFailure } from '#src/connectors/source/connector.ts';
import { githubPath } from './github-api.ts';
import { findThing, type RestApi } from '#src/connectors/source/rest-listing.ts';
import type { GithubRepository } from './github-repositories.ts';
import type { FilesOfRepository, RepositoryFile } from '#src/connectors/source/repository-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const tree = z.object({
  sha: z.string(),
  truncated: z.boolean().nullish(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.number().nullish(),
    }),
  ),
});
type Tree = z.infer<typeof tree>;

/** GitHub truncates a listing at 100,000 entries or 7 MB. */
const MAX_TREE_BYTES = 40_000_000;
const SYMBOLIC_LINK = '120000';

export type HeadTree = { kind: 'tree'; tree: Tree } | { kind: 'empty' } | { kind: 'no-branch' };

/**
 * The whole tree of a branch or commit in one request, or as much of it as GitHub lists:
 * https://docs.github.com/en/rest/git/trees#get-a-tree
 */
export async function headTree(
  github: RestApi,
  repository: GithubRepository,
  ref: string,
): Promise<HeadTree> {
  try {
    return { kind: 'tree', tree: await getTree(github, repository, ref, true) };
  } catch (error) {
    // 409 {"message": "Git Repository is empty."}
    if (error instanceof SourceRefused && error.status === 409) return { kind: 'empty' };
    if (error instanceof SourceRefused && error.status === 404) return { kind: 'no-branch' };
    throw error;
  }
}

/** Files in path order; folder by folder where the listing was truncated. */
export async function* walkTree(
  github: RestApi,
  repository: GithubRepository,
  branch: string,
  head: Tree,
  after: string | null,
): AsyncGenerator<RepositoryFile | ConnectorFailure> {
  yield* walk(github, repository, branch, head, '', after);
}

async function* walk(
  github: RestApi,
  repository: GithubRepository,
  branch: string,
  listed: Tree,
  folder: string,
  after: string | null,
): AsyncGenerator<RepositoryFile | ConnectorFailure> {
  const whole = !listed.truncated;
  const level = whole ? listed : await getTree(github, repository, listed.sha, false);
  for (const entry of inPathOrder(level.tree)) {
    const path = `${folder}${entry.path}`;
    if (entry.type === 'tree') {
      if (whole || isBefore(`${path}/`, after)) continue;
      const below = await getTree(github, repository, entry.sha, true);
      yield* walk(github, repository, branch, below, `${path}/`, after);
    } else if (entry.type === 'blob' && (after === null || path > after)) {
      yield fileOf(repository, branch, path, entry);
    }
  }
  if (level.truncated) {
    yield {
      documentId: null,
      link: repository.webUrl,
      entityId: `${repository.fullName}/${folder}`,
      reason: 'The folder has more entries than GitHub lists.',
    };
  }
}

/** One file at the tip of a branch; null when there is none. https://docs.github.com/en/rest/repos/contents */
export async function findFile(
  github: RestApi,
  repository: GithubRepository,
  branch: string,
  path: string,
): Promise<RepositoryFile | null> {
  const content = z.object({ type: z.string(), sha: z.string(), size: z.number().nullish() });
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const found = await findThing(
    github,
    `${repository.path}/contents/${encoded}?ref=${encodeURIComponent(branch)}`,
    z.union([content, z.array(z.unknown()).transform(() => null)]),
  );
  if (!found || (found.type !== 'file' && found.type !== 'symlink')) return null;
  const mode = found.type === 'symlink' ? SYMBOLIC_LINK : '';
  return fileOf(repository, branch, path, { ...found, mode });
}

/** Blobs are read by hash, so that content and listing agree: https://docs.github.com/en/rest/git/blobs#get-a-blob */
export function githubFiles(
  { http, base }: RestApi,
  { path, fullName }: GithubRepository,
  branch: string,
): FilesOfRepository {
  return {
    repository: fullName,
    branch,
    async read({ sha }, maxBytes) {
      const url = `${base}${path}/git/blobs/${encodeURIComponent(sha)}`;
      const accept = 'application/vnd.github.raw+json';
      return (await http.send({ url, maxBytes, headers: { accept } })).bytes;
    },
  };
}

export function fileUrl({ webUrl }: GithubRepository, branch: string, path: string): string {
  const encode = (text: string) => text.split('/').map(encodeURIComponent).join('/');
  return `${webUrl}/blob/${encode(branch)}/${encode(path)}`;
}

async function getTree(
  { http, base }: RestApi,
  { path }: GithubRepository,
  ref: string,
  recursive: boolean,
): Promise<Tree> {
  const url = `${base}${path}${githubPath`/git/trees/${ref}`}${recursive ? '?recursive=1' : ''}`;
  return (await http.json({ url, maxBytes: MAX_TREE_BYTES }, tree)).data;
}

/** Sorts by the full paths of the files below: a folder's name sorts with a trailing slash. */
function inPathOrder(entries: Tree['tree']): Tree['tree'] {
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.type === 'tree' ? `${entry.path}/` : entry.path,
  }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}

/** Whether all paths in a folder sort at or before `after`. */
function isBefore(folder: string, after: string | null): boolean {
  return after !== null && folder < after && !after.startsWith(folder);
}

function fileOf(
  repository: GithubRepository,
  branch: string,
  path: string,
  entry: { sha: string; size?: number | null | undefined; mode: string },
): RepositoryFile {
  return {
    url: fileUrl(repository, branch, path),
    path,
    sha: entry.sha,
    bytes: entry.size ?? null,
    isLink: entry.mode === SYMBOLIC_LINK,
  };
}
