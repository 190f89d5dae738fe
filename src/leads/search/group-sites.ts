import { isDirectory } from '#src/leads/lexicon/directory-hosts.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/**
 * Pages by the site that they belong to, sites and pages in the order in which they come. Directories, marketplaces and
 * social networks are no sites of anybody's own and are left out.
 */
export function groupSites<Page extends { url: string }>(
  pages: readonly Page[],
): Map<string, Page[]> {
  const sites = new Map<string, Page[]>();
  for (const page of pages) {
    const domain = registrableDomain(page.url);
    if (domain === null || isDirectory(domain)) continue;
    const known = sites.get(domain);
    if (known) known.push(page);
    else sites.set(domain, [page]);
  }
  return sites;
}

/** Where a visit begins: a search may find any page of a site, a document among them. */
export function homePageOf(url: string): string {
  return new URL('/', url).href;
}
