import { oneLine } from '#src/files/html-tree.ts';
import { canonicalProfile } from './canonical-profile.ts';
import { plainText } from './decode-entities.ts';
import { normalizeEmail } from './normalize-email.ts';
import { normalizePhone } from './normalize-phone.ts';

/** Further values of one kind are dropped: no one has this many of their own. */
const MAX_FACTS = 20;
const MAX_VALUE_LENGTH = 1_000;
const MAX_NAME_LENGTH = 120;
const MAX_TITLE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_URL_LENGTH = 2_000;
/** Accounts of publishing systems, and template placeholders. */
const NOBODY =
  /^(?:admin|administrator|author|editor|editorial|user|guest|anonymous|webmaster|root|staff|team|null|undefined|none|n\/a|name|your name|company name|your company|\[object object\])$/i;

/** Addresses in marked-up values: each may hold several. */
export function emailsOf(values: readonly string[]): string[] {
  return facts(values, addressesIn, normalizeEmail);
}

function addressesIn(value: string): string[] {
  return oneLine(value).split(/[,;|]+|\s(?=[^\s,;|@]{1,100}@)/);
}

/** Numbers in marked-up values: each may hold several. */
export function phonesOf(values: readonly string[], region: string | null): string[] {
  return facts(values, numbersIn, (value) => normalizePhone(value, region, 'marked'));
}

/** A slash either separates two numbers or is part of one. */
function numbersIn(value: string): string[] {
  if (/^(?:tel|callto|sms):/i.test(value.trim())) return [value];
  return value
    .split(/[;,|\n]| or | oder | ou | o | y | e /)
    .flatMap((part) =>
      /(?:\d\D{0,3}){7}\s?\/\s?\+?(?:\d\D{0,3}){7}/.test(part) ? part.split('/') : [part],
    )
    .filter((part) => !/\bfax\b/i.test(part));
}

/** The profiles among URLs; a person does not get an organisation's profile. */
export function profilesOf(
  urls: readonly string[],
  kind: 'person' | 'organization' | 'page',
): string[] {
  return facts(
    urls,
    (url) => [url],
    (url) => {
      const profile = canonicalProfile(url);
      if (!profile || (kind === 'person' && profile.kind === 'organization')) return null;
      return profile.url;
    },
  );
}

function facts(
  values: readonly string[],
  split: (value: string) => string[],
  normalize: (part: string) => string | null,
): string[] {
  const found = new Set<string>();
  for (const value of values.slice(0, 2 * MAX_FACTS)) {
    if (value.length > MAX_VALUE_LENGTH) continue;
    for (const part of split(value)) {
      const fact = part.trim() === '' ? null : normalize(part);
      if (fact !== null) found.add(fact);
      if (found.size >= MAX_FACTS) return [...found];
    }
  }
  return [...found];
}

/** The first absolute web address that is not a social network profile. */
export function websiteOf(urls: readonly string[], base: string): string | null {
  for (const written of urls.slice(0, MAX_FACTS)) {
    const url = webAddress(written, base);
    if (url !== null && canonicalProfile(url) === null) return url;
  }
  return null;
}

function webAddress(written: string, base: string): string | null {
  const trimmed = written.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_LENGTH) return null;
  const isBareHost = /^www\.[^\s/]+\.[a-z]{2,}(?:\/|$)/i.test(trimmed);
  const url = URL.parse(isBareHost ? `https://${trimmed}` : trimmed, base);
  return url && /^https?:$/.test(url.protocol) && url.hostname.includes('.') ? url.href : null;
}

/** The first value that can be a name. */
export function nameOf(values: readonly string[]): string | null {
  for (const value of values.slice(0, MAX_FACTS)) {
    const name = shortText(value, MAX_NAME_LENGTH);
    if (name !== null && /\p{L}/u.test(name) && !isAddress(name) && !NOBODY.test(name)) return name;
  }
  return null;
}

function isAddress(text: string): boolean {
  return /^\S{1,200}@\S+$|^(?:https?|mailto|tel):|^www\./i.test(text);
}

/** The first value that can be a role. */
export function titleOf(values: readonly string[]): string | null {
  for (const value of values.slice(0, MAX_FACTS)) {
    const title = shortText(value, MAX_TITLE_LENGTH);
    if (title !== null && /\p{L}/u.test(title) && !isAddress(title)) return title;
  }
  return null;
}

export function descriptionOf(values: readonly string[]): string | null {
  const [text = ''] = values;
  const description = oneLine(plainText(text.slice(0, 4 * MAX_DESCRIPTION_LENGTH)));
  return description === '' ? null : description.slice(0, MAX_DESCRIPTION_LENGTH);
}

/** One line without HTML markup; null when it is empty or too long. */
export function shortText(value: string, maxLength = MAX_TITLE_LENGTH): string | null {
  if (value.length > 4 * maxLength) return null;
  const text = oneLine(plainText(value)).replace(/^[\s,;|·•–-]+|[\s,;|·•]{1,50}$/g, '');
  return text === '' || text.length > maxLength ? null : text;
}
