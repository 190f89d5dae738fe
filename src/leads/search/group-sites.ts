import { isDirectory } from '#src/leads/lexicon/directory-hosts.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/**
 * Groups pages by site, keeping the order of sites and pages. Leaves out directories, marketplaces and social
 * networks, which are not an organisation's own site.
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

/** Where a visit starts: a search may find any page of a site, even a document. */
export function homePageOf(url: string): string {
  return new URL('/', url).href;
}
