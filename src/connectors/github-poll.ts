import { z } from 'zod';
import {
  type ConnectorFailure,
  type ConnectorPage,
  type MemoryEntry,
  pageOf,
  type PollContext,
} from './connector.ts';
import { fetchEach } from './fetch-each.ts';
import type { GithubApi } from './github-api.ts';
import { githubFiles, headTree, walkTree } from './github-files.ts';
import { type GithubIssue, isKindWanted, issueDocument, listIssues } from './github-issues.ts';
import {
  getRepository,
  type GithubRepository,
  listRepositories,
  namedRepositories,
} from './github-repositories.ts';
import type { GithubSettings } from './github-settings.ts';
import { readRepositoryFiles, type RepositoryFile } from './repository-file.ts';
import { SourceRefused } from './source-errors.ts';
import { readUpdated, updatedCursor, updatedSince } from './updated-order.ts';

export const githubCheckpoint = z.object({
  /** Repositories are read one after the other, in the order of their keys. */
  repository: z.string(),
  stage: z.enum(['issues', 'files', 'done']),
  /** Of the issues; null: from the beginning. */
  cursor: updatedCursor.nullable(),
  /** The tree that the files are read from, and the path of the last one that was read. */
  tree: z.object({ sha: z.string(), after: z.string() }).nullable(),
});
export type GithubCheckpoint = z.infer<typeof githubCheckpoint>;

type GithubPage = ConnectorPage<GithubCheckpoint>;

const FILES_PER_PAGE = 50;

export async function* pollGithub(
  github: GithubApi,
  settings: GithubSettings,
  checkpoint: GithubCheckpoint | null,
  context: PollContext,
): AsyncGenerator<GithubPage> {
  for await (const found of repositoriesFrom(github, settings, checkpoint)) {
    const { key } = found;
    if ('reason' in found) {
      yield { ...failedPage(key, 'done', found.reason), memory: [readMark(key, null)] };
      continue;
    }
    let from = checkpoint?.repository === key ? checkpoint : at(key, 'issues');
    if (from.stage === 'issues') {
      yield* tolerantly(
        settings,
        found,
        'files',
        pollIssues(github, settings, found, from, context),
      );
      from = at(key, 'files');
    }
    if (from.stage === 'files' && settings.include_files) {
      yield* tolerantly(settings, found, 'done', pollFiles(github, settings, found, from, context));
    }
  }
}

/** Those that are still to be read. One of several that is missing is a failure of its own. */
async function* repositoriesFrom(
  github: GithubApi,
  settings: GithubSettings,
  checkpoint: GithubCheckpoint | null,
): AsyncGenerator<GithubRepository | { key: string; reason: string }> {
  const isAhead = (key: string) =>
    checkpoint === null ||
    key > checkpoint.repository ||
    (key === checkpoint.repository && checkpoint.stage !== 'done');
  const names = namedRepositories(settings.repo_owner, settings.repositories);
  if (names === null) {
    const all = await listRepositories(github, settings.repo_owner);
    yield* all.filter(({ key }) => isAhead(key));
    return;
  }
  for (const name of names.filter((each) => isAhead(each.toLowerCase()))) {
    try {
      yield await getRepository(github, name);
    } catch (error) {
      if (!(error instanceof SourceRefused) || names.length === 1) throw error;
      yield { key: name.toLowerCase(), reason: error.message };
    }
  }
}

/** What one of several repositories refuses is its failure; the others are read on. */
async function* tolerantly(
  settings: GithubSettings,
  { key }: GithubRepository,
  next: 'files' | 'done',
  pages: AsyncGenerator<GithubPage>,
): AsyncGenerator<GithubPage> {
  const names = namedRepositories(settings.repo_owner, settings.repositories);
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof SourceRefused) || names?.length === 1) throw error;
    const memory = next === 'files' ? [readMark(key, null)] : [];
    yield { ...failedPage(key, next, error.message), memory };
  }
}

