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

/** The form of an organisation's personal addresses. It is evidence, not an address to write to. */
export interface EmailPattern {
  /** `first.last@` */
  pattern: string;
  /** At least two addresses of this form from the site. */
  examples: string[];
}

/**
 * One person or organisation, merged over the pages of a site. The first of `emails`, `phones` and each list of
 * profiles is the best.
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
  otherSocials: { facebook: Evidenced[]; instagram: Evidenced[] };
  website: Evidenced | null;
  description: Evidenced | null;
  address: (PostalAddress & { evidence: Evidence[] }) | null;
  /** For an organisation whose people's addresses share a form. */
  emailPattern: EmailPattern | null;
  /**
   * Registrable domain of its own site. For a listed organisation without a known site, and for its people, the domain
   * of the listing site.
   */
  siteDomain: string;
  /**
   * Registrable domain of the site that lists this organisation or this person's employer. Null for the site's own
   * organisation and people.
   */
  foundOn: string | null;
}

/** The domain of the site on which it was found. */
export function visitedDomainOf({ foundOn, siteDomain }: LeadDraft): string {
  return foundOn ?? siteDomain;
}

/** The state of an address's domain: `unknown` when no name server answered. */
export type EmailStatus = 'mx' | 'no_mx' | 'unknown';

/** A draft with its score, and the state of its first address's domain; null when it was not looked up. */
export interface ScoredLead extends LeadDraft {
  /** 0 to 1. */
  confidence: number;
  emailStatus: EmailStatus | null;
}
