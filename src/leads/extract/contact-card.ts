/** How a fact was found; `score.ts` says how far each is trusted. */
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
  /** As it is written: a name or an ISO 3166-1 code. */
  country: string;
}

/**
 * What one technique has read in one place: facts that belong together. `kind: 'page'` is for what stands on a page
 * without saying whose it is.
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
  /** The entity's own web address, absolute. */
  website: string | null;
  description: string | null;
  address: PostalAddress | null;
  /** UTF-16 offset of the place in the page's source where the technique knows it, for evidence and for neighbours. */
  offset: number | null;
}

/** A card with nothing in it but what is given. */
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
