import { z } from 'zod';
import { ATLASSIAN_GATEWAY, type AtlassianCredential } from '#src/connectors/source/atlassian.ts';
import {
  defineConnector,
  pageOf,
  type AnyConnector,
  type Connector,
  type ConnectorContext,
  type ConnectorPage,
  type MemoryEntry,
} from '#src/connectors/source/connector.ts';
import { type CustomField, listCustomFields } from './custom-fields.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { hasLabelToSkip, readIssue, type ReadIssue } from './fetch-issue.ts';
import { recallIssueIds } from './issue-ids.ts';
import { ISSUE_FIELDS, issueKey } from './jira-issue.ts';
import {
  approximateCount,
  openJira,
  requireAccount,
  searchIssues,
  type JiraSite,
} from './jira-site.ts';
import { baseJql, changedJql } from './jql.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import {
  MAX_BATCH,
  TRACKER_CREDENTIAL,
  TRACKER_SETTINGS,
  type TrackerSettings,
} from './tracker-settings.ts';
import { issueCursor, issuesSince, walkIssues, type IssueCursor } from './walk-issues.ts';

const CHECKPOINT = z.object({
  /** Null: everything has been read. */
  cursor: issueCursor.nullable(),
  read: z.number(),
  total: z.number().nullable(),
});
type Checkpoint = z.infer<typeof CHECKPOINT>;

/** Without descriptions and comments, Jira returns more per request. */
const IDS_PER_REQUEST = 1_000;

/**
 * Jira Cloud and Jira Data Center. Issues are read in order of their last change; see `walk-issues.ts`.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/
 * https://developer.atlassian.com/server/jira/platform/rest-apis/
 */
export function createTrackerConnector(options: { gateway?: string } = {}): AnyConnector {
  const open = async (
    settings: TrackerSettings,
    credential: AtlassianCredential,
    context: ConnectorContext,
  ): Promise<JiraSite> =>
    openJira(settings, credential, context, options.gateway ?? ATLASSIAN_GATEWAY);
  const connector: Connector<TrackerSettings, AtlassianCredential, Checkpoint> = {
    kind: 'tracker',
    aliases: ['jira'],
    title: 'Jira',
    summary:
      'Issues of Jira Cloud or Jira Data Center with their descriptions, comments and custom fields.',
    settings: TRACKER_SETTINGS,
    credential: TRACKER_CREDENTIAL,
    checkpoint: CHECKPOINT,
    limits: { concurrentRequests: 4, requestsPerSecond: null, documentsPerPage: MAX_BATCH },
    defaultRefreshSeconds: 30 * 60,

    async check(settings, credential, context) {
      await checkProject(await open(settings, credential, context), settings);
    },
    async *poll(settings, credential, checkpoint, context) {
      if (checkpoint?.cursor === null) return;
      const site = await open(settings, credential, context);
      const reading = { site, settings, context, customFields: await listCustomFields(site) };
      yield* pollIssues(reading, checkpoint, issuesSince(context.since));
    },
    async *listIds(settings, credential, context) {
      const site = await open(settings, credential, context);
      yield* listIssueIds({ site, settings, context });
    },
    async *fetchAgain(settings, credential, documentIds, context) {
      const site = await open(settings, credential, context);
      const reading = { site, settings, context, customFields: await listCustomFields(site) };
      for (let start = 0; start < documentIds.length; start += MAX_BATCH) {
        const portion = documentIds.slice(start, start + MAX_BATCH);
        yield await fetchIssuesAgain(reading, portion);
      }
    },
  };
  return defineConnector(connector);
}

export const trackerConnector: AnyConnector = createTrackerConnector();

async function checkProject(site: JiraSite, settings: TrackerSettings): Promise<void> {
  if (settings.jql === null && settings.projectKey !== null) {
    const url = `${site.api}/project/${encodeURIComponent(settings.projectKey)}`;
    await site.http.json({ url }, z.object({ key: z.string() }));
  }
  const jql = changedJql(baseJql(settings), null);
  await searchIssues(site, { jql, fields: ['updated'], maxResults: 1, place: null });
}

interface Reading {
  site: JiraSite;
  settings: TrackerSettings;
  context: ConnectorContext;
}

interface FullReading extends Reading {
  customFields: readonly CustomField[];
}

async function* pollIssues(
  reading: FullReading,
  checkpoint: Checkpoint | null,
  start: IssueCursor,
): AsyncGenerator<ConnectorPage<Checkpoint>> {
  const { site, settings } = reading;
  let now = checkpoint ?? {
    cursor: start,
    read: 0,
    total: await countIssues(site, settings, start),
  };
  while (now.cursor !== null) {
    const page: ConnectorPage<Checkpoint> = await readPage(reading, now.cursor, now);
    // For an account that lost access in the meantime, the list would seem to end early.
    if (page.checkpoint.cursor === null) await requireAccount(site);
    yield page;
    now = page.checkpoint;
  }
}

