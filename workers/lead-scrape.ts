import { leadScrape } from '#queues/lead-scrape.ts';
import { scrapeLeads } from '#src/leads/scrapes/scrape-leads.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(leadScrape, async (services, { scrapeId }, job) => ({
  ...(await scrapeLeads(services, scrapeId, job.signal)),
}));
