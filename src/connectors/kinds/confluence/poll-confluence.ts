import { z } from 'zod';
import { changedAt, type ConfluencePage, PAGE, PAGE_EXPAND } from './confluence-page.ts';
import type { ConfluenceSettings } from './confluence-settings.ts';
import { type ConfluenceSite, requireReader } from './confluence-site.ts';
import { type ConnectorPage, pageOf, type PollContext } from '#src/connectors/source/connector.ts';
import { baseCql, attachedCql, changedSinceCql, inOrderOfCreation } from './cql.ts';
import { type ReadPages, readPages } from './fetch-confluence-page.ts';
import {
  findMissingPages,
  isLookDue,
  knownPages,
  lastLook,
  lookMemory,
} from './find-missing-pages.ts';
import { readWaitingFiles, waitingFiles } from './read-attachments.ts';
import { countContent, PAGES_PER_REQUEST, searchContent, searchIds } from './search-content.ts';
import { contentCursor, FIRST_CONTENT } from './walk-content.ts';

export const CONFLUENCE_CHECKPOINT = z.object({
  /**
   * `pages`: created or edited pages. `beside`: pages whose comments or files changed, which does not count as a
   * change of the page; only incremental polls need this. `missing`: once a day, pages that appeared without a
   * change.
   */
  phase: z.enum(['pages', 'beside', 'missing', 'done']),
  /** Null: the search of this phase has ended. */
  cursor: contentCursor.nullable(),
  /** Read before the search continues. */
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
  /** When all pages were last listed. */
  looked: Date | null;
}

const NO_FILES = { pages: [], place: null };

export async function* pollConfluence(
  site: ConfluenceSite,
  settings: ConfluenceSettings,
  checkpoint: ConfluenceCheckpoint | null,
  context: PollContext,
): AsyncGenerator<ConnectorPage<ConfluenceCheckpoint>> {
  const poll: Poll = { site, settings, context, looked: await lastLook(context) };
  let now = checkpoint ?? {
    phase: 'pages',
    cursor: FIRST_CONTENT,
    waiting: NO_FILES,
    read: 0,
    total: await countContent(site, inOrderOfCreation(...pagesCql(poll))),
  };
  while (now.phase !== 'done') {
    const step: Step = await nextStep(poll, now);
    const next = settled(step.checkpoint, poll);
    const hasLooked = next.phase === 'done' && (context.since === null || now.phase === 'missing');
    if (hasLooked) step.memory.push(lookMemory(context.clock()));
    // For an account that lost access in the meantime, the list would seem to end early.
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
  if (now.phase === 'missing') return missingStep(poll, now);
  return now.phase === 'pages' ? pagesStep(poll, now) : besideStep(poll, now);
}

/** Moves to the next phase when this one is finished. */
function settled(checkpoint: ConfluenceCheckpoint, poll: Poll): ConfluenceCheckpoint {
  if (checkpoint.cursor !== null || checkpoint.waiting.pages.length > 0) return checkpoint;
  const phase = phaseAfter(checkpoint.phase, poll);
  return { ...checkpoint, phase, cursor: phase === 'done' ? null : FIRST_CONTENT };
}

function phaseAfter(
  phase: ConfluenceCheckpoint['phase'],
  { context, looked }: Poll,
): ConfluenceCheckpoint['phase'] {
  if (context.since === null) return 'done';
  if (phase === 'pages') return 'beside';
  return phase === 'beside' && isLookDue(looked, context.clock()) ? 'missing' : 'done';
}

function pagesCql({ settings, context }: Poll): (string | null)[] {
  const { since } = context;
  return [baseCql(settings), since && changedSinceCql(since, settings.timezoneOffsetHours)];
}

async function pagesStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { site, settings } = poll;
  const cql = pagesCql(poll)
    .filter((clause) => clause !== null)
    .join(' and ');
  const query = { cql, expand: PAGE_EXPAND, limit: PAGES_PER_REQUEST };
  const found = await searchContent(site, settings, query, now.cursor ?? FIRST_CONTENT);
  const isRead = await readBefore(poll, found.results);
  const pages = await readPages(site, settings, found.results, isRead);
  return stepOf(pages, { ...now, cursor: found.next, total: now.total ?? found.total });
}

/** Searches by time are coarse: what changed before the window was read by earlier runs, if it was visible then. */
async function readBefore(
  { context, looked }: Poll,
  results: readonly unknown[],
): Promise<(page: ConfluencePage) => boolean> {
  const { since } = context;
  if (since === null) return () => false;
  const isOlder = ({ version }: ConfluencePage): boolean =>
    Date.parse(version?.when ?? '') < since.getTime();
  if (looked === null) return isOlder;
  const older = results.flatMap((result) => PAGE.safeParse(result).data ?? []).filter(isOlder);
  const known = await knownPages(
    older.map(({ id }) => id),
    context,
  );
  return (page) => isOlder(page) && known.has(page.id);
}

async function missingStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { site, settings, context } = poll;
  const cursor = now.cursor ?? FIRST_CONTENT;
  const missing = await findMissingPages(site, settings, cursor, context);
  const pages = await readPages(site, settings, missing.results, () => false);
  return stepOf(pages, { ...now, cursor: missing.next });
}

const BESIDE = PAGE.pick({ version: true }).extend({ container: z.object({ id: z.string() }) });

/** Pages with changed comments or files; pages that changed themselves were read in the phase before. */
async function besideStep(poll: Poll, now: ConfluenceCheckpoint): Promise<Step> {
  const { site, settings, context } = poll;
  const since = context.since ?? new Date(0);
  const changed = changedSinceCql(since, settings.timezoneOffsetHours);
  const query = {
    cql: `${attachedCql(settings)} and ${changed}`,
    expand: 'version,container,history',
    limit: PAGES_PER_REQUEST,
  };
  const found = await searchContent(site, settings, query, now.cursor ?? FIRST_CONTENT);
  const ids = new Set<string>();
  for (const result of found.results) {
    // A draft has no container, nor does a comment on a page that this account cannot see.
    const { data } = BESIDE.safeParse(result);
    if (data && (changedAt(data) ?? since) >= since) ids.add(data.container.id);
  }
  const results =
    ids.size === 0 ? [] : await searchIds(site, baseCql(settings), [...ids], PAGE_EXPAND);
  const untouched = results.filter((result) => {
    const { data } = PAGE.safeParse(result);
    return !data || (changedAt(data) ?? new Date(0)) < since;
  });
  const pages = await readPages(site, settings, untouched, () => false);
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

const NOW = { beside: 'with new comments', missing: 'that came without a change', done: '' };

function describe(
  { cql, pageId, space }: ConfluenceSettings,
  { phase, waiting }: ConfluenceCheckpoint,
  { read, total }: ConfluenceCheckpoint,
): string {
  const where = cql === null && pageId === null && space !== null ? `space ${space}, ` : '';
  const of = total === null || waiting.pages.length > 0 ? '' : ` of ${Math.max(total, read)}`;
  const what = phase === 'pages' ? 'pages and files' : `pages and files, now those ${NOW[phase]}`;
  return `${where}${read}${of} ${what}`;
}
