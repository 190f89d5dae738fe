import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { emailsOfLine } from './line-emails.ts';
import { localPartOf, nameMatchesAddress } from './name-matches-address.ts';
import { NO_NAME_WORDS } from './name-words.ts';
import { nameEvidence, withoutWordBefore } from './name-evidence.ts';
import { CAPITALISED_RUN, namesWithin } from './names-in-text.ts';
import type { PageLine, PageLines } from './page-lines.ts';
import { wordsOfName } from './person-name.ts';
import { plainLetters } from './role-lexicon.ts';
import { phraseOfTitle } from './role-text.ts';
import { isRoleLine } from './role-words.ts';
import { scanPhones } from './scan-phones.ts';
import { OF_FIRM, OURS_BUT_OTHERS, OUTSIDERS } from './words-of-others.ts';

const LONGEST_LINE = 600;
const MAX_PERSONS = 200;
/** Lines that contain addresses. */
const MAX_LINES = 300;
const MAX_EMAILS_OF_LINE = 5;
const POSSESSIVES =
  'our|unser\\w{0,2}|notre|nuestr[oa]|nostr[oa]|nosso|nossa|onze|vår|vores|naš\\w?|nasz\\w?';
const OWNED = new RegExp(`(?<!\\p{L})(?:${POSSESSIVES}) `, 'iu');
const INTRODUCTION = new RegExp(
  `(?<!\\p{L})(?:${POSSESSIVES}) ([^,;:.()]{3,50}?)(?:,| is| ist| est| es| è| är| er| to| jest)? $`,
  'iu',
);
/** A statement about who somebody is. */
const IS = /\s(?:is|ist|est|es|è|är|er|jest)\s$/iu;
const OF_THE_PAST =
  /found|gründer|fondat|fundador|oprichter|grundare|stifter|zakladatel|założyciel|former|ehemalig|ancien|late(?!\p{L})|honorary/iu;
