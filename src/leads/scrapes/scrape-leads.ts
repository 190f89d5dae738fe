import type { LeadScrapeId } from '#src/ids.ts';
import { keepLease, LeaseLost } from '#src/platform/keep-lease.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import {
  type ClaimedScrape,
  claimScrape,
  nextScrapes,
  type PendingSite,
  pendingSites,
  releaseScrape,
  renewScrape,
} from './claim-scrape.ts';
import { findSites } from './find-sites.ts';
import { completeScrape, failScrape } from './finish-scrape.ts';
import { beginSite, endPendingSites, saveSite, ScrapeLost } from './save-site.ts';
import { scrapeSite } from './scrape-site.ts';
import { SearchProviderFailed } from '#src/leads/search/search-provider.ts';
import { sendScrape } from './start-scrape.ts';

const SITES_AT_ONCE = 8;
/** Fewer sites than this leave no choice. */
const MIN_SITES = 3;
/** Limit for one worker's turn; the result is whatever has been found by then. */
const TIME_MS = 4 * 60_000;
const MAX_OUTAGES = 3;
const FIRST_RETRY_MS = 1_500;

type ScrapeServices = Pick<
  LeadServices,
  | 'clock'
  | 'config'
  | 'db'
  | 'readReplica'
  | 'dns'
  | 'embedder'
  | 'http'
  | 'leadExtractor'
  | 'log'
  | 'operatorFetch'
  | 'pointsAwarder'
  | 'producer'
  | 'renderer'
  | 'wait'
>;

interface ScrapeFacts {
  scrapeId: LeadScrapeId;
  end: 'nothing to do' | 'completed' | 'failed' | 'waiting' | 'lost';
}

/**
 * Runs a scrape from its current state to its end: finds the sites, reads the remaining ones, a few at a time, and
 * chooses the result. Does nothing when another worker holds it.
 * @param options `timeMs`: after this time no further site is started; 4 minutes by default
 * @throws the signal's reason, or an error that prevents writing to the database; the scrape then continues elsewhere
 */
export async function scrapeLeads(
  services: ScrapeServices,
  scrapeId: LeadScrapeId,
  signal: AbortSignal,
  { timeMs = TIME_MS }: { timeMs?: number } = {},
): Promise<ScrapeFacts> {
  const scrape = await claimScrape(services.db, scrapeId);
  if (!scrape) return { scrapeId, end: 'nothing to do' };
  if (scrape.outages > MAX_OUTAGES) {
    const reason = `The scrape was abandoned: ${scrape.outages} times in a row, its worker was lost.`;
    await failScrape(services, scrape, reason);
    return { scrapeId, end: 'failed' };
  }
  using lease = keepLease(() => renewScrape(services.db, scrape));
  const both = AbortSignal.any([signal, lease.signal]);
  try {
    return { scrapeId, end: await runScrape(services, scrape, { signal: both, timeMs }) };
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof ScrapeLost || lease.signal.aborted) {
      return { scrapeId, end: 'lost' };
    }
    await releaseScrape(services.db, scrape, { isOutage: !signal.aborted }).catch(() => undefined);
    throw error;
  } finally {
    await sendNext(services, scrape);
  }
}

/** A workspace has only a few scrapes running at a time: the free place goes to its next one. */
async function sendNext(
  services: ScrapeServices,
  { id, workspace_id: workspaceId }: ClaimedScrape,
): Promise<void> {
  // If this fails, `reconcile` finds them.
  const next = await nextScrapes(services.db, workspaceId).catch(() => []);
  for (const [index, scrape] of next.entries()) {
    // This one has its own job, or gets it back from the queue.
    if (scrape.id === id) continue;
    await sendScrape(services, scrape.id, { requestId: scrape.request_id, place: index + 1 });
  }
}

async function runScrape(
  services: ScrapeServices,
  scrape: ClaimedScrape,
  { signal, timeMs }: { signal: AbortSignal; timeMs: number },
): Promise<ScrapeFacts['end']> {
  try {
    if (!scrape.searched) await findSites(services, scrape, signal);
  } catch (error) {
    if (!(error instanceof SearchProviderFailed)) throw error;
    return retryOrFail(services, scrape, error);
  }
  await scrapeSites(services, scrape, { signal, timeMs });
  const failure = await explainNoPages(services, scrape);
  if (failure !== null) {
    await failScrape(services, scrape, failure);
    return 'failed';
  }
  await completeScrape(services, scrape, signal);
  return 'completed';
}

/** A provider may be busy for a moment, and a user is waiting: few attempts, close together. */
async function retryOrFail(
  services: ScrapeServices,
  scrape: ClaimedScrape,
  error: SearchProviderFailed,
): Promise<'waiting' | 'failed'> {
  if (!error.isTemporary || scrape.outages + 1 >= MAX_OUTAGES) {
    await failScrape(services, scrape, error.message);
    return 'failed';
  }
  const delayMs = FIRST_RETRY_MS * 2 ** scrape.outages;
  await releaseScrape(services.db, scrape, { delayMs, isOutage: true });
  await sendScrape(services, scrape.id, { requestId: scrape.request_id, place: 1, delayMs });
  return 'waiting';
}

/** A few at a time, until all are done, enough is found, or the time is up. */
async function scrapeSites(
  services: ScrapeServices,
  scrape: ClaimedScrape,
  { signal, timeMs }: { signal: AbortSignal; timeMs: number },
): Promise<void> {
  const left = await pendingSites(services.db, scrape);
  const endsAtMs = performance.now() + timeMs;
  let done = 0;
  let isEnough = false;
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const takeSites = async (): Promise<void> => {
    while (!isEnough && performance.now() <= endsAtMs) {
      const site = left.shift();
      if (site === undefined) return;
      const leads = await endSite(services, scrape, site, both);
      done += 1;
      // A request that names addresses wants all of them read.
      isEnough =
        scrape.mode === 'keyword_search' && leads >= scrape.max_results && done >= MIN_SITES;
    }
  };
  const takers = Array.from({ length: Math.min(SITES_AT_ONCE, left.length) }, async () => {
    try {
      await takeSites();
    } catch (error) {
      // Stops the others, too, so that nothing continues in the background.
      ending.abort(error);
      throw error;
    }
  });
  const settled = await Promise.allSettled(takers);
  signal.throwIfAborted();
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  if (left.length > 0 && !isEnough) await endPendingSites(services.db, scrape, outOfTime(timeMs));
}

function outOfTime(timeMs: number): string {
  return `The search ended after ${Math.round(timeMs / 60_000)} minutes, before its turn came.`;
}

async function endSite(
  services: ScrapeServices,
  scrape: ClaimedScrape,
  site: PendingSite,
  signal: AbortSignal,
): Promise<number> {
  await beginSite(services.db, scrape, site);
  const result = await scrapeSite(services, scrape, site, signal);
  signal.throwIfAborted();
  return saveSite(services.db, scrape, site, result);
}

/** Null when a page of any site was read, or there were no sites. */
async function explainNoPages(
  { db }: Pick<LeadServices, 'db'>,
  { id }: ClaimedScrape,
): Promise<string | null> {
  const sites = await db
    .selectFrom('lead_scrape_site')
    .select(['status', 'error', 'domain'])
    .where('lead_scrape_id', '=', id)
    .orderBy('ordinal')
    .execute();
  const failed = sites.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (!first || failed.length < sites.length) return null;
  const reason = first.error ?? `${first.domain} could not be read.`;
  if (sites.length === 1) return reason;
  return `None of the ${sites.length} sites could be read. The first: ${reason}`;
}
