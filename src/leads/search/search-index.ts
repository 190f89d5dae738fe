import { findIndexedIds } from '#src/documents/indexed-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { PLAIN_SEARCH, searchPage } from '#src/documents/search/search-documents.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { contactDocuments } from './contact-documents.ts';
import { groupSites, homePageOf } from './group-sites.ts';
import { foundPage, type SiteSearch } from './search-provider.ts';
import { keepRelevant } from './keep-relevant.ts';
import type { FoundSites } from './site-candidate.ts';

/** A site has several pages about its business. */
const HITS_PER_SITE = 4;
const MIN_HITS = 50;
const MAX_HITS = 200;
const MAX_HITS_KEPT = 20;

/**
 * Searches the indexed web pages of a workspace for sites, best first, without any outside request. Each site has the
 * documents found, and those likely to name people or addresses. Sites that are not about the query are omitted and
 * counted.
 */
export async function searchIndex(
  services: Pick<LeadServices, 'db' | 'readReplica' | 'config' | 'embedder' | 'log'>,
  search: SiteSearch,
): Promise<FoundSites> {
  const { workspaceId, userId, query, wanted, signal } = search;
  const page = await searchPage(services, {
    ...PLAIN_SEARCH,
    workspaceId,
    userId,
    query,
    filters: { ...NO_FILTERS, source_type: ['web'] },
    limit: Math.min(MAX_HITS, Math.max(MIN_HITS, wanted * HITS_PER_SITE)),
    // Pages of a site look alike, and each may name another person.
    collapses: false,
    highlights: false,
    explains: true,
    signal,
  });
  const found = page.hits.flatMap(({ hit, explanation }) => {
    const own = foundPage(hit.document_id, '', '') ?? foundPage(hit.link ?? '', '', '');
    const text = [hit.semantic_identifier, ...hit.headings, hit.text].join('\n');
    const cosine = explanation?.dense?.score ?? null;
    return own ? [{ url: own.url, externalId: hit.document_id, text, cosine }] : [];
  });
  const grouped = [...groupSites(found)].map(([domain, all]) => {
    const pages = all.slice(0, MAX_HITS_KEPT);
    const cosines = pages.flatMap(({ cosine }) => cosine ?? []);
    const text = pages.map((one) => one.text).join('\n');
    return { domain, pages, text, cosine: cosines.length === 0 ? null : Math.max(...cosines) };
  });
  const relevant = keepRelevant(page.correctedQuery ?? query, grouped);
  const sites = relevant.slice(0, wanted);
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
  const candidates = sites.flatMap(({ domain, pages }) => {
    const own = pages.flatMap(({ externalId }) => ids.get(externalId) ?? []);
    const further = pages.flatMap(({ url }) => contacts.get(hostOf(url)) ?? []);
    const [first] = pages;
    return first && own.length > 0
      ? [{ url: homePageOf(first.url), domain, documentIds: [...new Set([...own, ...further])] }]
      : [];
  });
  return { sites: candidates, omitted: grouped.length - relevant.length };
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
