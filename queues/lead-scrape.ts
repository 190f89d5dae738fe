import { z } from 'zod';
import type { LeadScrapeId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is a scrape's id.
const scrapeId = z.uuid() as unknown as z.ZodType<LeadScrapeId>;

/** Continues a scrape with the remaining sites. Progress is kept in its rows. */
export const leadScrape = defineQueue({
  name: 'lead-scrape',
  payload: z.object({ scrapeId }),
  key: ({ scrapeId: id }) => id,
  attempts: 3,
  concurrency: 8,
  timeoutMs: 10 * 60_000,
  isResumable: true,
});
