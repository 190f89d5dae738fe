import { z } from 'zod';
import {
  defineConnector,
  type AnyConnector,
  type ConnectorContext,
  type ConnectorPage,
} from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { mergePages } from '#src/connectors/source/merge-pages.ts';
import {
  BLOCK_LIST,
  isRefused,
  openNotionApi,
  PAGE,
  PAGE_LIST,
  parseNotionId,
  ROW_LIST,
  type NotionApi,
} from './notion-api.ts';
import { createNotionNames } from './notion-names.ts';
import { noContent, readPages, type PageContent, type PageReader } from './notion-page.ts';
import {
  DOCUMENTS_PER_PAGE,
  listShared,
  listTree,
  NOTION_CHECKPOINT,
  pollShared,
  pollTree,
  type NotionCheckpoint,
} from './notion-poll.ts';
import { dataSourcesOf, findRoot } from './notion-tree.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const SETTINGS = z.strictObject({
  root_page_id: z
    .string()
    .nullish()
    .transform((id) => id?.trim() || null)
    .refine((id) => id === null || parseNotionId(id) !== null, {
      error: 'Must be the id or the address of a Notion page or database.',
    })
    .describe(
      'Id or address of a page or database. Empty: everything that is shared with the integration.',
    )
    .meta({ title: 'Page or database' }),
  recursive_index_enabled: z
    .boolean()
    .default(true)
    .describe('With a root page: index everything below it, too.')
    .meta({ title: 'With everything below it' }),
});
type Settings = z.infer<typeof SETTINGS>;

const CREDENTIAL = z.strictObject({
  notion_integration_token: z
    .string()
    .trim()
    .min(1)
    .describe('Secret of an internal integration of Notion.')
    .meta({ title: 'Secret of the integration', writeOnly: true }),
});
type Credential = z.infer<typeof CREDENTIAL>;

/** Written from https://developers.notion.com/reference/intro and the pages linked beside each call. */
export function createNotionConnector({
  apiBase = 'https://api.notion.com/v1',
} = {}): AnyConnector {
  const open = (credential: Credential, { http }: ConnectorContext) =>
    openNotionApi(http, apiBase, credential.notion_integration_token);
  const openReader = (credential: Credential, context: ConnectorContext): PageReader => {
    const api = open(credential, context);
    return { api, names: createNotionNames(api) };
  };
  return defineConnector<Settings, Credential, NotionCheckpoint>({
    kind: 'notion',
    aliases: [],
    title: 'Notion',
    summary: 'Pages and database rows that are shared with a Notion integration.',
    settings: SETTINGS,
    credential: CREDENTIAL,
    checkpoint: NOTION_CHECKPOINT,
    // On average: https://developers.notion.com/reference/request-limits
    limits: { concurrentRequests: 3, requestsPerSecond: 3, documentsPerPage: DOCUMENTS_PER_PAGE },
    defaultRefreshSeconds: 1_800,
    check: async (settings, credential, context) =>
      checkAccess(open(credential, context), settings),
    poll(settings, credential, checkpoint, context) {
      const reader = openReader(credential, context);
      const root = rootOf(settings);
      return root
        ? pollTree(reader, root, context, checkpoint)
        : pollShared(reader, context, checkpoint);
    },
    listIds(settings, credential, context) {
      const root = rootOf(settings);
      const api = open(credential, context);
      return root ? listTree(api, root, context) : listShared(api);
    },
    fetchAgain: (_settings, credential, documentIds, context) =>
      fetchPages(openReader(credential, context), documentIds, context),
  });
}

export const notion = createNotionConnector();

function rootOf(settings: Settings): { id: string; isRecursive: boolean } | null {
  const id = settings.root_page_id === null ? null : parseNotionId(settings.root_page_id);
  return id === null ? null : { id, isRecursive: settings.recursive_index_enabled };
}

/** Reads one page and its first block: an integration may see a page and still not its content. */
async function checkAccess(api: NotionApi, settings: Settings): Promise<void> {
  const root = rootOf(settings);
  if (root) {
    const found = await findRoot(api, root.id);
    if (found.kind === 'database') {
      const [source] = await dataSourcesOf(api, root.id);
      if (source !== undefined) {
        await api.post(`/data_sources/${source}/query`, { page_size: 1 }, ROW_LIST);
      }
    } else await api.get(`/blocks/${root.id}/children?page_size=1`, BLOCK_LIST);
    return;
  }
  const asked = { filter: { property: 'object', value: 'page' }, page_size: 1 };
  const { results } = await api.post('/search', asked, PAGE_LIST);
  const [page] = results;
  if (!page) {
    throw new SourceRefused(
      'The Notion integration can see no page: open a page in Notion and add the integration under "Connections".',
    );
  }
  await api.get(`/blocks/${page.id}/children?page_size=1`, BLOCK_LIST);
}

const FETCHED_AGAIN_AT_ONCE = 3;

async function* fetchPages(
  reader: PageReader,
  documentIds: readonly string[],
  context: ConnectorContext,
): AsyncGenerator<Omit<ConnectorPage<unknown>, 'checkpoint'>, void> {
  for (let start = 0; start < documentIds.length; start += FETCHED_AGAIN_AT_ONCE) {
    const { results, failures } = await fetchEach(
      documentIds.slice(start, start + FETCHED_AGAIN_AT_ONCE),
      (id) => id,
      (id) => fetchPage(reader, id, context),
    );
    yield mergePages([{ failures }, ...results], 'pages that failed before');
  }
}

/** https://developers.notion.com/reference/retrieve-a-page */
async function fetchPage(
  reader: PageReader,
  documentId: string,
  { clock }: ConnectorContext,
): Promise<PageContent> {
  const content = noContent();
  const id = parseNotionId(documentId);
  try {
    if (id === null) content.removed.push(documentId);
    else {
      const page = await reader.api.get(`/pages/${id}`, PAGE);
      await readPages(reader, [page], content, startPageTime(clock));
    }
  } catch (error) {
    if (!isRefused(error, 404)) throw error;
    content.removed.push(documentId);
  }
  return content;
}
