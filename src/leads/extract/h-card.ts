import { childrenOf, type HtmlElement, isElement, oneLine } from '#src/files/html-tree.ts';
import { type ContactCard, contactCard, type PostalAddress } from './contact-card.ts';
import {
  descriptionOf,
  emailsOf,
  nameOf,
  phonesOf,
  profilesOf,
  shortText,
  titleOf,
  websiteOf,
} from './contact-values.ts';
import { countryCodeOf } from './country-code.ts';
import { absolute, baseOf, openValueReader, textOf, type ValueReader } from './element-value.ts';
import { findCards, type RawCard } from './h-card-walk.ts';
import type { PageSource } from './page-source.ts';
import { readPersonName } from './person-name.ts';

/** Endings of organisation names. Short forms are case-sensitive: Sá and Se are family names. */
const LEGAL_FORMS = [
  /(?:^|[\s,])(?:gmbh|mbh|kgaa|ohg|gbr|e\. ?[vk]\.|inc|llc|llp|ltd|limited|corp|corporation|plc|company|sarl|s\.?à\.?r\.?l\.?|s\.?r\.l\.?|ltda|oyj|aps|sp\. z o\. ?o\.|s\.r\.o\.|kft|university|universität|institute?|association|foundation|agency|studios?|group)\.?$/i,
  /\s(?:AG|KG|UG|SE|SA|S\.A\.|SAS|SRL|SpA|S\.p\.A\.|SL|S\.L\.|BV|B\.V\.|NV|N\.V\.|AS|A\.S\.|A\/S|AB|Oy|Co\.?|Pty)$/,
];

