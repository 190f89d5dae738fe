import { findIndexedIds } from '#src/documents/indexed-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { contactDocuments } from './contact-documents.ts';
import { groupSites, homePageOf } from './group-sites.ts';
import { foundPage, type SiteSearch } from './search-provider.ts';
import type { SiteCandidate } from './site-candidate.ts';

/** A site has several pages about its business. */
const HITS_PER_SITE = 4;
const MIN_HITS = 50;
const MAX_HITS = 200;
const MAX_HITS_KEPT = 20;

/**
 * Sites among the indexed web pages of a workspace, best first, without any outside request. Each comes with the
 * documents found, and with those that seem to name people or addresses.
 */
export async function searchIndex(
  services: Pick<LeadServices, 'db' | 'config' | 'embedder' | 'log'>,
  search: SiteSearch,
): Promise<SiteCandidate[]> {
  const { workspaceId, userId, query, wanted, signal } = search;
  const hits = await searchDocuments(services, {
    workspaceId,
    userId,
    query,
    filters: { ...NO_FILTERS, source_type: ['web'] },
    limit: Math.min(MAX_HITS, Math.max(MIN_HITS, wanted * HITS_PER_SITE)),
    // Pages of a site look alike, and each may name somebody else.
    collapses: false,
    signal,
  });
  const found = hits.flatMap((hit) => {
    const page = foundPage(hit.document_id, '', '') ?? foundPage(hit.link ?? '', '', '');
    return page ? [{ url: page.url, externalId: hit.document_id }] : [];
  });
  const sites = [...groupSites(found)]
    .slice(0, wanted)
    .map(([domain, pages]) => ({ domain, pages: pages.slice(0, MAX_HITS_KEPT) }));
  const pagesOfSites = sites.flatMap(({ pages }) => pages);
  const ids = await findIndexedIds(
    services.db,
    search.workspaceId,
    pagesOfSites.map(({ externalId }) => externalId),
  );
  const hosts = sites.flatMap(({ domain, pages }) =>
    pages.map(({ url }) => [hostOf(url), domain] as const),
  );
  const contacts = await contactDocuments(services.db, search, new Map(hosts));
  return sites.flatMap(({ domain, pages }) => {
    const own = pages.flatMap(({ externalId }) => ids.get(externalId) ?? []);
    const further = pages.flatMap(({ url }) => contacts.get(hostOf(url)) ?? []);
    const [first] = pages;
    return first && own.length > 0
      ? [{ url: homePageOf(first.url), domain, documentIds: [...new Set([...own, ...further])] }]
      : [];
  });
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
