import { z } from 'zod';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import { siteUrl, type AtlassianCredential } from '#src/connectors/source/atlassian.ts';

const DEFAULT_BATCH = 50;
/** Jira Cloud returns at most this many issues with their fields per request. */
export const MAX_BATCH = 100;

const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || null);
const textList = z
  .array(z.string().trim().min(1))
  .nullish()
  .transform((list) => list ?? []);

const BASE_URL = optionalText
  .describe(
    'Address of the site, such as https://example.atlassian.net or https://jira.example.com. A link to a project is understood, too.',
  )
  .meta({ title: 'Address' });

export interface TrackerSettings {
  /** Without a trailing slash; links and document ids begin with it. */
  root: string;
  projectKey: string | null;
  jql: string | null;
  /** Lower case. */
  commentEmailBlacklist: ReadonlySet<string>;
  labelsToSkip: readonly string[];
  scopedToken: boolean;
  batchSize: number;
}

export const TRACKER_SETTINGS: z.ZodType<TrackerSettings> = z
  .strictObject({
    tracker_base_url: BASE_URL,
    jira_base_url: optionalText
      .describe('Another name for tracker_base_url; set one of the two.')
      .meta({ deprecated: true }),
    project_key: optionalText
      .describe('Key of the one project to index. Empty: all projects.')
      .meta({ title: 'Project' }),
    jql_query: optionalText
      .describe(
        'JQL that says which issues to index. Used instead of the project; an ORDER BY in it is ignored.',
      )
      .meta({ title: 'JQL' }),
    comment_email_blacklist: textList
      .describe('Comments by accounts with these e-mail addresses are left out.')
      .meta({ title: 'Leave out comments of' }),
    labels_to_skip: textList.describe('Issues with one of these labels are left out.'),
    scoped_token: z
      .boolean()
      .default(false)
      .describe('The API token has scopes; it is then used through api.atlassian.com.'),
    batch_size: z
      .int()
      .min(1)
      .default(DEFAULT_BATCH)
      .describe(`Issues per request, ${MAX_BATCH} at most.`)
      .meta({ title: 'Issues per request' }),
  })
  .transform((sent, issues) => {
    const { tracker_base_url, jira_base_url } = sent;
    const site = jiraSite(tracker_base_url ?? jira_base_url ?? '');
    const problem = baseUrlProblem([tracker_base_url, jira_base_url], site !== null);
    if (problem !== null || site === null) {
      const name = jira_base_url !== null && tracker_base_url === null ? 'jira' : 'tracker';
      issues.addIssue({ code: 'custom', path: [`${name}_base_url`], message: problem ?? '' });
      return z.NEVER;
    }
    return {
      root: site.root,
      projectKey: sent.project_key ?? site.projectKey,
      jql: sent.jql_query,
      commentEmailBlacklist: new Set(
        sent.comment_email_blacklist.map((mail) => mail.toLowerCase()),
      ),
      labelsToSkip: sent.labels_to_skip,
      scopedToken: sent.scoped_token,
      batchSize: Math.min(sent.batch_size, MAX_BATCH),
    };
  });

function baseUrlProblem(sent: (string | null)[], isSite: boolean): string | null {
  const count = sent.filter((url) => url !== null).length;
  if (count === 0)
    return 'is required (or its other name, jira_base_url): the address of the site, such as https://example.atlassian.net';
  if (count > 1) return 'is set, and jira_base_url too; set one of the two';
  return isSite ? null : 'is not a web address; write it as https://example.atlassian.net';
}

const PROJECT_LINK = /\/(?:projects|browse)\/([A-Za-z][A-Za-z0-9_]+)/;
/** Where Jira's own paths begin; anything before them is the context path of a Data Center. */
const OWN_PAGES = /\/(?:browse|projects|issues|secure|plugins|rest|servicedesk|wiki)(?:\/|$)/;
/** Jira Cloud's pages are under `/jira`, which a Data Center may use as its context path. */
const CLOUD_PAGES =
  /^\/jira\/(?:software|core|servicedesk|your-work|for-you|dashboards|people|projects)(?:\/|$)/;

/** Reduces the URL of any page of a site to its root, and extracts the project that it shows. */
function jiraSite(text: string): { root: string; projectKey: string | null } | null {
  const url = siteUrl(text);
  if (!url) return null;
  const isCloud = url.hostname.endsWith('.atlassian.net') || CLOUD_PAGES.test(url.pathname);
  const own = OWN_PAGES.exec(url.pathname);
  const context = isCloud ? '' : url.pathname.slice(0, own?.index ?? url.pathname.length);
  const project = PROJECT_LINK.exec(url.pathname)?.[1] ?? url.searchParams.get('projectKey');
  return {
    root: url.origin + withoutLastSlashes(context),
    projectKey: project?.toUpperCase() ?? null,
  };
}

export const TRACKER_CREDENTIAL: z.ZodType<AtlassianCredential> = z
  .strictObject({
    jira_user_email: optionalText
      .describe(
        'E-mail address of the account. Leave it out for personal access tokens of Data Center.',
      )
      .meta({ title: 'E-mail address' }),
    jira_api_token: optionalText
      .describe('API token (Cloud) or personal access token (Data Center).')
      .meta({ title: 'Token', writeOnly: true }),
    tracker_user_email: optionalText
      .describe('Another name for jira_user_email.')
      .meta({ deprecated: true }),
    tracker_api_token: optionalText
      .describe('Another name for jira_api_token.')
      .meta({ deprecated: true, writeOnly: true }),
  })
  .transform((sent, issues) => {
    const token = sent.jira_api_token ?? sent.tracker_api_token;
    if (token === null) {
      issues.addIssue({ code: 'custom', path: ['jira_api_token'], message: 'is required' });
      return z.NEVER;
    }
    return { user: sent.jira_user_email ?? sent.tracker_user_email, token };
  });
