import { z } from 'zod';
import { type ConnectorPage, pageOf, type PollContext } from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import type { GitlabProject } from './gitlab-api.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { gitlabFiles, headCommit, listGitlabFiles } from './gitlab-files.ts';
import {
  gitlabIssueDocument,
  gitlabIssueId,
  type IssueKind,
  isStateWanted,
  listGitlabIssues,
} from './gitlab-issues.ts';
import { type ChosenProject, chosenProjects, isSingle } from './gitlab-projects.ts';
import type { GitlabSettings } from './gitlab-settings.ts';
import { readRepositoryFiles } from '#src/connectors/source/repository-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { readUpdated, updatedCursor, updatedSince } from '#src/connectors/source/updated-order.ts';

export const gitlabCheckpoint = z.object({
  /** The key of the project being read; checkpoints of earlier versions know only one project. */
  project: z.string().nullable().default(null),
  stage: z.enum(['issues', 'merge_requests', 'files', 'done']),
  /** Position in issues or merge requests; null: from the beginning. */
  cursor: updatedCursor.nullable(),
  /** The commit that files are read from, and the page to continue with. */
  files: z
    .object({ ref: z.string(), page: z.record(z.string(), z.string()).nullable() })
    .nullable(),
});
export type GitlabCheckpoint = z.infer<typeof gitlabCheckpoint>;

type GitlabPage = ConnectorPage<GitlabCheckpoint>;

export async function* pollGitlab(
  gitlab: RestApi,
  settings: GitlabSettings,
  checkpoint: GitlabCheckpoint | null,
  context: PollContext,
): AsyncGenerator<GitlabPage> {
  const chosen = await chosenProjects(gitlab, settings);
  const before = z.array(z.string()).safeParse((await context.recall([CHOSEN])).get(CHOSEN)).data;
  for (const { key, open } of chosen.filter((one) => isAhead(one.key, checkpoint))) {
    const isHere = checkpoint !== null && (checkpoint.project ?? key) === key;
    const from = isHere ? { ...checkpoint, project: key } : at(key, 'issues');
    // A project that the previous run did not read, so that its documents were pruned, counts as new.
    const isNew = before !== undefined && !before.includes(key);
    const reading = { gitlab, settings, context, isNew };
    if (isSingle(settings)) yield* pollProject(reading, await open(), from);
    else yield* tolerantly(key, pollOpened(reading, open, from));
  }
  if (isSingle(settings)) return;
  const { memory } = await findFirstSince(context);
  const keys = { key: CHOSEN, documentId: null, value: chosen.map(({ key }) => key) };
  yield pageOf({
    memory: [memory, keys],
    checkpoint: at(LAST, 'done'),
    description: `${chosen.length} projects`,
  });
}

/** The keys of the projects that the previous run read. */
const CHOSEN = 'projects';
/** Sorts after the key of any project. */
const LAST = '~';

interface Reading {
  gitlab: RestApi;
  settings: GitlabSettings;
  context: PollContext;
  isNew: boolean;
}

function isAhead(key: string, checkpoint: GitlabCheckpoint | null): boolean {
  const project = checkpoint?.project ?? null;
  if (project === null || key > project) return true;
  return key === project && checkpoint?.stage !== 'done';
}

/** When one of several projects refuses a request, that is its failure; the others are still read. */
async function* tolerantly(
  key: string,
  pages: AsyncGenerator<GitlabPage>,
): AsyncGenerator<GitlabPage> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error;
    yield pageOf({
      failures: [{ documentId: null, link: null, entityId: key, reason: error.message }],
      checkpoint: at(key, 'done'),
      description: `${key}, not readable`,
    });
  }
}

async function* pollOpened(
  reading: Reading,
  open: ChosenProject['open'],
  from: GitlabCheckpoint,
): AsyncGenerator<GitlabPage> {
  yield* pollProject(reading, await open(), from);
}

async function* pollProject(
  reading: Reading,
  project: GitlabProject,
  start: GitlabCheckpoint,
): AsyncGenerator<GitlabPage> {
  const { project: key } = start;
  let from = start;
  for (const kind of KINDS) {
    if (from.stage !== kind) continue;
    yield* pollKind(reading, project, kind, from);
    from = at(key, stageAfter(kind));
  }
  if (from.stage === 'files' && reading.settings.include_code_files) {
    yield* pollFiles(reading, project, from);
  }
}

