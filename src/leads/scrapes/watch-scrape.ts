import { Problem } from '#src/platform/errors.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { presentScrape, presentScrapeDetails } from './present-scrape.ts';
import { findScrape, findScrapeDetails, type ScrapeAddress } from './scrapes.ts';

const LOOK_EVERY_MS = 400;
const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 15 * 60_000;

/**
 * A scrape's progress as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html):
 * `progress` after every change, and `end` with the whole scrape once it is finished or deleted. Event ids count up.
 * @throws Problem NOT_FOUND before the first event
 */
export async function* watchScrape(
  services: Pick<LeadServices, 'config' | 'db' | 'scrapeWatch' | 'wait'>,
  address: ScrapeAddress,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const startedAt = performance.now();
  const { stopping } = services.scrapeWatch;
  const either = AbortSignal.any([signal, stopping]);
  let told = '';
  let toldAt = startedAt;
  let count = 0;
  const frame = (event: string, data: unknown): string => {
    count += 1;
    return `id: ${count}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  };
  // When this process stops, the client reconnects to another one.
  while (performance.now() - startedAt < LONGEST_MS && !stopping.aborted) {
    const scrape = await findScrape(services, address).catch((error: unknown) => {
      if (count > 0 && error instanceof Problem && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    if (scrape === null) {
      yield frame('end', { scrape_id: address.id, status: 'deleted' });
      return;
    }
    if (scrape.finished_at !== null) {
      const details = await findScrapeDetails(services, address).catch(() => null);
      yield frame('end', details ? presentScrapeDetails(details) : presentScrape(scrape));
      return;
    }
    const { status, pages_done, leads_found } = scrape;
    const now = performance.now();
    const state = `${status} ${pages_done} ${leads_found}`;
    if (state !== told) {
      told = state;
      toldAt = now;
      yield frame('progress', presentScrape(scrape));
    } else if (now - toldAt > HEARTBEAT_MS) {
      toldAt = now;
      yield ': still at it\n\n';
    }
    await services.wait(LOOK_EVERY_MS, either).catch(() => signal.throwIfAborted());
  }
}