/** The h-cards (microformats2) and hCards (their predecessor) of a page, and its `rel=me` profiles. */
export function readHCards(source: PageSource): ContactCard[] {
  if (!/h-card|vcard|rel\s{0,5}=\s{0,5}["']?[^"'>]{0,80}\bme\b/i.test(source.html)) return [];
  const reader = openValueReader(baseOf(source));
  const { cards: raw, me } = findCards(source.page.root, reader);
  const cards = new Map<RawCard, ContactCard>();
  for (const card of raw) cards.set(card, readCard(card, source, reader));
  for (const [inner, card] of cards) joinToOuter(inner, card, cards);
  const found = [...cards.values()].filter(
    ({ name, emails, phones, profiles }) =>
      name !== null || emails.length + phones.length + profiles.length > 0,
  );
  return withMe(found, [...cards.keys()], cards, me);
}

function readCard(raw: RawCard, source: PageSource, reader: ValueReader): ContactCard {
  const values = (property: string): string[] => raw.values.get(property) ?? [];
  const urls = values('url').length > 0 ? values('url') : impliedUrl(raw, reader);
  const given = values('given-name')[0] ?? '';
  const family = values('family-name')[0] ?? '';
  const company = nameOf([...values('organization-name'), ...values('org')]);
  const own = nameOf([...values('name'), `${given} ${family}`, ...impliedName(raw, reader)]);
  const kind = kindOf(raw, own, company);
  const address = addressOf(raw);
  const region = countryCodeOf(address?.country ?? '') ?? source.region;
  return contactCard({
    technique: 'h-card',
    kind,
    name: own ?? (kind === 'organization' ? company : null),
    title: kind === 'person' ? titleOf([...values('job-title'), ...values('role')]) : null,
    company: kind === 'person' ? company : null,
    emails: emailsOf([...values('email'), ...urls.filter((url) => /^mailto:/i.test(url))]),
    phones: phonesOf([...values('tel'), ...urls.filter((url) => /^tel:/i.test(url))], region),
    profiles: profilesOf([...urls, ...raw.me], kind),
    website: websiteOf(urls, source.url),
    description: descriptionOf(values('note')),
    address,
  });
}

function kindOf(
  { values, isOrganizationOfOuter }: RawCard,
  name: string | null,
  company: string | null,
): 'person' | 'organization' {
  if (isOrganizationOfOuter) return 'organization';
  if (company !== null && (name === null || name.toLowerCase() === company.toLowerCase())) {
    return 'organization';
  }
  const isPersonal = ['given-name', 'family-name', 'job-title', 'role', 'org'].some((property) =>
    values.has(property),
  );
  if (isPersonal) return 'person';
  const isOrganization = LEGAL_FORMS.some((form) => form.test(name ?? '')) || isNoPerson(name);
  return isOrganization || values.has('street-address') ? 'organization' : 'person';
}

/** Several words that no person has as a name. */
function isNoPerson(name: string | null): boolean {
  return name !== null && name.includes(' ') && readPersonName(name) === null;
}

/** In a short card, the whole text is the name (microformats2, "implied properties"). */
function impliedName(
  { element, isClassic, values, hasNested }: RawCard,
  reader: ValueReader,
): string[] {
  const hasWords = [...values.keys()].some(
    (property) => property !== 'url' && property !== 'email',
  );
  if (isClassic || hasWords || hasNested) return [];
  const only = onlyChild(element);
  const deeper = only && onlyChild(only);
  for (const candidate of [element, only, deeper]) {
    const name = candidate && (candidate.attribs['alt'] ?? abbreviated(candidate));
    if (name) return [oneLine(name)];
  }
  return [textOf(element, reader)];
}

function abbreviated({ name, attribs }: HtmlElement): string | undefined {
  return name === 'abbr' ? attribs['title'] : undefined;
}

function impliedUrl({ element, isClassic, hasNested }: RawCard, reader: ValueReader): string[] {
  if (isClassic) return [];
  const only = hasNested ? null : onlyChild(element);
  for (const candidate of [element, only, only && onlyChild(only)]) {
    if (candidate?.name !== 'a' && candidate?.name !== 'area') continue;
    const url = absolute(candidate.attribs['href'] ?? '', reader.base);
    if (url !== '') return [url];
  }
  return [];
}

function onlyChild(element: HtmlElement): HtmlElement | null {
  const children = childrenOf(element);
  if (children.length > 10) return null;
  const elements = children.filter(isElement);
  return elements.length === 1 ? (elements[0] ?? null) : null;
}

function addressOf({ values }: RawCard): PostalAddress | null {
  const part = (property: string): string =>
    shortText((values.get(property) ?? []).slice(0, 3).join(', ')) ?? '';
  const address = {
    street: part('street-address'),
    postalCode: part('postal-code'),
    locality: part('locality'),
    region: part('region'),
    country: part('country-name'),
  };
  if (Object.values(address).some((text) => text !== '')) return address;
  const street = part('adr');
  return street === '' ? null : { ...address, street };
}

/** A nested card is either the outer card's employer or its staff. */
function joinToOuter(
  raw: RawCard,
  card: ContactCard,
  cards: ReadonlyMap<RawCard, ContactCard>,
): void {
  const outer = raw.outer && cards.get(raw.outer);
  if (!outer) return;
  if (raw.isOrganizationOfOuter && outer.kind === 'person') outer.company ??= card.name;
  else if (outer.kind === 'organization' && card.kind === 'person') card.company ??= outer.name;
}

/** `rel=me` refers to the subject of the page: its only card, or no card in particular. */
function withMe(
  found: ContactCard[],
  raw: readonly RawCard[],
  cards: ReadonlyMap<RawCard, ContactCard>,
  me: readonly string[],
): ContactCard[] {
  const outermost = raw.filter((card) => card.outer === null).map((card) => cards.get(card));
  const [owner] = outermost.length === 1 ? outermost : [];
  if (owner && found.includes(owner)) {
    owner.profiles = [...new Set([...owner.profiles, ...profilesOf(me, owner.kind)])];
    return found;
  }
  const known = new Set(found.flatMap((card) => card.profiles));
  const profiles = profilesOf(me, 'page').filter((profile) => !known.has(profile));
  if (profiles.length === 0) return found;
  return [...found, contactCard({ technique: 'h-card', kind: 'page', profiles })];
}
