import type { PostalAddress, Technique } from '#src/leads/extract/contact-card.ts';

/** Where and how a value was read. */
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
  /** Registrable domain of the site where it was found. */
  siteDomain: string;
}

/** The state of an address's domain: `unknown` when no name server answered. */
export type EmailStatus = 'mx' | 'no_mx' | 'unknown';

/** A draft with its score, and the state of its first address's domain; null when it was not looked up. */
export interface ScoredLead extends LeadDraft {
  /** 0 to 1. */
  confidence: number;
  emailStatus: EmailStatus | null;
}
