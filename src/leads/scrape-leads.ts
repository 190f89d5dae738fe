import type { LeadScrapeId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

/** Takes a scrape a step further. */
export function scrapeLeads(
  _services: Services,
  scrapeId: LeadScrapeId,
  _signal: AbortSignal,
): Promise<{ scrapeId: LeadScrapeId; end: string }> {
  return Promise.resolve({ scrapeId, end: 'not written yet' });
}
