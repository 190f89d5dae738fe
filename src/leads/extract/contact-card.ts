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
  'team-name',
  'member-card',
  'script-json',
  'profile-link',
  'page-title',
] as const;
export type Technique = (typeof TECHNIQUES)[number];
/** Techniques that read structured data. */
const STRUCTURED: ReadonlySet<Technique> = new Set([
  'json-ld',
  'microdata',
  'rdfa',
  'h-card',
  'vcard',
]);

export function isStructuredTechnique(technique: Technique): boolean {
  return STRUCTURED.has(technique);
}

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
  /**
   * The owner of these facts, if the page shows it: the site's own organisation (`host`), or another that it lists with
   * its own contacts, such as a member of an association. `other` is for an address beside the name of somebody else.
   * Null when only other pages can show it.
   */
  entity: 'host' | 'member' | 'other' | null;
  name: string | null;
  /** The person's role. */
  title: string | null;
  /** The organisation that a person belongs to. */
  company: string | null;
  /** Normalised by `normalizeEmail`. */
  emails: string[];
  /** In E.164. */
  phones: string[];
  /** Canonical profile URLs of `canonicalProfile`. */
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
    entity: null,
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
