/** How a fact was found; `score.ts` defines how far each technique is trusted. */
export const TECHNIQUES = [
  'json-ld',
  'microdata',
  'rdfa',
  'h-card',
  'vcard',
  'mailto',
  'tel-link',
  'whatsapp',
  'cloudflare',
  'obfuscated',
  'visible-text',
  'meta',
  'team-card',
  'profile-link',
  'page-title',
] as const;
export type Technique = (typeof TECHNIQUES)[number];

export interface PostalAddress {
  street: string;
  postalCode: string;
  locality: string;
  region: string;
  /** As written: a name or an ISO 3166-1 code. */
  country: string;
}

/**
 * What one technique has read in one place: facts that belong together. `kind: 'page'` is for facts whose owner the
 * page does not state.
 */
export interface ContactCard {
  technique: Technique;
  kind: 'person' | 'organization' | 'page';
  name: string | null;
  /** The person's role. */
  title: string | null;
  /** The organisation that a person belongs to. */
  company: string | null;
  /** Normalised by `normalizeEmail`. */
  emails: string[];
  /** In E.164. */
  phones: string[];
  /** Canonical profile URLs of `canonicalProfile`: LinkedIn and X (Twitter). */
  profiles: string[];
  /** The person's or organisation's own web site, absolute. */
  website: string | null;
  description: string | null;
  address: PostalAddress | null;
  /** UTF-16 offset in the page's source if the technique knows it, for evidence and for finding neighbours. */
  offset: number | null;
}

/** A card that is empty except for the given fields. */
export function contactCard(
  given: Pick<ContactCard, 'technique' | 'kind'> & Partial<ContactCard>,
): ContactCard {
  return {
    name: null,
    title: null,
    company: null,
    emails: [],
    phones: [],
    profiles: [],
    website: null,
    description: null,
    address: null,
    offset: null,
    ...given,
  };
}
