import { isFreeMail } from '#src/leads/lexicon/email-facts.ts';
import { isLocalSite } from './is-local-site.ts';
import type { PlacedCard } from './own-organization.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/** A number this close behind an address in the page's source belongs to it. */
const NEAR = 200;
/** Before an address it must be closer: what is further up belongs to the paragraph before. */
const NEAR_BEFORE = 150;
/** Letters of a name that is no ordinary word. */
const LONG = 6;

export interface SiteOfAddresses {
  siteDomain: string;
  /** The known names of the organisation. */
  siteNames: readonly string[];
  /** Addresses claimed by persons and by the organisation itself. */
  claimed: ReadonlySet<string>;
}

/**
 * Removes strangers' addresses from loose cards, and the numbers beside them. An address on another domain belongs to
 * the site only when it resembles the site's name, or a person of the site has it. If a site has no address on its own
 * domain, the foreign domain that it shows most counts as its own. If it cannot have any, every address does.
 */
export function dropStrangers(cards: readonly PlacedCard[], site: SiteOfAddresses): PlacedCard[] {
  if (isLocalSite(site.siteDomain)) return [...cards];
  const all = [...cards.flatMap(({ card }) => card.emails), ...site.claimed];
  const hasOwn = all.some(
    (email) =>
      domainOf(email) === site.siteDomain || (!isFreeMail(email) && isNamedLike(email, site)),
  );
  const open = cards.filter(({ card }) => card.entity !== 'other');
  const other = hasOwn ? null : mainDomain(open, site);
  const ofOthers = new Set(
    cards.flatMap(({ card }) => (card.entity === 'other' ? card.emails : [])),
  );
  const ofHost = new Set(cards.flatMap(({ card }) => (card.entity === 'host' ? card.emails : [])));
  const isStrange = (email: string): boolean =>
    !isOfSite(email, site) &&
    !ofHost.has(email) &&
    (hasOwn ||
      ofOthers.has(email) ||
      (!isFreeMail(email) && (other === null || domainOf(email) !== other)));
  // Of others' addresses the page has told which number belongs to them.
  const places = strangePlaces(hasOwn ? cards : open, isStrange);
  return cards.flatMap((placed) => {
    const { card, url } = placed;
    const emails = card.emails.filter((email) => !isStrange(email));
    const isBeside =
      card.phones.length > 0 && isBesideStranger(placed, cards, places.get(url) ?? []);
    const phones = isBeside ? [] : card.phones;
    return [{ url, card: { ...card, emails, phones } }];
  });
}

/** The foreign domain on the most pages; null on a tie. */
function mainDomain(cards: readonly PlacedCard[], site: SiteOfAddresses): string | null {
  const pages = new Map<string, Set<string>>();
  for (const { card, url } of cards) {
    for (const email of card.emails) {
      const domain = isFreeMail(email) || isOfSite(email, site) ? null : domainOf(email);
      if (domain !== null) pages.set(domain, (pages.get(domain) ?? new Set()).add(url));
    }
  }
  const [first, second] = [...pages].toSorted((a, b) => b[1].size - a[1].size);
  return first && first[1].size > (second?.[1].size ?? 0) ? first[0] : null;
}

function isOfSite(email: string, { siteDomain, siteNames, claimed }: SiteOfAddresses): boolean {
  const domain = domainOf(email);
  if (domain === null || domain === siteDomain || claimed.has(email)) return true;
  return isNamedLike(email, { siteDomain, siteNames });
}

/**
 * Whether the address resembles the site's name, in its domain or, at a mail provider, in its local part; elsewhere a
 * longer part of it may be the name: `office.milford@schools.test` at milford-school.test.
 */
function isNamedLike(
  email: string,
  { siteDomain, siteNames }: Pick<SiteOfAddresses, 'siteDomain' | 'siteNames'>,
): boolean {
  const domain = domainOf(email) ?? '';
  const labels = [domain.split('.')[0] ?? '', email.slice(0, email.lastIndexOf('@'))];
  const isAlike = (label: string): boolean =>
    resemblesDomain(label, siteDomain) ||
    siteNames.some((name) => name !== '' && resemblesDomain(label, organizationKey(name)));
  if (isAlike(labels[isFreeMail(email) ? 1 : 0] ?? '')) return true;
  const label = organizationKey(siteDomain.split('.')[0] ?? '');
  const parts = (labels[1] ?? '').split(/[._-]/);
  const isPart = (part: string): boolean => part.length >= LONG && label.includes(part);
  return parts.length > 1 && !email.includes('+') && parts.some(isPart);
}

/** The positions of strangers' addresses, by page. */
function strangePlaces(
  cards: readonly PlacedCard[],
  isStrange: (email: string) => boolean,
): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const { card, url } of cards) {
    if (card.offset === null || !card.emails.some(isStrange)) continue;
    places.set(url, [...(places.get(url) ?? []), card.offset]);
  }
  return places;
}

/** Whether it is closer to a stranger's address than to any other contact that it may belong to. */
function isBesideStranger(
  { card, url }: PlacedCard,
  cards: readonly PlacedCard[],
  strange: readonly number[],
): boolean {
  const { offset } = card;
  if (offset === null) return false;
  const near = strange
    .map((place) => place - offset)
    .filter((distance) => distance >= -NEAR && distance <= NEAR_BEFORE);
  if (near.length === 0) return false;
  // Of two numbers before an address, the second is the stranger's.
  const isSecond = cards.some(
    (other) =>
      other.url === url &&
      other.card.phones.length > 0 &&
      other.card.offset !== null &&
      near.every((distance) => isBetween((other.card.offset ?? 0) - offset, distance)),
  );
  if (isSecond) return false;
  const nearest = Math.min(...near.map(Math.abs));
  const own = cards.filter(
    (other) =>
      other.url === url &&
      other.card.offset !== null &&
      other.card.emails.length > 0 &&
      !strange.includes(other.card.offset),
  );
  return own.every((other) => Math.abs((other.card.offset ?? 0) - offset) > nearest);
}

function isBetween(distance: number, end: number): boolean {
  return distance > 0 && distance < end;
}

function domainOf(email: string): string | null {
  return registrableDomain(email.slice(email.lastIndexOf('@') + 1));
}
