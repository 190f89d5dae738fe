import { isFreeMail } from '#src/leads/lexicon/email-facts.ts';
import type { PlacedCard } from './own-organization.ts';
import { organizationKey, resemblesDomain } from '#src/leads/extract/organization-key.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/** A number this close to an address in the page's source belongs to it. */
const NEAR = 200;

export interface SiteOfAddresses {
  siteDomain: string;
  /** Empty when unknown. */
  siteName: string;
  /** Addresses claimed by persons and by the organisation itself. */
  claimed: ReadonlySet<string>;
}

/**
 * Loose cards without strangers' addresses, and without the numbers beside those. If a site has addresses on its own
 * domain, an address on another domain belongs to the site only when it resembles the site's name or somebody there
 * claims it. If it has none, or cannot have any, every address counts as its own.
 */
export function dropStrangers(cards: readonly PlacedCard[], site: SiteOfAddresses): PlacedCard[] {
  const all = [...cards.flatMap(({ card }) => card.emails), ...site.claimed];
  const hasOwn = all.some((email) => domainOf(email) === site.siteDomain);
  if (!hasOwn) return [...cards];
  const isStrange = (email: string): boolean => !isOfSite(email, site);
  const places = strangePlaces(cards, isStrange);
  return cards.flatMap((placed) => {
    const { card, url } = placed;
    const emails = card.emails.filter((email) => !isStrange(email));
    const isBeside =
      card.phones.length > 0 && isBesideStranger(placed, cards, places.get(url) ?? []);
    const phones = isBeside ? [] : card.phones;
    return [{ url, card: { ...card, emails, phones } }];
  });
}

function isOfSite(email: string, { siteDomain, siteName, claimed }: SiteOfAddresses): boolean {
  const domain = domainOf(email);
  if (domain === null || domain === siteDomain || claimed.has(email)) return true;
  const labels = [domain.split('.')[0] ?? '', email.slice(0, email.lastIndexOf('@'))];
  const isAlike = (label: string): boolean =>
    resemblesDomain(label, siteDomain) ||
    (siteName !== '' && resemblesDomain(label, organizationKey(siteName)));
  return isAlike(labels[isFreeMail(email) ? 1 : 0] ?? '');
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
  const nearest = Math.min(...strange.map((place) => Math.abs(place - offset)));
  if (!(nearest <= NEAR)) return false;
  const own = cards.filter(
    (other) =>
      other.url === url &&
      other.card.offset !== null &&
      other.card.emails.length > 0 &&
      !strange.includes(other.card.offset),
  );
  return own.every((other) => Math.abs((other.card.offset ?? 0) - offset) > nearest);
}

function domainOf(email: string): string | null {
  return registrableDomain(email.slice(email.lastIndexOf('@') + 1));
}
