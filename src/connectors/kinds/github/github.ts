import { type AnyConnector, defineConnector } from '#src/connectors/source/connector.ts';
import { githubApiBase, openGithub } from './github-api.ts';
import { type RestApi } from '#src/connectors/source/rest-listing.ts';
import { headTree } from './github-files.ts';
import { listIssues } from './github-issues.ts';
import { fetchGithubAgain, listGithubIds } from './github-listing.ts';
import { githubCheckpoint, missingBranch, pollGithub } from './github-poll.ts';
import { getRepository, namedRepositories, peekRepositories } from './github-repositories.ts';
import {
  type GithubCredential,
  githubCredential,
  type GithubSettings,
  githubSettings,
} from './github-settings.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';

/** Written from https://docs.github.com/en/rest (version 2022-11-28). */
export function createGithubConnector({ apiBase = 'https://api.github.com' } = {}): AnyConnector {
  const open = (settings: GithubSettings, credential: GithubCredential, http: SourceHttp) =>
    openGithub(
      http,
      githubApiBase(settings.github_base_url, apiBase),
      credential.github_access_token,
    );
  return defineConnector({
    kind: 'github',
    aliases: [],
    title: 'GitHub',
    summary: 'Pull requests with reviews, issues with comments, and text files of repositories.',
    settings: githubSettings,
    credential: githubCredential,
    checkpoint: githubCheckpoint,
    // GitHub allows 900 requests a minute and asks clients to keep concurrency low.
    limits: { concurrentRequests: 4, requestsPerSecond: 15, documentsPerPage: 100 },
    defaultRefreshSeconds: 30 * 60,
    check: (settings, credential, { http }) =>
      checkGithub(open(settings, credential, http), settings),
    poll: (settings, credential, checkpoint, context) =>
      pollGithub(open(settings, credential, context.http), settings, checkpoint, context),
    listIds: (settings, credential, { http }) =>
      listGithubIds(open(settings, credential, http), settings),
    fetchAgain: (settings, credential, documentIds, context) =>
      fetchGithubAgain(open(settings, credential, context.http), settings, documentIds, context),
  });
}

export const github = createGithubConnector();

async function checkGithub(api: RestApi, settings: GithubSettings): Promise<void> {
  const names = namedRepositories(settings.repo_owner, settings.repositories);
  if (names === null) {
    await peekRepositories(api, settings.repo_owner);
    return;
  }
  for (const name of names) {
    const repository = await getRepository(api, name);
    if (settings.include_prs || settings.include_issues) {
      await listIssues(api, repository, 'all', null, null);
    }
    if (!settings.include_files) continue;
    const branch = settings.branch || repository.defaultBranch;
    const head = await headTree(api, repository, branch);
    if (head.kind === 'no-branch') throw missingBranch(repository, branch);
  }
}
