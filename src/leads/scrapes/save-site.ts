import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import type { Database } from '#src/platform/database.ts';
import { type ClaimedScrape, holdScrape, type PendingSite } from './claim-scrape.ts';
import { withoutDoNotContact } from './honour-do-not-contact.ts';
import type { ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { replaceLeads } from './lead-rows.ts';

/** The outcome of a visit to a site. */
export interface SiteResult {
  leads: ScoredLead[];
  pages: number;
  /** Why nothing could be read; null when something was. */
  failure: string | null;
}

/** Another worker has the scrape, or it was canceled. */
export class ScrapeLost extends Error {
  override readonly name = 'ScrapeLost';
}

/**
 * Ends a site: saves its leads, its state and the counts of the scrape, all or nothing. Idempotent.
 * @returns the number of leads that the scrape has now
 * @throws ScrapeLost
 */
export async function saveSite(
  db: Database,
  scrape: ClaimedScrape,
  { ordinal }: Pick<PendingSite, 'ordinal'>,
  { leads, pages, failure }: SiteResult,
): Promise<number> {
  const { id: scrapeId, workspace_id: workspaceId } = scrape;
  return db.transaction().execute(async (trx) => {
    if (!(await holdScrape(trx, scrape))) throw new ScrapeLost('The scrape is no longer held.');
    const allowed = await withoutDoNotContact(trx, workspaceId, leads);
    const rows = allowed.map((lead) => ({ site_ordinal: ordinal, lead }));
    await replaceLeads(trx, { workspaceId, scrapeId }, rows, ordinal);
    await trx
      .updateTable('lead_scrape_site')
      .set({
        status: failure === null ? 'done' : 'failed',
        pages,
        error: failure === null ? null : cleanText(failure),
      })
      .where('lead_scrape_id', '=', scrapeId)
      .where('ordinal', '=', ordinal)
      .execute();
    const { rows: counts } = await sql<{ leads_found: number }>`
      update lead_scrape set outages = 0,
        pages_done = (select coalesce(sum(pages), 0)::int from lead_scrape_site
          where lead_scrape_id = ${scrapeId}),
        leads_found = (select count(*)::int from lead where lead_scrape_id = ${scrapeId})
      where id = ${scrapeId} returning leads_found`.execute(trx);
    return counts[0]?.leads_found ?? 0;
  });
}

/**
 * Records that a worker begins a site.
 * @throws ScrapeLost
 */
export async function beginSite(
  db: Database,
  { id, token }: ClaimedScrape,
  { ordinal }: Pick<PendingSite, 'ordinal'>,
): Promise<void> {
  const { rows } = await sql`
    update lead_scrape_site set starts = starts + 1
    where lead_scrape_id = ${id} and ordinal = ${ordinal} and exists (
      select 1 from lead_scrape where id = ${id} and claim_token = ${token} and finished_at is null)
    returning ordinal`.execute(db);
  if (rows.length === 0) throw new ScrapeLost('The scrape is no longer held.');
}

/** Counts one more page, for clients that watch the progress. */
export async function countPage(db: Database, { id, token }: ClaimedScrape): Promise<void> {
  await db
    .updateTable('lead_scrape')
    .set((eb) => ({ pages_done: eb('pages_done', '+', 1) }))
    .where('id', '=', id)
    .where('claim_token', '=', token)
    .execute();
}
