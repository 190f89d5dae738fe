import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { PageProblem } from '#src/tables/leads.ts';
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
  /** The pages that could not be read. */
  problems: PageProblem[];
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
  { leads, pages, failure, problems }: SiteResult,
): Promise<number> {
  const { id: scrapeId } = scrape;
  return db.transaction().execute(async (trx) => {
    await replaceLeadsOfSite(trx, scrape, ordinal, leads);
    await trx
      .updateTable('lead_scrape_site')
      .set({
        status: failure !== null ? 'failed' : problems.length > 0 ? 'partial' : 'done',
        pages,
        error: failure === null ? null : cleanText(failure),
        problems: JSON.stringify(
          problems.map(({ url, reason }) => ({ url: cleanText(url), reason: cleanText(reason) })),
        ),
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

/**
 * Counts one more page and saves what the site's pages say so far: it stays when the scrape is canceled, and clients see
 * it while the visit goes on.
 * @throws ScrapeLost
 */
export async function savePages(
  db: Database,
  scrape: ClaimedScrape,
  { ordinal }: Pick<PendingSite, 'ordinal'>,
  leads: readonly ScoredLead[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await replaceLeadsOfSite(trx, scrape, ordinal, leads);
    await sql`
      update lead_scrape set pages_done = pages_done + 1,
        leads_found = (select count(*)::int from lead where lead_scrape_id = ${scrape.id})
      where id = ${scrape.id}`.execute(trx);
  });
}

/**
 * Ends the sites that were not visited in time. Sites where a previous worker found something become `partial`.
 * @throws ScrapeLost
 */
export async function endPendingSites(
  db: Database,
  scrape: ClaimedScrape,
  reason: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await holdScrape(trx, scrape))) throw new ScrapeLost('The scrape is no longer held.');
    await sql`
      update lead_scrape_site s set status = case when known.is_known then 'partial' else 'failed' end,
        error = case when known.is_known then null else ${reason}::text end,
        problems = case when known.is_known
          then json_build_array(json_build_object('url', s.url, 'reason', ${reason}::text))
          else s.problems end
      from (select p.ordinal, exists (select 1 from lead l where l.lead_scrape_id = ${scrape.id}
            and l.site_ordinal = p.ordinal) as is_known
          from lead_scrape_site p where p.lead_scrape_id = ${scrape.id}) known
      where s.lead_scrape_id = ${scrape.id} and s.ordinal = known.ordinal and s.status = 'pending'`.execute(
      trx,
    );
  });
}

async function replaceLeadsOfSite(
  trx: DatabaseTransaction,
  scrape: ClaimedScrape,
  ordinal: number,
  leads: readonly ScoredLead[],
): Promise<void> {
  const { id: scrapeId, workspace_id: workspaceId } = scrape;
  if (!(await holdScrape(trx, scrape))) throw new ScrapeLost('The scrape is no longer held.');
  const allowed = await withoutDoNotContact(trx, workspaceId, leads);
  const rows = allowed.map((lead) => ({ site_ordinal: ordinal, lead }));
  await replaceLeads(trx, { workspaceId, scrapeId }, rows, ordinal);
}

/**
 * Right before each request to a site: none follows a cancel.
 * @throws ScrapeLost
 */
export async function assertHeld(db: Database, { id, token }: ClaimedScrape): Promise<void> {
  const held = await db
    .selectFrom('lead_scrape')
    .select('id')
    .where('id', '=', id)
    .where('claim_token', '=', token)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (!held) throw new ScrapeLost('The scrape is no longer held.');
}
