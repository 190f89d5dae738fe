import type { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { type leadSchema, presentLead } from './present-lead.ts';
import { scrapeWarnings } from './scrape-warnings.ts';
import { findScrape, findScrapeDetails, type ScrapeAddress } from './scrapes.ts';

/** Below the half minute after which many clients and proxies give up. */
const WAIT_MS = 25_000;

export interface ScrapeResult {
  leads: z.input<typeof leadSchema>[];
  total_results: number;
  processing_time_ms: number;
  /** Who named the sites; for keyword searches. */
  provider?: string;
  /** What may be missing; only when something may. */
  warnings?: string[];
}

/**
 * Waits for the end of a scrape.
 * @returns null when it does not finish in time
 * @throws Problem BAD_GATEWAY that says which provider or site failed, CONFLICT when it was canceled in the meantime
 */
export async function awaitScrape(
  services: Pick<LeadServices, 'config' | 'db' | 'scrapeWatch'>,
  address: ScrapeAddress,
  signal: AbortSignal,
): Promise<ScrapeResult | null> {
  const { scrapeWatch } = services;
  const { id } = address;
  if (!(await scrapeWatch.finished(id, { timeoutMs: WAIT_MS, signal }))) return null;
  const scrape = await findScrape(services, address);
  switch (scrape.status) {
    case 'queued':
    case 'running':
      return null;
    case 'failed':
      throw new Problem('BAD_GATEWAY', scrape.error ?? 'The scrape failed.');
    case 'canceled':
      throw new Problem(
        'CONFLICT',
        `The scrape was canceled. GET /tools/lead-scraper/${id} shows what it had found.`,
      );
    case 'completed': {
      const details = await findScrapeDetails(services, address);
      const leads = details.leads.map((lead) => presentLead(lead, scrape.enrichment));
      const warnings = scrapeWarnings(details);
      return {
        leads,
        total_results: leads.length,
        processing_time_ms: scrape.processing_time_ms ?? 0,
        ...(scrape.provider !== null && { provider: scrape.provider }),
        ...(warnings.length > 0 && { warnings }),
      };
    }
  }
}
