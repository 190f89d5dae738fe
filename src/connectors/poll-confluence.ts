import { z } from 'zod';
import { changedAt, PAGE, PAGE_EXPAND } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import { type ConfluenceSite, requireReader } from './confluence-site.ts';
import { type ConnectorPage, pageOf, type PollContext } from './connector.ts';
import { baseCql, besideCql, changedSinceCql, inOrderOfCreation } from './cql.ts';
import { type ReadPages, readPages } from './fetch-confluence-page.ts';
import { readWaitingFiles, waitingFiles } from './read-attachments.ts';
import { countContent, PAGES_PER_REQUEST, searchContent, searchIds } from './search-content.ts';
import { contentCursor, FIRST_CONTENT } from './walk-content.ts';

export const CONFLUENCE_CHECKPOINT = z.object({
  /**
   * `pages`: what was created or edited. `beside`: pages whose comments or files changed, which does not make a page
   * count as changed; needed by incremental polls only.
   */
  phase: z.enum(['pages', 'beside', 'done']),
  /** Null: the search of this phase is at its end. */
  cursor: contentCursor.nullable(),
  /** Read before the search goes on. */
  waiting: waitingFiles,
  read: z.number(),
  total: z.number().nullable(),
});
export type ConfluenceCheckpoint = z.infer<typeof CONFLUENCE_CHECKPOINT>;

type Step = Omit<ConnectorPage<ConfluenceCheckpoint>, 'description' | 'estimatedTotal'>;

interface Poll {
  site: ConfluenceSite;
  settings: ConfluenceSettings;
  context: PollContext;
}

const NO_FILES = { pages: [], place: null };

export async function* pollConfluence(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  checkpoint: ConfluenceCheckpoint | null,
  context: PollContext,
): AsyncGenerator<ConnectorPage<ConfluenceCheckpoint>> {
  const poll: Poll = { site, settings, context };
  let now = checkpoint ?? {
    phase: 'pages',
    cursor: FIRST_CONTENT,
    waiting: NO_FILES,
    read: 0,
    total: await countContent(site, inOrderOfCreation(...pagesCql(poll))),
  };
  while (now.phase !== 'done') {
    const step: Step = await nextStep(poll, now);
    const next = settled(step.checkpoint, context.since);
    // An account that was shut out meanwhile would see an early end.
    if (next.phase === 'done') await requireReader(site);
    yield {
      ...step,
      checkpoint: next,
      description: describe(settings, now, next),
      estimatedTotal: next.total === null ? null : Math.max(next.total, next.read),
    };
    now = next;
  }
}

async function nextStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  if (now.waiting.pages.length > 0) return filesStep(poll, now);
  return now.phase === 'pages' ? pagesStep(poll, now) : besideStep(poll, now);
}

/** Goes over to the next phase when nothing of this one is left. */
function settled(checkpoint: ConfluenceCheckpoint, since: Date | null): ConfluenceCheckpoint {
  if (checkpoint.cursor !== null || checkpoint.waiting.pages.length > 0) return checkpoint;
  const isLast = checkpoint.phase !== 'pages' || since === null;
  return isLast
    ? { ...checkpoint, phase: 'done' }
    : { ...checkpoint, phase: 'beside', cursor: FIRST_CONTENT };
}

function pagesCql({ settings, context }: Poll): (string | null)[] {
  const { since } = context;
  return [baseCql(settings), since && changedSinceCql(since, settings.timezoneOffsetHours)];
}

async function pagesStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { site, settings, context } = poll;
  const cql = pagesCql(poll)
    .filter((clause) => clause !== null)
    .join(' and ');
  const query = { cql, expand: PAGE_EXPAND, limit: PAGES_PER_REQUEST };
  const found = await searchContent(site, settings, query, now.cursor ?? FIRST_CONTENT);
  const pages = await readPages(site, settings, found.results, context.since);
  return stepOf(pages, { ...now, cursor: found.next, total: now.total ?? found.total });
}

const BESIDE = PAGE.pick({ version: true }).extend({ container: z.object({ id: z.string() }) });

/** Pages with comments or files that changed; those that changed themselves were read in the phase before. */
async function besideStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { site, settings, context } = poll;
  const since = context.since ?? new Date(0);
  const changed = changedSinceCql(since, settings.timezoneOffsetHours);
  const query = {
    cql: `${besideCql(settings)} and ${changed}`,
    expand: 'version,container,history',
    limit: PAGES_PER_REQUEST,
  };
  const found = await searchContent(site, settings, query, now.cursor ?? FIRST_CONTENT);
  const ids = new Set<string>();
  for (const result of found.results) {
    // A draft, or a comment that this account may not see the page of, has no container.
    const { data } = BESIDE.safeParse(result);
    if (data && (changedAt(data) ?? since) >= since) ids.add(data.container.id);
  }
  const results =
    ids.size === 0 ? [] : await searchIds(site, baseCql(settings), [...ids], PAGE_EXPAND);
  const untouched = results.filter((result) => {
    const { data } = PAGE.safeParse(result);
    return !data || (changedAt(data) ?? new Date(0)) < since;
  });
  const pages = await readPages(site, settings, untouched, null);
  return stepOf(pages, { ...now, cursor: found.next });
}

async function filesStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { checkpoint, ...read } = await readWaitingFiles(
    poll.site,
    poll.settings,
    now.waiting,
    poll.context,
  );
  const count = countOf(read);
  return { ...read, checkpoint: { ...now, waiting: checkpoint, read: now.read + count } };
}

function stepOf({ withFiles, ...read }: ReadPages, checkpoint: ConfluenceCheckpoint): Step {
  return {
    ...pageOf({ checkpoint, description: '' }),
    ...read,
    checkpoint: {
      ...checkpoint,
      waiting: { pages: withFiles, place: null },
      read: checkpoint.read + countOf(read),
    },
  };
}

function countOf(read: Pick<Step, 'documents' | 'unchanged' | 'skipped' | 'failures'>): number {
  const { documents, unchanged, skipped, failures } = read;
  return documents.length + unchanged.length + skipped.length + failures.length;
}

function describe(
  { cql, pageId, space }: ConfluenceSettings,
  { phase, waiting }: ConfluenceCheckpoint,
  { read, total }: ConfluenceCheckpoint,
): string {
  const where = cql === null && pageId === null && space !== null ? `space ${space}, ` : '';
  const of = total === null || waiting.pages.length > 0 ? '' : ` of ${Math.max(total, read)}`;
  const what =
    phase === 'pages' ? 'pages and files' : 'pages and files, now those with new comments';
  return `${where}${read}${of} ${what}`;
}
