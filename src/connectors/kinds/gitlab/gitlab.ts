import { defineConnector } from '#src/connectors/source/connector.ts';
import { type GitlabProject, openGitlab } from './gitlab-api.ts';
import { chosenProjects } from './gitlab-projects.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { headCommit } from './gitlab-files.ts';
import { type IssueKind, listGitlabIssues } from './gitlab-issues.ts';
import { fetchGitlabAgain, listGitlabIds } from './gitlab-listing.ts';
import { gitlabCheckpoint, isKindRead, pollGitlab } from './gitlab-poll.ts';
import { gitlabCredential, type GitlabSettings, gitlabSettings } from './gitlab-settings.ts';

/** Written from https://docs.gitlab.com/api/rest/ (version 4), for gitlab.com and self-managed installations. */
export const gitlab = defineConnector({
  kind: 'gitlab',
  aliases: [],
  title: 'GitLab',
  summary: 'Issues and merge requests with their comments, and text files of projects.',
  settings: gitlabSettings,
  credential: gitlabCredential,
  checkpoint: gitlabCheckpoint,
  // gitlab.com allows a user 2,000 requests a minute in total.
  limits: { concurrentRequests: 5, requestsPerSecond: 15, documentsPerPage: 100 },
  defaultRefreshSeconds: 30 * 60,
  check: (settings, credential, { http }) => checkGitlab(openGitlab(http, credential), settings),
  poll: (settings, credential, checkpoint, context) =>
    pollGitlab(openGitlab(context.http, credential), settings, checkpoint, context),
  listIds: (settings, credential, { http }) =>
    listGitlabIds(openGitlab(http, credential), settings),
  fetchAgain: (settings, credential, documentIds, context) =>
    fetchGitlabAgain(openGitlab(context.http, credential), settings, documentIds, context),
});

/** For a group, one project shows what the token may read. */
async function checkGitlab(api: RestApi, settings: GitlabSettings): Promise<void> {
  const chosen = await chosenProjects(api, settings);
  const tried = settings.group === null ? chosen : chosen.slice(0, 1);
  for (const { open } of tried) await checkProject(api, settings, await open());
}

async function checkProject(
  api: RestApi,
  settings: GitlabSettings,
  project: GitlabProject,
): Promise<void> {
  const kinds: IssueKind[] = ['issues', 'merge_requests'];
  for (const kind of kinds.filter((each) => isKindRead(each, settings, project))) {
    await listGitlabIssues(api, project, kind, 'all', null, null);
  }
  if (settings.include_code_files) await headCommit(api, project);
}
