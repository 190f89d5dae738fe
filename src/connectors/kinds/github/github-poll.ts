import { z } from 'zod';
import {
  type ConnectorFailure,
  type ConnectorPage,
  type MemoryEntry,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { findFirstSince, type FirstSince } from '#src/connectors/source/first-since.ts';
import { githubFiles, type HeadTree, headTree, walkTree } from './github-files.ts';
import { type GithubIssue, isKindWanted, issueDocument, listIssues } from './github-issues.ts';
import {
  getRepository,
  type GithubRepository,
  listRepositories,
  namedRepositories,
} from './github-repositories.ts';
import type { GithubSettings } from './github-settings.ts';
import {
  readRepositoryFiles,
  type RepositoryFile,
} from '#src/connectors/source/repository-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { readUpdated, updatedCursor, updatedSince } from '#src/connectors/source/updated-order.ts';

export const githubCheckpoint = z.object({
  /** Repositories are read one by one, in order of their keys. */
  repository: z.string(),
  stage: z.enum(['issues', 'files', 'done']),
  /** Position in the issues; null: from the beginning. */
  cursor: updatedCursor.nullable(),
  /** The tree that files are read from, and the path of the last file read. */
  tree: z.object({ sha: z.string(), after: z.string() }).nullable(),
});
export type GithubCheckpoint = z.infer<typeof githubCheckpoint>;

type GithubPage = ConnectorPage<GithubCheckpoint>;

const FILES_PER_PAGE = 50;

export async function* pollGithub(
  github: RestApi,
  settings: GithubSettings,
  checkpoint: GithubCheckpoint | null,
  context: PollContext,
): AsyncGenerator<GithubPage> {
  const first = await findFirstSince(context);
  for await (const found of repositoriesFrom(github, settings, checkpoint)) {
    const { key } = found;
    if ('reason' in found) {
      yield failedPage(key, 'done', found.reason);
      continue;
    }
    let from = checkpoint?.repository === key ? checkpoint : at(key, 'issues');
    if (from.stage === 'issues') {
      yield* tolerantly(
        settings,
        found,
        'files',
        pollIssues(github, settings, found, { from, first, context }),
      );
      from = at(key, 'files');
    }
    if (from.stage === 'files' && settings.include_files) {
      yield* tolerantly(settings, found, 'done', pollFiles(github, settings, found, from, context));
    }
  }
  // Even for an owner without repositories, the time of the first run is remembered.
  const description = `the repositories of ${settings.repo_owner}`;
  yield pageOf({ memory: [first.memory], checkpoint: at(LAST, 'done'), description });
}

/** Sorts after the key of any repository. */
const LAST = '~';

/** The repositories still to be read. When several are named, a missing one is a separate failure. */
async function* repositoriesFrom(
  github: RestApi,
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

/** When one of several repositories refuses a request, that is its failure; the others are still read. */
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
    yield failedPage(key, next, error.message);
  }
}

async function* pollIssues(
  github: RestApi,
  settings: GithubSettings,
  repository: GithubRepository,
  {
    from,
    first,
    context,
  }: {
    from: GithubCheckpoint;
    first: FirstSince;
    context: PollContext;
  },
): AsyncGenerator<GithubPage> {
  if (!settings.include_prs && !settings.include_issues) return;
  const mark = readMark(repository, context);
  const known = await readFrom(repository, context);
  // A repository that is new to this connector, or renamed, is read from its beginning.
  const since = known ?? first.since;
  // Later runs list every state: what left the wanted one must leave the index.
  const state = known ? 'all' : settings.state_filter;
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
      memory: next ? [first.memory] : [first.memory, mark],
      checkpoint: { ...at(repository.key, next ? 'issues' : 'files'), cursor: next },
      description: describe(repository, things.at(-1)),
    });
    if (!next) return;
    cursor = next;
  }
}

async function* pollFiles(
  github: RestApi,
  settings: GithubSettings,
  repository: GithubRepository,
  from: GithubCheckpoint,
  context: PollContext,
): AsyncGenerator<GithubPage> {
  const branch = settings.branch || repository.defaultBranch;
  const done = at(repository.key, 'done');
  const { head, after: readUpTo } = await openTree(github, repository, branch, from.tree);
  if (head.kind !== 'tree') {
    const description = `${repository.fullName}, no files`;
    const isNamed = namedRepositories(settings.repo_owner, settings.repositories) !== null;
    if (head.kind === 'no-branch' && isNamed) throw missingBranch(repository, branch);
    const skipped = { documentId: null, reason: 'a repository without the branch' };
    yield pageOf({
      checkpoint: done,
      description,
      skipped: head.kind === 'no-branch' ? [skipped] : [],
    });
    return;
  }
  const { sha } = head.tree;
  const source = githubFiles(github, repository, branch);
  const entries = walkTree(github, repository, branch, head.tree, readUpTo);
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

/** The tree of the checkpoint; if GitHub no longer has it, the branch's current tree, from its first file. */
async function openTree(
  github: RestApi,
  repository: GithubRepository,
  branch: string,
  from: GithubCheckpoint['tree'],
): Promise<{ head: HeadTree; after: string | null }> {
  if (from) {
    const head = await headTree(github, repository, from.sha);
    if (head.kind === 'tree') return { head, after: from.after };
  }
  return { head: await headTree(github, repository, branch), after: null };
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

const markSchema = z.object({ name: z.string(), until: z.coerce.date() });
/** GitHub's clock may be behind ours, and changes are listed late. */
const OVERLAP_MS = 30 * 60_000;

/** The time up to which completed runs have read a repository's issues. */
function readMark({ key, fullName }: GithubRepository, { until }: PollContext): MemoryEntry {
  return {
    key: markKey(key),
    documentId: null,
    value: { name: fullName, until: until.toISOString() },
  };
}

/**
 * Where to start reading, whatever happened to other repositories; null: from the beginning. A run from the very
 * beginning has cleared the marks; one without `since` reaches back because of another repository.
 */
async function readFrom(
  { key, fullName }: GithubRepository,
  context: PollContext,
): Promise<Date | null> {
  const known = await context.recall([markKey(key)]);
  const mark = markSchema.safeParse(known.get(markKey(key))).data;
  if (mark?.name !== fullName) return null;
  const overlapped = new Date(mark.until.getTime() - OVERLAP_MS);
  const { since } = context;
  return since !== null && since < overlapped ? since : overlapped;
}

function markKey(key: string): string {
  return `read:${key}`;
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
