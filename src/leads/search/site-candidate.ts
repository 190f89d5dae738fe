import type { DocumentId } from '#src/ids.ts';

/** A site found by a search. */
export interface SiteCandidate {
  /** Where a visit starts. */
  url: string;
  /** The registrable domain, or the host where there is none. */
  domain: string;
  /** Indexed documents that hold pages of the site; empty for sites to be visited. */
  documentIds: DocumentId[];
}
