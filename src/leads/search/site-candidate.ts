import type { DocumentId } from '#src/ids.ts';

/** A site found by a search. */
export interface SiteCandidate {
  /** Where a visit starts. */
  url: string;
  /** Further start pages, when a request names several. */
  furtherUrls?: string[];
  /** The registrable domain, or the host where there is none. */
  domain: string;
  /** Indexed documents that hold pages of the site; empty for sites to be visited. */
  documentIds: DocumentId[];
}

/** The result of a search for sites, best first. */
export interface FoundSites {
  sites: SiteCandidate[];
  /** Number of sites omitted because they are not about the query. */
  omitted: number;
}
