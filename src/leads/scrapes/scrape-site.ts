import type { LeadServices } from '#src/leads/lead-services.ts';
import type { Enrichment, ScrapeMode } from '#src/tables/leads.ts';
import type { ClaimedScrape, PendingSite } from './claim-scrape.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import type { Evidenced, LeadDraft, ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { readIndexedSite } from '#src/leads/search/read-indexed-site.ts';
import { mostReachable } from './reachability.ts';
import { assertHeld, savePages, type SiteResult } from './save-site.ts';
import { scored, scoreDrafts } from './score-drafts.ts';
import { type OnPage, type SiteVisit, visitSite } from '#src/leads/visit/visit-site.ts';
import { onlyWanted } from './wanted-facts.ts';

/** One worker may die at a site by chance; after three the site is skipped. */
const MAX_STARTS = 3;

/**
 * Per site. A result has at most 50 leads, only a few of them from each of several sites; sites with thousands of
 * names must not fill the database or the memory.
 */
const MAX_LEADS: Readonly<Record<ScrapeMode, number>> = { scrape_url: 200, keyword_search: 60 };

type SiteServices = Pick<
  LeadServices,
  'config' | 'db' | 'dns' | 'http' | 'leadExtractor' | 'renderer' | 'wait'
>;

/**
 * Reads a site and extracts its leads. Indexed sites are read from the index. The site itself is visited only when
 * the index lacks the requested addresses or phones; a failed visit is then not a failure.
 * @throws the signal's reason
 */
export async function scrapeSite(
  services: SiteServices,
  scrape: ClaimedScrape,
  site: PendingSite,
  signal: AbortSignal,
): Promise<SiteResult> {
  if (site.starts >= MAX_STARTS) {
    const failure = `${site.domain} was skipped: its worker was lost ${site.starts} times.`;
    return { leads: [], pages: 0, failure, problems: [] };
  }
  const indexed =
    site.document_ids.length === 0
      ? []
      : await readIndexedSite(
          services,
          { workspaceId: scrape.workspace_id, documentIds: site.document_ids },
          signal,
        );
  const known = await leadsOf(services, scrape, { pages: indexed, domain: site.domain }, signal);
  // Persons can be recognized only on the original pages.
  if (hasContacts(known, scrape.enrichment) && !indexed.some(({ isFlat }) => isFlat)) {
    return { leads: known, pages: indexed.length, failure: null, problems: [] };
  }
  const visit = await visitBySchemes(services, scrape, site, {
    signal,
    async onPage(visited, visitedDomain) {
      const domain = indexed.length > 0 ? site.domain : visitedDomain;
      const drafts = draftsOf(scrape, { pages: [...indexed, ...visited], domain });
      const leads = drafts.map((draft) => scored(draft, null));
      await savePages(services.db, scrape, site, leads);
    },
  });
  const pages = [...indexed, ...visit.pages];
  // A site may have moved since it was indexed or linked.
  const domain = indexed.length > 0 ? site.domain : visit.domain;
  return {
    leads: await leadsOf(services, scrape, { pages, domain }, signal),
    pages: pages.length,
    failure: pages.length === 0 ? visit.failure : null,
    problems:
      pages.length === 0 || visit.failure === null
        ? visit.problems
        : [{ url: site.url, reason: visit.failure }, ...visit.problems],
  };
}

async function leadsOf(
  { dns }: Pick<LeadServices, 'dns'>,
  scrape: ClaimedScrape,
  read: { pages: readonly ExtractedPage[]; domain: string },
  signal: AbortSignal,
): Promise<ScoredLead[]> {
  return scoreDrafts(dns, draftsOf(scrape, read), { wants: scrape.enrichment, signal });
}

function draftsOf(
  { mode, urls, enrichment }: ClaimedScrape,
  { pages, domain }: { pages: readonly ExtractedPage[]; domain: string },
): LeadDraft[] {
  const drafts = mostReachable(
    mergeLeads(pages, domain),
    MAX_LEADS[urls === null ? mode : 'keyword_search'],
  );
  return withWebsites(drafts, pages).map((draft) => onlyWanted(draft, enrichment));
}

/** A URL without a scheme may mean a site that is not available over https. */
async function visitBySchemes(
  services: SiteServices,
  scrape: ClaimedScrape,
  { url, further_urls: furtherUrls, domain }: PendingSite,
  options: { signal: AbortSignal; onPage: OnPage },
): Promise<SiteVisit> {
  const visit = async (start: string, further: readonly string[]) =>
    visitSite(
      services,
      { url: start, furtherUrls: further, domain, wants: scrape.enrichment },
      {
        ...options,
        owner: scrape.workspace_id,
        beforeRequest: () => assertHeld(services.db, scrape),
      },
    );
  const first = await visit(url, furtherUrls);
  const given = scrape.urls ?? [scrape.query];
  const mayBePlain = scrape.mode === 'scrape_url' && !given.includes(url);
  if (first.pages.length > 0 || !mayBePlain) return first;
  const second = await visit(plainHttp(url), furtherUrls.map(plainHttp));
  if (second.pages.length > 0) return second;
  return { ...first, failure: `${first.failure ?? ''} Over http: ${second.failure ?? ''}`.trim() };
}

function plainHttp(url: string): string {
  return url.replace(/^https:/, 'http:');
}

function hasContacts(drafts: readonly LeadDraft[], wants: readonly Enrichment[]): boolean {
  const has = (field: 'emails' | 'phones') => drafts.some((draft) => draft[field].length > 0);
  const [wantsEmail, wantsPhone] = [wants.includes('email'), wants.includes('phone')];
  if (!wantsEmail && !wantsPhone) return drafts.length > 0;
  return (!wantsEmail || has('emails')) && (!wantsPhone || has('phones'));
}

/**
 * Gives persons without a website that of their organisation, else the site where they were found. Listed members and
 * their people get neither.
 */
function withWebsites(drafts: readonly LeadDraft[], pages: readonly ExtractedPage[]): LeadDraft[] {
  const organization = drafts.find(({ kind, foundOn }) => kind === 'organization' && !foundOn);
  const [first] = pages;
  const home: Evidenced | null = first
    ? {
        value: new URL('/', first.url).href,
        evidence: [{ url: first.url, technique: 'page-title' }],
      }
    : null;
  const website = organization?.website ?? home;
  // Listed organisations have no part in the site's home page.
  return drafts.map((draft) =>
    draft.foundOn === null ? { ...draft, website: draft.website ?? website } : draft,
  );
}