const ENDS_NAME = /^(?:[,.;!)]|\s*[(–—]|\s+\p{Ll}|$)/u;
const LONGEST_INTRODUCTION = 80;
const MAX_WORDS_OF_ROLE = 4;
/** "Our own Jane Doe" */
const OWN = /^(?:own|eigen\p{L}*|propre|propi[oa]|propri[oa]|egen|egn[ae]|vlastní|własn\p{L}*)$/iu;
/** Possessives before a role. */
const BEFORE_ROLE =
  /(?:^|[\s(,;:])(?:our|the|your|my|unser\w{0,2}|ihr\w{0,2}|der|die|den|dem|notre|votre|le|la|nuestr[oa]|el|il|nostr[oa]|nosso|nossa|o|a|onze|ons|vår|vores|meidän)\s+([^,;:.()]{2,60}?)(?: is| ist| est| es| è|,)?\s*$/iu;
const BEHIND_NAME =
  /^\s*(?:,|\(|–|—| -)\s*(?:(?:our|the|unser\w{0,2}|notre|nuestr[oa]|nostr[oa]|nosso|nossa|onze)\s+)?([^,;()–—]{2,60}?)\s*(?:[,;)–—]|\s(?:at|on|via|under|unter|per|à|en|na|på|is|can)\s|[^\s]+@|$)/iu;

/**
 * People in sentences: "Contact our CEO Jane Doe at jane.doe@acme.com". A name counts when an address on the same
 * line matches it, and either the role stands beside it or the address includes the surname.
 * @param claimed addresses whose owners are already known
 */
export function sentencePersons(
  { lines }: PageLines,
  region: string | null,
  claimed: ReadonlySet<string>,
): ContactCard[] {
  const cards: ContactCard[] = [];
  let read = 0;
  for (const line of lines) {
    if (cards.length >= MAX_PERSONS || read >= MAX_LINES) break;
    if (line.isForeign || line.text.length > LONGEST_LINE) continue;
    const introduced = OWNED.test(line.text) ? introducedIn(line.text) : null;
    const hasEmails = emailsOfLine(line).length > 0;
    const found = hasEmails ? personsIn(line, region, claimed) : [];
    if (hasEmails) read += 1;
    const isKnown = found.some(({ name }) => name === introduced?.name);
    cards.push(...found, ...(introduced && !isKnown ? [introduced] : []));
  }
  return cards;
}

/** "Our head baker, Jane Doe, …" and "Our head baker is Jane Doe." The past is told of founders and patrons. */
function introducedIn(text: string): ContactCard | null {
  for (const { index, 0: run } of text.matchAll(CAPITALISED_RUN)) {
    const title = INTRODUCTION.exec(
      text.slice(Math.max(0, index - LONGEST_INTRODUCTION), index),
    )?.[1];
    if (title === undefined || OF_THE_PAST.test(title)) continue;
    const [first] = namesWithin(run);
    const isKnown = first !== undefined && nameEvidence(first.name) === 'known';
    const isRole =
      isRoleLine(title) ||
      (isKnown &&
        (isStated(text, index, title, first.name) || isOfUs(text, index, title, first.name)));
    if (!isRole) continue;
    const isWhole = first?.start === 0 && ENDS_NAME.test(text.slice(index + first.name.length));
    if (first && isWhole) {
      return contactCard({ technique: 'team-card', kind: 'person', name: first.name, title });
    }
  }
  return null;
}

/** "Our pastry chef is Jane Doe." with a role of unknown words; behind the name comes neither a firm nor a place. */
function isStated(text: string, index: number, title: string, name: string): boolean {
  if (!IS.test(text.slice(0, index)) || phraseOfTitle(title) === null) return false;
  return /^(?:[.,;:!]|$)/u.test(text.slice(index + name.length));
}

/** "Our site resident, Jane Doe", in words of unknown meaning, unless they are those of a customer, friend or the like. */
function isOfUs(text: string, index: number, title: string, name: string): boolean {
  if (OF_FIRM.test(text.slice(index + name.length))) return false;
  if (title.split(' ').length > MAX_WORDS_OF_ROLE || !/^\p{Ll}/u.test(title)) return false;
  if (OWN.test(title)) return false;
  return (
    phraseOfTitle(title) !== null && ![OURS_BUT_OTHERS, OUTSIDERS].some((one) => one.test(text))
  );
}

function personsIn(
  line: PageLine,
  region: string | null,
  claimed: ReadonlySet<string>,
): ContactCard[] {
  const emails = emailsOfLine(line);
  const open = emails
    .filter((email) => !isRoleAddress(email) && !claimed.has(email))
    .slice(0, MAX_EMAILS_OF_LINE);
  const found = open.flatMap((email) => {
    const person = personOf(line.text, email);
    return person ? [{ ...person, email }] : [];
  });
  const isOnlyOne = found.length === 1 && emails.length === 1;
  const phones = isOnlyOne ? scanPhones(line.text, region).map(({ phone }) => phone) : [];
  return found.map(({ name, title, email }) =>
    contactCard({
      technique: 'team-card',
      kind: 'person',
      name,
      title,
      emails: [email],
      phones: [...new Set(phones)].slice(0, 2),
    }),
  );
}

function personOf(text: string, email: string): { name: string; title: string | null } | null {
  for (const run of text.matchAll(CAPITALISED_RUN)) {
    for (const { name, start } of namesWithin(run[0])) {
      if (!nameMatchesAddress(name, email)) continue;
      const from = run.index + start;
      const title = titleBefore(text.slice(0, from)) ?? titleBehind(text.slice(from + name.length));
      if (title === null && !hasSurname(name, email)) continue;
      return { name: withoutWordBefore(name), title };
    }
  }
  return null;
}

function titleBefore(text: string): string | null {
  const owned = BEFORE_ROLE.exec(text.slice(-120))?.[1]?.trim();
  if (owned !== undefined) {
    const isNamed = /^\p{Lu}/u.test(owned) && owned.split(' ').length <= 4;
    if (isRoleLine(owned) || (isNamed && phraseOfTitle(owned) !== null)) return owned;
  }
  // "Write to CEO Jane Doe": only capitalised words, backwards from the name.
  const words = text.slice(-80).trim().replace(/,$/, '').split(/\s+/);
  const own: string[] = [];
  for (const word of words.toReversed()) {
    const isPart =
      /^\p{Lu}[\p{L}'’&-]*$/u.test(word) || (own.length > 0 && /^(?:of|&|and|für)$/.test(word));
    if (!isPart || (NO_NAME_WORDS.has(plainLetters(word)) && !isRoleLine(word))) break;
    own.unshift(word);
  }
  const role = own.join(' ');
  return own.length > 0 && isRoleLine(role) ? role : null;
}

function titleBehind(text: string): string | null {
  const written = BEHIND_NAME.exec(text.slice(0, 120))?.[1];
  const phrase = written === undefined ? null : phraseOfTitle(written);
  return phrase !== null && isRoleLine(phrase) ? phrase : null;
}

/** "jane.doe@" and "jdoe@" identify a person better than "jane@". */
function hasSurname(name: string, email: string): boolean {
  const surname = plainLetters(wordsOfName(name).at(-1) ?? '').replace(/\P{L}+/gu, '');
  const local = plainLetters(localPartOf(email)).replace(/\P{L}+/gu, '');
  return surname.length >= 3 && local.length > surname.length && local.includes(surname);
}
