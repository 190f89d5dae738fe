import { canonicalProfile } from '#src/leads/extract/canonical-profile.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { isDirectory } from '#src/leads/lexicon/directory-hosts.ts';
import { isLocalSite } from './is-local-site.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import { nameOfSite } from './name-of-site.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { isStructured } from './trust.ts';

/** A card and its page. */
export interface PlacedCard {
  card: ContactCard;
  url: string;
}

/**
 * The cards about the organisation that owns the site, not about its customers, partners and suppliers: those that
 * name an address of the site, or if there are none, those with the site's name. Cards without a name or address go
 * with them.
 */
export function ownOrganizationCards(
  cards: readonly PlacedCard[],
  { pages, siteDomain }: { pages: readonly ExtractedPage[]; siteDomain: string },
): PlacedCard[] {
  const isLocal = isLocalSite(siteDomain);
  const open = cards.filter(
    ({ card }) => isLocal || siteOf(card) === null || isOnSite(card, siteDomain),
  );
  const siteKey = organizationKey(nameOfSite(pages, siteDomain).value);
  const isNamedLikeSite = ({ card: { name } }: PlacedCard): boolean =>
    name !== null &&
    (areKeysAlike(organizationKey(name), siteKey) || resemblesDomain(name, siteDomain));
  const sure = open.filter(({ card }) => isOnSite(card, siteDomain));
  const alike = cards.filter(isNamedLikeSite);
  const marked = [...sure, ...alike].filter(({ card }) => isStructured(card.technique));
  // A name in a page's head does not tell which organisation in the structured data owns the site.
  const base = [...sure, ...alike, ...(marked.length > 0 ? [] : namesakesOfBest(open))];
  const keys = new Set(base.map(keyOf));
  const chosen = new Set(base);
  return cards.filter(
    (placed) =>
      chosen.has(placed) ||
      (open.includes(placed) && (keyOf(placed) === '' || keys.has(keyOf(placed)))),
  );
}

/** The only organisation of the structured data; of several, the one with clearly the most data. */
function namesakesOfBest(cards: readonly PlacedCard[]): PlacedCard[] {
  const named = Map.groupBy(
    cards.filter(({ card }) => card.name !== null && isStructured(card.technique)),
    keyOf,
  );
  const [best, second] = [...named.values()].toSorted((a, b) => factsIn(b) - factsIn(a));
  const isClear = !best || !second || factsIn(best) > factsIn(second);
  return best && isClear ? best : [];
}

/** Whether one key is the other with something before or after it. */
function areKeysAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= 4 && longer.includes(shorter);
}

function factsIn(cards: readonly PlacedCard[]): number {
  return Math.max(
    ...cards.map(
      ({ card: { emails, phones, profiles, address } }) =>
        emails.length + phones.length + profiles.length + (address ? 1 : 0),
    ),
  );
}

function keyOf({ card: { name } }: PlacedCard): string {
  return name === null ? '' : organizationKey(name);
}

function isOnSite(card: ContactCard, siteDomain: string): boolean {
  if (siteOf(card) !== null) return siteOf(card) === siteDomain;
  return card.emails.some(
    (email) => registrableDomain(email.slice(email.lastIndexOf('@') + 1)) === siteDomain,
  );
}

/** The domain that a card names as its own; a page in a social network or directory does not count. */
function siteOf({ website }: ContactCard): string | null {
  if (website === null || canonicalProfile(website)) return null;
  const domain = registrableDomain(website);
  return domain === null || isDirectory(domain) ? null : domain;
}
