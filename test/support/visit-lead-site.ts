import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { ExtractorPool } from '#src/leads/extract/extracted-page.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';
import type { VisitServices } from '#src/leads/visit/site-reader.ts';
import { type SiteVisit, visitSite } from '#src/leads/visit/visit-site.ts';
import { ENRICHMENTS } from '#src/tables/leads.ts';
import type { SiteLabel } from './lead-site-label.ts';
import type { LeadSite } from './read-lead-sites.ts';
import { serveLeadSite } from './serve-lead-site.ts';

export interface VisitedLeadSite {
  leads: LeadDraft[];
  state: SiteLabel['expected_state'];
  pages: string[];
}

/** Visits a labelled site over HTTP, as a scrape with every enrichment does. */
export async function visitLeadSite(
  services: VisitServices,
  site: LeadSite,
  extract: typeof extractPage = extractPage,
): Promise<VisitedLeadSite> {
  await using served = await serveLeadSite(site);
  const visit = await visitSite(
    { ...services, http: served.http, leadExtractor: ownExtractor(extract), renderer: null },
    { url: served.start, domain: registrableDomain(site.host) ?? site.host, wants: ENRICHMENTS },
    { signal: AbortSignal.timeout(60_000), owner: 'one', onPage: () => Promise.resolve() },
  );
  return {
    leads: mergeLeads(visit.pages, visit.domain),
    state: stateOf(visit),
    pages: visit.pages.map(({ url }) => url),
  };
}

/** As `scrapeSite` records it. */
function stateOf({ pages, failure, problems }: SiteVisit): VisitedLeadSite['state'] {
  if (pages.length === 0) return 'failed';
  return failure !== null || problems.length > 0 ? 'partial' : 'done';
}

/** Runs in this process: labelled pages are not hostile. */
function ownExtractor(extract: typeof extractPage): ExtractorPool {
  return {
    extract: ({ signal: _signal, ...page }) => Promise.resolve(extract(page)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
