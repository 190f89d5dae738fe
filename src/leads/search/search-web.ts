import type { LeadServices } from '#src/leads/lead-services.ts';
import { groupSites, homePageOf } from './group-sites.ts';
import { openSearchProvider } from './open-search-provider.ts';
import { searchIndex } from './search-index.ts';
import {
  type FoundPage,
  type SearchProvider,
  SearchProviderFailed,
  type SiteSearch,
} from './search-provider.ts';
import type { FoundSites } from './site-candidate.ts';

/** A page has 10 to 20 results; some are directories, some belong to the same site. */
const MAX_PAGES = 3;

type SearchServices = Pick<
  LeadServices,
  'db' | 'readReplica' | 'config' | 'embedder' | 'log' | 'operatorFetch'
>;

/**
 * Company sites for a few words, best first: from pages that web connectors have indexed, or from the search engine
 * that the operator has chosen (LEAD_SEARCH_PROVIDER).
 * @throws SearchProviderFailed, or the signal's reason when aborted
 */
export async function searchWeb(services: SearchServices, search: SiteSearch): Promise<FoundSites> {
  const provider = openSearchProvider(services);
  if (provider === null) return searchIndex(services, search);
  const pages = await findPages(services, provider, search);
  const sites = [...groupSites(pages)].slice(0, search.wanted);
  const candidates = sites.flatMap(([domain, [first]]) =>
    first ? [{ url: homePageOf(first.url), domain, documentIds: [] }] : [],
  );
  // The search engine's ranking is trusted.
  return { sites: candidates, omitted: 0 };
}

/** Page by page, until there are enough sites or a page brings nothing new. */
async function findPages(
  { log }: SearchServices,
  provider: SearchProvider,
  { query, wanted, signal }: SiteSearch,
): Promise<FoundPage[]> {
  const found: FoundPage[] = [];
  const seen = new Set<string>();
  for (let page = 1; page <= MAX_PAGES && groupSites(found).size < wanted; page += 1) {
    const results = await provider.find(query, { page, signal }).catch((error: unknown) => {
      if (!(error instanceof SearchProviderFailed) || groupSites(found).size === 0) throw error;
      // Some sites are better than none.
      log.warn({ reason: error.message, page }, 'a search ends with the pages before this one');
      return [];
    });
    const fresh = results.filter(({ url }) => !seen.has(url));
    if (fresh.length === 0) break;
    for (const one of fresh) seen.add(one.url);
    found.push(...fresh);
  }
  return found;
}
