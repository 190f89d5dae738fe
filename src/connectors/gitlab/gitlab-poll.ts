import { z } from 'zod';
import {
  type ConnectorContext,
  type ConnectorPage,
  pageOf,
  type PollContext,
} from '#src/connectors/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import { getProject, type GitlabProject } from './gitlab-api.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { gitlabFiles, headCommit, listGitlabFiles } from './gitlab-files.ts';
import {
  gitlabIssueDocument,
  gitlabIssueId,
  type IssueKind,
  isStateWanted,
  listGitlabIssues,
} from './gitlab-issues.ts';
import type { GitlabSettings } from './gitlab-settings.ts';
import { readRepositoryFiles } from '#src/connectors/source/repository-file.ts';
import { readUpdated, updatedCursor, updatedSince } from '#src/connectors/source/updated-order.ts';

export const gitlabCheckpoint = z.object({
  stage: z.enum(['issues', 'merge_requests', 'files', 'done']),
  /** Of issues or merge requests; null: from the beginning. */
  cursor: updatedCursor.nullable(),
  /** The commit that the files are read from, and the page to go on with. */
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
  const project = await getProject(gitlab, settings);
  let from = checkpoint ?? at('issues');
  if (from.stage === 'issues') {
    yield* pollKind(gitlab, settings, project, 'issues', from, context);
    from = at('merge_requests');
  }
  if (from.stage === 'merge_requests') {
    yield* pollKind(gitlab, settings, project, 'merge_requests', from, context);
    from = at('files');
  }
  if (from.stage === 'files' && settings.include_code_files) {
    yield* pollFiles(gitlab, project, from, context);
  }
}

/** Whether the settings want them and the project has them switched on. */
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
  gitlab: RestApi,
  settings: GitlabSettings,
  project: GitlabProject,
  kind: IssueKind,
  from: GitlabCheckpoint,
  context: PollContext,
): AsyncGenerator<GitlabPage> {
  const place = `${project.path_with_namespace}, ${kind.replace('_', ' ')}`;
  const mark = { key: `read:${kind}`, documentId: null, value: project.web_url };
  const first = await findFirstSince(context);
  if (!isKindRead(kind, settings, project)) {
    const memory = [first.memory, { ...mark, value: null }];
    yield pageOf({
      memory,
      checkpoint: at(stageAfter(kind)),
      description: `${place}, switched off`,
    });
    return;
  }
  const known = await context.recall([mark.key]);
  // After the project was renamed, or the feature was switched on again, all is read from the beginning.
  const since = known.get(mark.key) === mark.value ? context.since : first.since;
  // Later runs list every state: what left the wanted one is to go from the index.
  const state = known.has(mark.key) && since ? 'all' : settings.state_filter;
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
      checkpoint: { ...at(next ? kind : stageAfter(kind)), cursor: next },
      description: last ? `${place}, changes up to ${last}` : `${place}, no changes`,
    });
    if (!next) return;
    cursor = next;
  }
}

async function* pollFiles(
  gitlab: RestApi,
  project: GitlabProject,
  from: GitlabCheckpoint,
  context: ConnectorContext,
): AsyncGenerator<GitlabPage> {
  const ref = from.files?.ref ?? (await headCommit(gitlab, project));
  if (ref === null) return;
  const source = gitlabFiles(gitlab, project);
  let page = from.files?.page ?? null;
  for (;;) {
    const { things, next } = await listGitlabFiles(gitlab, project, ref, page);
    yield pageOf({
      ...(await readRepositoryFiles(things, source, context)),
      checkpoint: next ? { ...at('files'), files: { ref, page: next } } : at('done'),
      description: `${project.path_with_namespace}, files up to ${things.at(-1)?.path ?? 'the end'}`,
    });
    if (!next) return;
    page = next;
  }
}

function stageAfter(kind: IssueKind): GitlabCheckpoint['stage'] {
  return kind === 'issues' ? 'merge_requests' : 'files';
}

function at(stage: GitlabCheckpoint['stage']): GitlabCheckpoint {
  return { stage, cursor: null, files: null };
}
