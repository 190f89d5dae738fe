import { z } from 'zod';
import {
  ENRICHMENTS,
  LEAD_SCRAPE_STATUSES,
  SCRAPE_MODES,
  SITE_STATUSES,
} from '#src/tables/leads.ts';
import { leadDetailsSchema, presentLeadDetails } from './present-lead.ts';
import { scrapeWarnings } from './scrape-warnings.ts';
import type { ScrapeDetails, ScrapeRecord } from './scrapes.ts';

const timestamp = z.iso.datetime();

export const scrapeSchema = z
  .object({
    scrape_id: z.string(),
    mode: z.enum(SCRAPE_MODES),
    query: z
      .string()
      .describe(
        'The words or the address; for several addresses, the first and the number of others.',
      ),
    urls: z.array(z.string()).nullable().describe('The addresses, if the request named several.'),
    max_results: z.int(),
    enrichment: z.array(z.enum(ENRICHMENTS)),
    status: z.enum(LEAD_SCRAPE_STATUSES),
    provider: z
      .string()
      .nullable()
      .describe('Who named the sites: `index`, `searxng` or `brave`; null for scrape_url.'),
    pages_done: z.int(),
    total_results: z.int().describe('Leads so far.'),
    error: z.string().nullable(),
    processing_time_ms: z.int().nullable(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    expires_at: timestamp.nullable().describe('When its leads are deleted.'),
  })
  .meta({ id: 'LeadScrape' });

export const scrapeDetailsSchema = scrapeSchema.extend({
  sites: z.array(
    z.object({
      url: z.string(),
      domain: z.string(),
      status: z
        .enum(SITE_STATUSES)
        .describe('`partial`: pages that the site names could not be read, see `problems`.'),
      pages: z.int(),
      error: z.string().nullable(),
      problems: z
        .array(z.object({ url: z.string(), reason: z.string() }))
        .describe('The pages that could not be read, at most 21.'),
    }),
  ),
  warnings: z
    .array(z.string())
    .describe('What may be missing, a sentence each, once the scrape has ended.'),
  leads: z.array(leadDetailsSchema),
});

export function presentScrape(row: ScrapeRecord): z.input<typeof scrapeSchema> {
  return {
    scrape_id: row.id,
    mode: row.mode,
    query: row.query,
    urls: row.urls,
    max_results: row.max_results,
    enrichment: row.enrichment,
    status: row.status,
    provider: row.provider,
    pages_done: row.pages_done,
    total_results: row.leads_found,
    error: row.error,
    processing_time_ms: row.processing_time_ms,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

export function presentScrapeDetails({
  scrape,
  sites,
  leads,
}: ScrapeDetails): z.input<typeof scrapeDetailsSchema> {
  return {
    ...presentScrape(scrape),
    sites,
    warnings: scrapeWarnings({ scrape, sites }),
    leads: leads.map((lead) => presentLeadDetails(lead, scrape.enrichment)),
  };
}
