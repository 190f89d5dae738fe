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
import { readVCardLines, type VCardLine } from './vcard-lines.ts';

const MAX_CARDS = 1_000;
const MAX_LINES_OF_CARD = 500;
/** Nesting of cards: a secretary's card inside a card. */
const MAX_DEPTH = 5;
const PROFILE_NAMES = new Set(['X-SOCIALPROFILE', 'SOCIALPROFILE', 'X-TWITTER', 'X-LINKEDIN']);

/**
 * The cards of a vCard file, version 2.1, 3.0 or 4.0.
 * @param url where the file was read: relative addresses are resolved against it
 * @param region for phone numbers without a country code whose card names no country
 */
export function readVCards(text: string, url: string, region: string | null = null): ContactCard[] {
  const cards: ContactCard[] = [];
  const open: { lines: VCardLine[]; offset: number }[] = [];
  const close = (): void => {
    const last = open.pop();
    const card = last && readCard(last.lines, { url, region, offset: last.offset });
    if (card) cards.push(card);
  };
  for (const line of readVCardLines(text.replace(/^\uFEFF/, ' '))) {
    if (cards.length >= MAX_CARDS) return cards;
    const isVCard = line.value.trim().toUpperCase() === 'VCARD';
    if (line.name === 'BEGIN' && isVCard) {
      // An agent's card is nested; otherwise the previous card's end is missing.
      const isAgent = open.at(-1)?.lines.at(-1)?.name === 'AGENT';
      while (open.length > 0 && (!isAgent || open.length >= MAX_DEPTH)) close();
      open.push({ lines: [], offset: line.offset });
    } else if (line.name === 'END' && isVCard) {
      close();
    } else {
      const lines = open.at(-1)?.lines;
      if (lines && lines.length < MAX_LINES_OF_CARD) lines.push(line);
    }
  }
  while (open.length > 0) close();
  return cards;
}

function readCard(
  lines: readonly VCardLine[],
  place: { url: string; region: string | null; offset: number },
): ContactCard | null {
  const named = (...names: string[]): VCardLine[] =>
    preferredFirst(lines.filter((line) => names.includes(line.name)));
  const texts = (...names: string[]): string[] =>
    named(...names).map((line) => unescaped(line.value));
  const company = nameOf(named('ORG').map((line) => structured(line.value)[0] ?? ''));
  const name = nameOf([...texts('FN'), ...named('N').map(({ value }) => nameOfParts(value))]);
  const kind = kindOf(lines, name, company);
  const address = addressOf(named('ADR'));
  const region = countryCodeOf(address?.country ?? '') ?? place.region;
  const urls = texts('URL');
  const card = contactCard({
    technique: 'vcard',
    kind,
    name: name ?? (kind === 'organization' ? company : null),
    title: kind === 'person' ? titleOf(texts('TITLE', 'ROLE')) : null,
    company: kind === 'person' ? company : null,
    emails: emailsOf(texts('EMAIL')),
    phones: phonesOf(
      named('TEL')
        .filter((line) => !isFax(line))
        .map((line) => unescaped(line.value)),
      region,
    ),
    profiles: profilesOf([...lines.flatMap(profileUrls), ...urls], kind),
    website: websiteOf(urls, place.url),
    description: descriptionOf(texts('NOTE')),
    address,
    offset: place.offset,
  });
  const hasContact = card.emails.length + card.phones.length + card.profiles.length > 0;
  return card.name !== null || hasContact ? card : null;
}

function kindOf(
  lines: readonly VCardLine[],
  name: string | null,
  company: string | null,
): 'person' | 'organization' {
  const kind = lines.find(
    (line) => line.name === 'KIND' || line.name === 'X-ADDRESSBOOKSERVER-KIND',
  );
  if (/^\s*(?:org|group|location)\s*$/i.test(kind?.value ?? '')) return 'organization';
  if (/^\s*individual\s*$/i.test(kind?.value ?? '')) return 'person';
  const isShownAsCompany = lines.some(
    (line) => line.name === 'X-ABSHOWAS' && /company/i.test(line.value),
  );
  if (isShownAsCompany) return 'organization';
  return company !== null && (name === null || name === company) ? 'organization' : 'person';
}

/** By `PREF=1` (4.0) or `TYPE=pref` (older), else in file order. */
function preferredFirst(lines: readonly VCardLine[]): VCardLine[] {
  const rank = ({ parameters }: VCardLine): number => {
    const preference = Number(parameters.get('PREF')?.[0] ?? Number.NaN);
    if (preference >= 1) return preference;
    return parameters.has('PREF') || hasType(parameters, /^pref$/i) ? 0 : 101;
  };
  return lines.toSorted((one, other) => rank(one) - rank(other));
}

function hasType(parameters: ReadonlyMap<string, string[]>, type: RegExp): boolean {
  return (parameters.get('TYPE') ?? []).some((written) => type.test(written));
}

/** A number that also takes calls counts as a phone number. */
function isFax({ parameters }: VCardLine): boolean {
  return hasType(parameters, /^(?:fax|pager|modem)$/i) && !hasType(parameters, /^voice$/i);
}

/** `X-SOCIALPROFILE;type=twitter;x-user=jane:…` and other forms that phones and address books write. */
function profileUrls({ name, parameters, value }: VCardLine): string[] {
  if (!PROFILE_NAMES.has(name)) return [];
  const url = unescaped(value).trim();
  const service = [
    ...(parameters.get('SERVICE-TYPE') ?? []),
    ...(parameters.get('TYPE') ?? []),
    name,
  ]
    .join(' ')
    .toLowerCase();
  const written = /^https?:|^www\.|\.com\//i.test(url) ? null : url.replace(/^x-apple:/i, '');
  const user = parameters.get('X-USER')?.[0] ?? written ?? '';
  const isHandle = /^@?\w{1,15}$/.test(user);
  if (/twitter/.test(service) && written !== null && isHandle) {
    return [`https://x.com/${user.replace('@', '')}`];
  }
  if (/linkedin/.test(service) && written !== null && /^[\w-]{1,100}$/.test(user)) {
    return [`https://www.linkedin.com/in/${user}`];
  }
  return [url];
}

function nameOfParts(value: string): string {
  const [family = '', given = ''] = structured(value);
  return `${given} ${family}`.trim();
}

function addressOf(lines: readonly VCardLine[]): PostalAddress | null {
  for (const line of lines) {
    const parts = structured(line.value).map((part) => shortText(part) ?? '');
    const [
      ,
      extended = '',
      street = '',
      locality = '',
      region = '',
      postalCode = '',
      country = '',
    ] = parts;
    const address = { street: street || extended, postalCode, locality, region, country };
    if (Object.values(address).some((text) => text !== '')) return address;
  }
  return null;
}

/** The components of a structured value, each as text. */
function structured(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length && parts.length < 20; at += 1) {
    const character = value.charAt(at);
    if (character === '\\') at += 1;
    else if (character === ';') {
      parts.push(unescaped(value.slice(start, at)));
      start = at + 1;
    }
  }
  return [...parts, unescaped(value.slice(start))];
}

function unescaped(value: string): string {
  return value.replace(/\\([\s\S])/g, (_, character: string) =>
    character === 'n' || character === 'N' ? '\n' : character,
  );
}
