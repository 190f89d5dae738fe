import { z } from 'zod';
import {
  atlassianHabits,
  gatewayBase,
  type AtlassianCredential,
} from '#src/connectors/source/atlassian.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';
import type { TrackerSettings } from './tracker-settings.ts';

/** A Jira site that accepted the credential. */
export interface JiraSite {
  http: SourceHttp;
  /** The part of URLs before REST API paths: version 3 on Cloud, 2 on Data Center. */
  api: string;
  /** The part that links begin with. */
  root: string;
  isCloud: boolean;
}

/** Where a search continues: tokens on Cloud, offsets on Data Center. */
export const searchPlace = z.union([
  z.object({ token: z.string() }),
  z.object({ startAt: z.number() }),
]);
export type SearchPlace = z.infer<typeof searchPlace>;

export interface SearchQuery {
  jql: string;
  fields: readonly string[];
  maxResults: number;
  place: SearchPlace | null;
}

export interface SearchAnswer {
  issues: unknown[];
  next: SearchPlace | null;
  /** Reported only by Data Center. */
  total: number | null;
}

const SERVER_INFO = z.object({ deploymentType: z.string().nullish() });
const MAX_SEARCH_BYTES = 60 * 1024 * 1024;

/**
 * Detects the kind of Jira, and checks the account: with a wrong token some versions respond as if to an anonymous
 * visitor.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-server-info/
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-myself/
 * @throws CredentialRejected, or SourceRefused when no Jira responds
 */
export async function openJira(
  settings: TrackerSettings,
  credential: AtlassianCredential,
  context: ConnectorContext,
  gateway: string,
): Promise<JiraSite> {
  const http = context.http.withHabits(atlassianHabits(credential));
  const base = settings.scopedToken
    ? await gatewayBase(context.http, new URL(settings.root).origin, 'jira', gateway)
    : settings.root;
  const { data } = await http.json({ url: `${base}/rest/api/2/serverInfo` }, SERVER_INFO);
  const isCloud = data.deploymentType === 'Cloud';
  if (isCloud && credential.user === null) {
    throw new CredentialRejected(
      `${new URL(settings.root).host} is Jira Cloud: its API tokens need jira_user_email beside them.`,
    );
  }
  const site = {
    http,
    api: `${base}/rest/api/${isCloud ? '3' : '2'}`,
    root: settings.root,
    isCloud,
  };
  await requireAccount(site);
  return site;
}

/**
 * @throws CredentialRejected when the site does not recognize the account (any more)
 */
export async function requireAccount({ http, api }: JiraSite): Promise<void> {
  await http.json({ url: `${api}/myself` }, z.object({}));
}

/**
 * One page of a search.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-post
 * https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/search-searchUsingSearchRequest
 * @returns null when the token of its place is no longer known
 */
export async function searchIssues(
  site: JiraSite,
  query: SearchQuery,
): Promise<SearchAnswer | null> {
  return site.isCloud ? searchCloud(site, query) : searchDataCenter(site, query);
}

const CLOUD_ANSWER = z.object({
  issues: z.array(z.unknown()),
  nextPageToken: z.string().nullish(),
});

async function searchCloud(
  { http, api }: JiraSite,
  { jql, fields, maxResults, place }: SearchQuery,
): Promise<SearchAnswer | null> {
  const token = place && 'token' in place ? place.token : null;
  const request = {
    url: `${api}/search/jql`,
    method: 'POST' as const,
    json: { jql, fields, maxResults, ...(token !== null && { nextPageToken: token }) },
    maxBytes: MAX_SEARCH_BYTES,
  };
  try {
    const { data } = await http.json(request, CLOUD_ANSWER);
    const next = data.nextPageToken ? { token: data.nextPageToken } : null;
    return { issues: data.issues, next, total: null };
  } catch (error) {
    // Either the token has expired or the query is wrong; a request without the token will show which.
    if (token !== null && error instanceof SourceRefused && error.status === 400) return null;
    throw error;
  }
}

const DATA_CENTER_ANSWER = z.object({
  issues: z.array(z.unknown()),
  startAt: z.number(),
  total: z.number(),
});

async function searchDataCenter(
  { http, api }: JiraSite,
  { jql, fields, maxResults, place }: SearchQuery,
): Promise<SearchAnswer> {
  const startAt = place && 'startAt' in place ? place.startAt : 0;
  const { data } = await http.json(
    {
      url: `${api}/search`,
      method: 'POST',
      json: { jql, fields, maxResults, startAt },
      maxBytes: MAX_SEARCH_BYTES,
    },
    DATA_CENTER_ANSWER,
  );
  const end = data.startAt + data.issues.length;
  const isLast = data.issues.length === 0 || end >= data.total;
  return { issues: data.issues, next: isLast ? null : { startAt: end }, total: data.total };
}

/**
 * The approximate number of issues; for Cloud, whose searches do not report it.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-approximate-count-post
 */
export async function approximateCount({ http, api }: JiraSite, jql: string): Promise<number> {
  const { data } = await http.json(
    { url: `${api}/search/approximate-count`, method: 'POST', json: { jql } },
    z.object({ count: z.number() }),
  );
  return data.count;
}