const KINDS: readonly IssueKind[] = ['issues', 'merge_requests'];

/** Whether the settings include them and the project has them enabled. */
export function isKindRead(
  kind: IssueKind,
  settings: GitlabSettings,
  project: GitlabProject,
): boolean {
  const isIssues = kind === 'issues';
  if (!(isIssues ? settings.include_issues : settings.include_mrs)) return false;
  const level = isIssues ? project.issues_access_level : project.merge_requests_access_level;
  const isEnabled = isIssues ? project.issues_enabled : project.merge_requests_enabled;
  return level !== 'disabled' && isEnabled !== false;
}

async function* pollKind(
  { gitlab, settings, context, isNew }: Reading,
  project: GitlabProject,
  kind: IssueKind,
  from: GitlabCheckpoint,
): AsyncGenerator<GitlabPage> {
  const place = `${project.path_with_namespace}, ${kind.replace('_', ' ')}`;
  const mark = { key: `read:${kind}:${project.id}`, documentId: null, value: project.web_url };
  const first = await findFirstSince(context);
  if (!isKindRead(kind, settings, project)) {
    const memory = [first.memory, { ...mark, value: null }];
    yield pageOf({
      memory,
      checkpoint: at(from.project, stageAfter(kind)),
      description: `${place}, switched off`,
    });
    return;
  }
  const known = await readBefore(mark.key, kind, { context, isNew });
  // After a project was renamed, or the feature was enabled again, everything is read from the beginning.
  const since = known === mark.value ? context.since : first.since;
  // Later runs list every state: what left the wanted one must leave the index.
  const state = known !== undefined && since ? 'all' : settings.state_filter;
  let cursor = from.cursor ?? updatedSince(since ? since.toISOString() : null);
  for (;;) {
    const { things, next } = await readUpdated(cursor, async (after, page) =>
      listGitlabIssues(gitlab, project, kind, state, after, page),
    );
    const wanted = things.filter((thing) => isStateWanted(thing, settings.state_filter));
    const others = things.filter((thing) => !isStateWanted(thing, settings.state_filter));
    const { results, failures } = await fetchEach(
      wanted,
      (thing) => gitlabIssueId(project, kind, thing),
      (thing) => gitlabIssueDocument(gitlab, project, kind, thing),
    );
    const last = things.at(-1)?.updated_at;
    yield pageOf({
      documents: results,
      failures,
      removed: others.map((thing) => gitlabIssueId(project, kind, thing)),
      memory: next ? [first.memory] : [first.memory, mark],
      checkpoint: { ...at(from.project, next ? kind : stageAfter(kind)), cursor: next },
      description: last ? `${place}, changes up to ${last}` : `${place}, no changes`,
    });
    if (!next) return;
    cursor = next;
  }
}

/** The URL under which it was read; earlier versions kept one for their only project. */
async function readBefore(
  key: string,
  kind: IssueKind,
  { context, isNew }: Pick<Reading, 'context' | 'isNew'>,
): Promise<unknown> {
  if (isNew) return undefined;
  const legacy = `read:${kind}`;
  const known = await context.recall([key, legacy]);
  return known.has(key) ? known.get(key) : known.get(legacy);
}

async function* pollFiles(
  { gitlab, context }: Reading,
  project: GitlabProject,
  from: GitlabCheckpoint,
): AsyncGenerator<GitlabPage> {
  const ref = from.files?.ref ?? (await headCommit(gitlab, project));
  if (ref === null) return;
  const source = gitlabFiles(gitlab, project);
  let page = from.files?.page ?? null;
  for (;;) {
    const { things, next } = await listGitlabFiles(gitlab, project, ref, page);
    yield pageOf({
      ...(await readRepositoryFiles(things, source, context)),
      checkpoint: next
        ? { ...at(from.project, 'files'), files: { ref, page: next } }
        : at(from.project, 'done'),
      description: `${project.path_with_namespace}, files up to ${things.at(-1)?.path ?? 'the end'}`,
    });
    if (!next) return;
    page = next;
  }
}

function stageAfter(kind: IssueKind): GitlabCheckpoint['stage'] {
  return kind === 'issues' ? 'merge_requests' : 'files';
}

function at(project: string | null, stage: GitlabCheckpoint['stage']): GitlabCheckpoint {
  return { project, stage, cursor: null, files: null };
}
