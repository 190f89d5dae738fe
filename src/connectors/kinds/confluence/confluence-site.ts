import { z } from 'zod';
import {
  atlassianHabits,
  gatewayBase,
  type AtlassianCredential,
} from '#src/connectors/source/atlassian.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { CredentialRejected } from '#src/connectors/source/source-errors.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';

/** A Confluence site that accepted the credential. */
export interface ConfluenceSite {
  http: SourceHttp;
  /** The part of URLs before `/rest/api`. */
  api: string;
  /** The part that links begin with. */
  root: string;
  isCloud: boolean;
}

/** Query parameters with which the server continues a list: a cursor on Cloud, an offset on Data Center. */
export const listPlace = z.record(z.string(), z.string());
export type ListPlace = z.infer<typeof listPlace>;

export interface ContentList {
  results: unknown[];
  next: ListPlace | null;
  /** Null when the server does not report it. */
  total: number | null;
}

const PLACE_PARAMETERS = ['cursor', 'next', 'start'];
const MAX_LIST_BYTES = 60 * 1024 * 1024;

/**
 * Confluence Cloud and Data Center, as the settings say. Both are searched with version 1 of the REST API.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/intro/
 * https://developer.atlassian.com/server/confluence/confluence-server-rest-api/
 * @throws CredentialRejected
 */
export async function openConfluence(
  settings: ConfluenceSettings,
  credential: AtlassianCredential,
  context: ConnectorContext,
  gateway: string,
): Promise<ConfluenceSite> {
  const { origin, host } = new URL(settings.root);
  if (settings.isCloud && credential.user === null) {
    throw new CredentialRejected(
      `${host} is Confluence Cloud: its API tokens need confluence_username, an e-mail address, beside them.`,
    );
  }
  const site = {
    http: context.http.withHabits(atlassianHabits(credential)),
    api: settings.scopedToken
      ? `${await gatewayBase(context.http, origin, 'confluence', gateway)}/wiki`
      : settings.root,
    root: settings.root,
    isCloud: settings.isCloud,
  };
  await requireReader(site);
  return site;
}

const USER = z.object({ type: z.string().nullish() });

/**
 * With a wrong token some versions respond as if to an anonymous visitor.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/#api-wiki-rest-api-user-current-get
 * @throws CredentialRejected when the site does not recognize the account (any more)
 */
export async function requireReader({ http, api, root }: ConfluenceSite): Promise<void> {
  const { data } = await http.json({ url: `${api}/rest/api/user/current` }, USER);
  if (data.type === 'anonymous') {
    throw new CredentialRejected(
      `${new URL(root).host} treated this account as an anonymous visitor. Check the token and the user name.`,
    );
  }
}

const LIST = z.object({
  results: z.array(z.unknown()),
  totalSize: z.number().nullish(),
  _links: z.object({ next: z.string().nullish() }).nullish(),
});

/**
 * One page of a list. From the link to the next page only the position is used: behind a gateway or proxy its host
 * may be wrong.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content/#api-wiki-rest-api-content-search-get
 */
export async function listContent(
  { http, api }: ConfluenceSite,
  path: string,
  query: Record<string, string>,
  place: ListPlace | null,
): Promise<ContentList> {
  const parameters = new URLSearchParams({ ...query, ...place });
  const url = `${api}/rest/api/${path}?${parameters}`;
  const { data } = await http.json({ url, maxBytes: MAX_LIST_BYTES }, LIST);
  return {
    results: data.results,
    next: placeOf(data._links?.next ?? null),
    total: data.totalSize ?? null,
  };
}

function placeOf(next: string | null): ListPlace | null {
  if (next === null || !next.includes('?')) return null;
  const parameters = new URLSearchParams(next.slice(next.indexOf('?') + 1));
  const place = [...parameters].filter(([name]) => PLACE_PARAMETERS.includes(name));
  return place.length === 0 ? null : Object.fromEntries(place);
}