async function* listIssueIds({ site, settings, context }: Reading): AsyncGenerator<string[]> {
  const query = { fields: ['updated', 'labels'], maxResults: IDS_PER_REQUEST };
  let cursor: IssueCursor | null = issuesSince(null);
  while (cursor !== null) {
    const walked = await walkIssues(cursor, async (fromMs, place) =>
      searchIssues(site, { ...query, place, jql: changedJql(baseJql(settings), fromMs) }),
    );
    if (walked.unreadable > 0) throw new SourceRefused('Jira listed an issue without its key.');
    const ids = await recallIssueIds(site.root, walked.issues, context);
    yield walked.issues
      .filter(({ raw }) => !hasLabelToSkip(labelsOf(raw), settings))
      .map((issue) => ids.of(issue));
    cursor = walked.next;
  }
  await requireAccount(site);
}

async function readPage(
  { site, settings, context, customFields }: FullReading,
  cursor: IssueCursor,
  before: Checkpoint,
): Promise<ConnectorPage<Checkpoint>> {
  const walked = await walkIssues(cursor, async (fromMs, place) =>
    searchIssues(site, {
      jql: changedJql(baseJql(settings), fromMs),
      fields: fieldsWith(customFields),
      maxResults: settings.batchSize,
      place,
    }),
  );
  const ids = await recallIssueIds(site.root, walked.issues, context);
  const { results, failures } = await fetchEach(
    walked.issues,
    (issue) => ids.of(issue),
    async (issue) => readIssue(site, settings, issue.raw, ids.of(issue), customFields),
  );
  const read = before.read + walked.issues.length + walked.unreadable;
  const total = before.total ?? walked.total;
  for (let index = 0; index < walked.unreadable; index += 1) {
    failures.push({
      documentId: null,
      link: site.root,
      entityId: null,
      reason: 'Jira returned an issue without a key or a time of change.',
    });
  }
  return pageOf({
    ...sorted(results),
    failures,
    memory: ids.memory,
    checkpoint: { cursor: walked.next, read, total },
    description: describe(settings, read, total),
    estimatedTotal: total,
  });
}

function describe(
  { jql, projectKey }: TrackerSettings,
  read: number,
  total: number | null,
): string {
  const where = jql === null && projectKey !== null ? `project ${projectKey}, ` : '';
  return `${where}${read}${total === null ? '' : ` of ${Math.max(read, total)}`} issues`;
}

function sorted(
  results: readonly ReadIssue[],
): Pick<ConnectorPage<unknown>, 'documents' | 'skipped'> {
  return {
    documents: results.flatMap((result) => ('document' in result ? [result.document] : [])),
    skipped: results.flatMap((result) => ('skipped' in result ? [result.skipped] : [])),
  };
}

/** An estimate is worth one request but not a failed run. */
async function countIssues(
  site: JiraSite,
  settings: TrackerSettings,
  { fromMs }: IssueCursor,
): Promise<number | null> {
  if (!site.isCloud) return null;
  try {
    return await approximateCount(site, changedJql(baseJql(settings), fromMs));
  } catch (error) {
    if (error instanceof SourceRefused) return null;
    throw error;
  }
}

const LABELLED = z.object({ fields: z.object({ labels: z.array(z.string()).nullish() }) });

function labelsOf(raw: unknown): readonly string[] | null {
  return LABELLED.safeParse(raw).data?.fields.labels ?? null;
}

function fieldsWith(customFields: readonly CustomField[]): string[] {
  return [...ISSUE_FIELDS, ...customFields.map(({ id }) => id)];
}

const NAMED = z.object({ id: z.string(), key: z.string() });

async function fetchIssuesAgain(
  { site, settings, context, customFields }: FullReading,
  documentIds: readonly string[],
): Promise<Omit<ConnectorPage<unknown>, 'checkpoint'>> {
  const removed: string[] = [];
  const memory: MemoryEntry[] = [];
  const fields = new URLSearchParams({ fields: fieldsWith(customFields).join(',') });
  const { results, failures } = await fetchEach(
    documentIds,
    (id) => id,
    async (id): Promise<ReadIssue | null> => {
      const key = issueKey(site.root, id);
      const url = `${site.api}/issue/${encodeURIComponent(key ?? '')}?${fields}`;
      const answer =
        key === null ? null : await site.http.json({ url, expect: [404] }, z.unknown());
      const raw = answer?.response.status === 404 ? null : (answer?.data ?? null);
      // An issue that moved to another project is also found under its old key.
      const issue = NAMED.safeParse(raw).data;
      const ids = issue && (await recallIssueIds(site.root, [issue], context));
      const documentId = issue && ids ? ids.of(issue) : id;
      if (raw === null || documentId !== id) removed.push(id);
      memory.push(...(ids?.memory ?? []));
      return raw === null ? null : readIssue(site, settings, raw, documentId, customFields);
    },
  );
  const read = results.filter((result) => result !== null);
  return {
    ...pageOf({
      ...sorted(read),
      failures,
      removed,
      memory,
      checkpoint: null,
      description: 'issues that failed before',
    }),
  };
}
