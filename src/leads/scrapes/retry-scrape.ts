import { sql } from 'kysely';
import type { LeadServices } from '#src/leads/lead-services.ts';
import type { LeadScrapeId } from '#src/ids.ts';
import { sendScrape } from './start-scrape.ts';

/**
 * Continues a failed scrape with the remaining sites.
 * @returns false when it is no longer failed
 */
export async function retryScrape(
  services: Pick<LeadServices, 'db' | 'log' | 'producer'>,
  id: LeadScrapeId,
  requestId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update lead_scrape set status = 'queued', error = null, outages = 0, finished_at = null,
      processing_time_ms = null, next_attempt_at = null, queued_at = now()
    where id = ${id} and status = 'failed' returning id`.execute(services.db);
  if (rows.length === 0) return false;
  await sendScrape(services, id, { requestId, place: 1 });
  return true;
}
