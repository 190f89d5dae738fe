import type { ConnectorContext, ConnectorPage } from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { fileUrl, findFile, githubFiles, headTree, walkTree } from './github-files.ts';
import { findIssue, isKindWanted, issueDocument, listIssues } from './github-issues.ts';
import {
  getRepository,
  type GithubRepository,
  listRepositories,
  namedRepositories,
} from './github-repositories.ts';
import { missingBranch } from './github-poll.ts';
import type { GithubSettings } from './github-settings.ts';
import { mergePages, type PagePart } from '#src/connectors/source/merge-pages.ts';
import { readRepositoryFiles, skipReason } from '#src/connectors/source/repository-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import {
  readUpdated,
  type UpdatedCursor,
  updatedSince,
} from '#src/connectors/source/updated-order.ts';

const IDS_PER_PORTION = 500;
const FETCHED_AGAIN_PER_PAGE = 50;

/** @throws when a repository, or any part of one, cannot be listed */
export async function* listGithubIds(
  github: RestApi,
  settings: GithubSettings,
): AsyncGenerator<string[]> {
  const names = namedRepositories(settings.repo_owner, settings.repositories);
  const repositories = names ?? (await listRepositories(github, settings.repo_owner));
  for (const each of repositories) {
    const repository = typeof each === 'string' ? await getRepository(github, each) : each;
    if (settings.include_prs || settings.include_issues) {
      yield* listIssueIds(github, settings, repository);
    }
    if (settings.include_files) yield* listFileIds(github, settings, repository);
  }
}

async function* listIssueIds(
  github: RestApi,
  settings: GithubSettings,
  repository: GithubRepository,
): AsyncGenerator<string[]> {
  let cursor: UpdatedCursor | null = updatedSince(null);
  while (cursor) {
    const read: Awaited<ReturnType<typeof readIssues>> = await readIssues(cursor);
    yield read.things
      .filter((thing) => isKindWanted(thing, settings))
      .map(({ html_url }) => html_url);
    cursor = read.next;
  }

  async function readIssues(from: UpdatedCursor) {
    return readUpdated(from, async (since, page) =>
      listIssues(github, repository, settings.state_filter, since, page),
    );
  }
}

async function* listFileIds(
  github: RestApi,
  settings: GithubSettings,
  repository: GithubRepository,
): AsyncGenerator<string[]> {
  const branch = settings.branch || repository.defaultBranch;
  const head = await headTree(github, repository, branch);
  if (head.kind === 'empty') return;
  if (head.kind === 'no-branch') {
    // When all repositories of an owner are read, some may lack the branch.
    if (namedRepositories(settings.repo_owner, settings.repositories) === null) return;
    throw missingBranch(repository, branch);
  }
  let ids: string[] = [];
  for await (const entry of walkTree(github, repository, branch, head.tree, null)) {
    if ('reason' in entry) throw new SourceRefused(`${entry.entityId}: ${entry.reason}`);
    if (skipReason(entry) === null) ids.push(entry.url);
    if (ids.length === IDS_PER_PORTION) {
      yield ids;
      ids = [];
    }
  }
  yield ids;
}

/** Document ids are the URLs that people use, and say what to request. */
export async function* fetchGithubAgain(
  github: RestApi,
  settings: GithubSettings,
  documentIds: readonly string[],
  context: ConnectorContext,
): AsyncGenerator<Omit<ConnectorPage<unknown>, 'checkpoint'>> {
  for (let start = 0; start < documentIds.length; start += FETCHED_AGAIN_PER_PAGE) {
    const ids = documentIds.slice(start, start + FETCHED_AGAIN_PER_PAGE);
    const { results, failures } = await fetchEach(
      ids,
      (id) => id,
      (id) => fetchOne(github, settings, id, context),
    );
    yield mergePages([{ failures }, ...results], 'documents that failed before');
  }
}

async function fetchOne(
  github: RestApi,
  settings: GithubSettings,
  id: string,
  context: ConnectorContext,
): Promise<PagePart> {
  const [, owner = '', name = '', kind = '', number = ''] =
    URL.parse(id)?.pathname.split('/') ?? [];
  // Other repositories have been chosen since: this one no longer belongs to the connector.
  if (!isChosen(settings, owner, name)) return { removed: [id] };
  if (kind === 'blob') return fetchFile(github, settings, { id, owner, name }, context);
  const found = await findIssue(github, { owner, name, number });
  if (!found) return { removed: [id] };
  const fullName = `${owner}/${name}`;
  const isState = ['all', found.state].includes(settings.state_filter);
  // A transferred issue is found under its new URL, which is another document.
  if (found.html_url !== id || !isKindWanted(found, settings) || !isState) return { removed: [id] };
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  return { documents: [await issueDocument(github, { path, fullName }, found)] };
}

function isChosen(settings: GithubSettings, owner: string, name: string): boolean {
  const named = namedRepositories(settings.repo_owner, settings.repositories);
  if (named === null) return owner.toLowerCase() === settings.repo_owner.toLowerCase();
  return named.some((one) => one.toLowerCase() === `${owner}/${name}`.toLowerCase());
}

async function fetchFile(
  github: RestApi,
  settings: GithubSettings,
  { id, owner, name }: { id: string; owner: string; name: string },
  context: ConnectorContext,
): Promise<PagePart> {
  const repository = await getRepository(github, `${owner}/${name}`);
  const branch = settings.branch || repository.defaultBranch;
  const prefix = fileUrl(repository, branch, '');
  // Another branch has been chosen since: the file no longer belongs to the connector.
  if (!settings.include_files || !id.startsWith(prefix)) return { removed: [id] };
  const path = decodeURIComponent(id.slice(prefix.length));
  const file = await findFile(github, repository, branch, path);
  if (!file) return { removed: [id] };
  return readRepositoryFiles([file], githubFiles(github, repository, branch), context);
}
