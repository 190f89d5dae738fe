import type { DocumentId } from '#src/ids.ts';

/** A site that a search has named. */
export interface SiteCandidate {
  /** Where a visit begins. */
  url: string;
  /** The registrable domain, or the host where there is none. */
  domain: string;
  /** Documents of the index whose text stands for pages of the site; empty for sites that are to be visited. */
  documentIds: DocumentId[];
}
