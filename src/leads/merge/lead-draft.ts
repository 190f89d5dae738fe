import type { PostalAddress, Technique } from '#src/leads/extract/contact-card.ts';

/** Where a value was read, and how. */
export interface Evidence {
  url: string;
  technique: Technique;
}

export interface Evidenced {
  value: string;
  /** Each place and technique once; at least one. */
  evidence: Evidence[];
}

/**
 * One person or organisation, merged over the pages of a site. The first of `emails`, `phones`, `linkedin` and
 * `twitter` is the best.
 */
export interface LeadDraft {
  kind: 'person' | 'organization';
  name: Evidenced | null;
  title: Evidenced | null;
  company: Evidenced | null;
  emails: Evidenced[];
  phones: Evidenced[];
  linkedin: Evidenced[];
  twitter: Evidenced[];
  website: Evidenced | null;
  description: Evidenced | null;
  address: (PostalAddress & { evidence: Evidence[] }) | null;
  /** Registrable domain of the site it was found on. */
  siteDomain: string;
}

/** What is known of an address's domain: `unknown` when nobody could be asked. */
export type EmailStatus = 'mx' | 'no_mx' | 'unknown';

/** A draft with its score, and what is known of the first of its addresses; null when nobody asked. */
export interface ScoredLead extends LeadDraft {
  /** 0 to 1. */
  confidence: number;
  emailStatus: EmailStatus | null;
}