async function* pollIssues(
  github: GithubApi,
  settings: GithubSettings,
  repository: GithubRepository,
  from: GithubCheckpoint,
  context: PollContext,
): AsyncGenerator<GithubPage> {
  if (!settings.include_prs && !settings.include_issues) return;
  const mark = readMark(repository.key, repository.fullName);
  const known = await context.recall([mark.key]);
  // One that is new to this connector, or bears a new name, is read from its beginning.
  const since = known.get(mark.key) === mark.value ? context.since : null;
  // Later runs list every state: what left the wanted one is to go from the index.
  const state = since ? 'all' : settings.state_filter;
  let cursor = from.cursor ?? updatedSince(since ? since.toISOString().replace(/\.\d+/, '') : null);
  for (;;) {
    const { things, next } = await readUpdated(cursor, async (after, page) =>
      listIssues(github, repository, state, after, page),
    );
    const ofKind = things.filter((thing) => isKindWanted(thing, settings));
    const isState = (thing: GithubIssue) => ['all', thing.state].includes(settings.state_filter);
    const { results, failures } = await fetchEach(
      ofKind.filter(isState),
      ({ html_url }) => html_url,
      (thing) => issueDocument(github, repository, thing),
    );
    yield pageOf({
      documents: results,
      failures,
      removed: ofKind.filter((thing) => !isState(thing)).map(({ html_url }) => html_url),
      memory: next ? [] : [mark],
      checkpoint: { ...at(repository.key, next ? 'issues' : 'files'), cursor: next },
      description: describe(repository, things.at(-1)),
    });
    if (!next) return;
    cursor = next;
  }
}

async function* pollFiles(
  github: GithubApi,
  settings: GithubSettings,
  repository: GithubRepository,
  from: GithubCheckpoint,
  context: PollContext,
): AsyncGenerator<GithubPage> {
  const branch = settings.branch || repository.defaultBranch;
  const done = at(repository.key, 'done');
  const head = await headTree(github, repository, from.tree?.sha ?? branch);
  if (head.kind !== 'tree') {
    const description = `${repository.fullName}, no files`;
    if (head.kind === 'no-branch') throw missingBranch(repository, branch);
    yield pageOf({ checkpoint: done, description });
    return;
  }
  const { sha } = head.tree;
  const source = githubFiles(github, repository, branch);
  const entries = walkTree(github, repository, branch, head.tree, from.tree?.after ?? null);
  for await (const { files, failures } of inPortions(entries)) {
    const portion = await readRepositoryFiles(files, source, context);
    const after = files.at(-1)?.path ?? '';
    yield pageOf({
      ...portion,
      failures: [...portion.failures, ...failures],
      checkpoint: { ...at(repository.key, 'files'), tree: { sha, after } },
      description: `${repository.fullName}, files up to ${after}`,
    });
  }
  yield pageOf({ checkpoint: done, description: `${repository.fullName}, all files` });
}

export function missingBranch({ fullName }: GithubRepository, branch: string): SourceRefused {
  return new SourceRefused(`There is no branch ${branch} in ${fullName}.`, { status: 404 });
}

async function* inPortions(
  entries: AsyncIterable<RepositoryFile | ConnectorFailure>,
): AsyncGenerator<{ files: RepositoryFile[]; failures: ConnectorFailure[] }> {
  let files: RepositoryFile[] = [];
  let failures: ConnectorFailure[] = [];
  for await (const entry of entries) {
    if ('reason' in entry) failures.push(entry);
    else files.push(entry);
    if (files.length === FILES_PER_PAGE) {
      yield { files, failures };
      files = [];
      failures = [];
    }
  }
  if (files.length > 0 || failures.length > 0) yield { files, failures };
}

function at(repository: string, stage: GithubCheckpoint['stage']): GithubCheckpoint {
  return { repository, stage, cursor: null, tree: null };
}

/** @param fullName null: it could not be read to its end */
function readMark(key: string, fullName: string | null): MemoryEntry {
  return { key: `read:${key}`, documentId: null, value: fullName };
}

function failedPage(key: string, next: 'files' | 'done', reason: string): GithubPage {
  return pageOf({
    failures: [{ documentId: null, link: null, entityId: key, reason }],
    checkpoint: at(key, next),
    description: `${key}, not readable`,
  });
}

function describe({ fullName }: GithubRepository, last: GithubIssue | undefined): string {
  return last ? `${fullName}, changes up to ${last.updated_at}` : `${fullName}, no changes`;
}
