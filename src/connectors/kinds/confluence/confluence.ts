import { ATLASSIAN_GATEWAY, type AtlassianCredential } from '#src/connectors/source/atlassian.ts';
import { checkConfluence } from './check-confluence.ts';
import {
  CONFLUENCE_CREDENTIAL,
  CONFLUENCE_SETTINGS,
  type ConfluenceSettings,
} from './confluence-settings.ts';
import { type ConfluenceSite, openConfluence } from './confluence-site.ts';
import {
  type AnyConnector,
  type Connector,
  type ConnectorContext,
  defineConnector,
} from '#src/connectors/source/connector.ts';
import { fetchConfluenceAgain } from './fetch-confluence-again.ts';
import { listConfluenceIds } from './list-confluence-ids.ts';
import {
  CONFLUENCE_CHECKPOINT,
  type ConfluenceCheckpoint,
  pollConfluence,
} from './poll-confluence.ts';
import { PAGES_PER_REQUEST } from './search-content.ts';

/**
 * Confluence Cloud and Confluence Data Center. Pages are read in order of creation; see `walk-content.ts`.
 * https://developer.atlassian.com/cloud/confluence/rest/v1/intro/
 * https://developer.atlassian.com/server/confluence/confluence-server-rest-api/
 */
export function createConfluenceConnector(options: { gateway?: string } = {}): AnyConnector {
  const open = async (
    settings: ConfluenceSettings,
    credential: AtlassianCredential,
    context: ConnectorContext,
  ): Promise<ConfluenceSite> =>
    openConfluence(settings, credential, context, options.gateway ?? ATLASSIAN_GATEWAY);
  const connector: Connector<ConfluenceSettings, AtlassianCredential, ConfluenceCheckpoint> = {
    kind: 'confluence',
    aliases: [],
    title: 'Confluence',
    summary:
      'Pages and blog posts of Confluence Cloud or Data Center with their comments and files.',
    settings: CONFLUENCE_SETTINGS,
    credential: CONFLUENCE_CREDENTIAL,
    checkpoint: CONFLUENCE_CHECKPOINT,
    limits: {
      concurrentRequests: 4,
      requestsPerSecond: null,
      documentsPerPage: PAGES_PER_REQUEST,
    },
    defaultRefreshSeconds: 30 * 60,

    async check(settings, credential, context) {
      await checkConfluence(await open(settings, credential, context), settings);
    },
    async *poll(settings, credential, checkpoint, context) {
      if (checkpoint?.phase === 'done') return;
      const site = await open(settings, credential, context);
      yield* pollConfluence(site, settings, checkpoint, context);
    },
    async *listIds(settings, credential, context) {
      yield* listConfluenceIds(await open(settings, credential, context), settings);
    },
    async *fetchAgain(settings, credential, documentIds, context) {
      const site = await open(settings, credential, context);
      yield* fetchConfluenceAgain(site, settings, documentIds, context);
    },
  };
  return defineConnector(connector);
}

export const confluenceConnector: AnyConnector = createConfluenceConnector();
