import type { UserId } from '#src/ids.ts';
import { blockedDomains } from '#src/outreach/do-not-contact.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { type ClaimedScrape, holdScrape } from './claim-scrape.ts';
import { siteDomainOf } from '#src/leads/visit/page-key.ts';
import { ScrapeLost } from './save-site.ts';
import { withScheme } from './scrape-request.ts';
import { searchWeb } from '#src/leads/search/search-web.ts';
import type { SiteCandidate } from '#src/leads/search/site-candidate.ts';

type FindServices = Pick<
  LeadServices,
  'config' | 'db' | 'readReplica' | 'embedder' | 'log' | 'operatorFetch'
>;

/**
 * No real user's id. The workspace shares the result, so the index is searched as a user without private documents.
 * Never stored in a user column.
 */
const NOBODY = '00000000-0000-0000-0000-000000000000' as UserId;

/**
 * Determines the sites of a scrape and stores them, once. Leaves out sites that must not be contacted.
 * @throws SearchProviderFailed, ScrapeLost
 */
export async function findSites(
  services: FindServices,
  scrape: ClaimedScrape,
  signal: AbortSignal,
): Promise<void> {
  const { db, config } = services;
  const { sites: found, omitted } =
    scrape.mode === 'scrape_url'
      ? { sites: groupStarts((scrape.urls ?? [scrape.query]).map(withScheme)), omitted: 0 }
      : await searchWeb(services, {
          workspaceId: scrape.workspace_id,
          userId: NOBODY,
          query: scrape.query,
          wanted: scrape.max_results,
          signal,
        });
  const blocked = await blockedDomains(
    db,
    scrape.workspace_id,
    found.map(({ domain }) => domain),
  );
  const sites = found.filter(({ domain }) => !blocked.has(domain));
  await db.transaction().execute(async (trx) => {
    if (!(await holdScrape(trx, scrape))) throw new ScrapeLost('The scrape is no longer held.');
    if (sites.length > 0) {
      await trx
        .insertInto('lead_scrape_site')
        .values(
          sites.map(({ url, furtherUrls = [], domain, documentIds }, ordinal) => ({
            lead_scrape_id: scrape.id,
            workspace_id: scrape.workspace_id,
            ordinal,
            url,
            domain,
            further_urls: furtherUrls,
            document_ids: documentIds,
          })),
        )
        .execute();
    }
    const provider = scrape.mode === 'scrape_url' ? null : config.LEAD_SEARCH_PROVIDER;
    await trx
      .updateTable('lead_scrape')
      .set({ searched: true, provider, far_sites: omitted, outages: 0 })
      .where('id', '=', scrape.id)
      .execute();
  });
}

/** One visit per domain, because its pages are requested one at a time anyway. */
function groupStarts(urls: readonly string[]): SiteCandidate[] {
  return [...Map.groupBy(urls, siteDomainOf)].flatMap(([domain, [url, ...furtherUrls]]) =>
    url === undefined ? [] : [{ url, furtherUrls, domain, documentIds: [] }],
  );
}
