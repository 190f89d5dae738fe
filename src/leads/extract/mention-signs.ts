import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { kindOfName, isNewsName } from '#src/leads/lexicon/site-page-words.ts';
import { isAboutOthers, isBelowOthersHeading } from './foreign-contacts.ts';
import { LEADS, LED } from './leading-verbs.ts';
import { emailsOfLine } from './line-emails.ts';
import { areMostlyNames, type NameEvidence, nameEvidence } from './name-evidence.ts';
import { nameMatchesAddress } from './name-matches-address.ts';
import { blockAround, strengthOf } from './name-places.ts';
import { firmIn, type NameInText } from './names-in-text.ts';
import { domainOfEmail, isAtDomain } from './own-domain.ts';
import { linkAround, type PageLine, type PageLines } from './page-lines.ts';
import { readPersonName, wordsOfName } from './person-name.ts';
import { plainLetters } from './role-lexicon.ts';
import { phraseOfTitle } from './role-text.ts';
import { hasRoleWord, isRoleLine } from './role-words.ts';
import { severalNames } from './several-names.ts';
import { isBelowQuotation } from './stated-persons.ts';
import { chosen, sentenceAround, type SentencePlace, sentenceSigns } from './sentence-signs.ts';
import { roleBefore, roleBehind, withoutTitles } from './stated-role.ts';
import {
  CREDIT,
  isHeadingOfOthers,
  isOfAnother,
  OF_FIRM,
  OF_THE_PAST,
  OURS_BUT_OTHERS,
  OUTSIDERS,
  PART_OF_NAME,
} from './words-of-others.ts';

/** A name and the line it stands on. */
export interface NamePlace extends SentencePlace {
  /** Its number among the names of the line. */
  index: number;
  line: PageLine;
}

const CONTEXT = 120;
const NUMBER = /[+(]?\d(?:[\s()./-]*\d){6}/;
const NUMBER_BEHIND = /^[^.]{0,40}[+(]?\d(?:[\s()./-]*\d){6}/;
const YEAR = /(?<!\d)(?:1\d|20)\d\d(?!\d)/;
const OLD_YEAR = /(?<!\d)1[5-9]\d\d(?!\d)/;
const QUOTATION = /[„“”"«»]/;
const DATE =
  /(?<!\d)\d{1,2}[./-]\s?(?:\d{1,2}[./-]\s?|\p{L}+\s)(?:20)?\d\d(?!\d)|(?<!\d)\d{1,2}\.?\s(?:de\s)?\p{L}{3,}\.?\s(?:de\s)?20\d\d(?!\d)|(?<!\p{L})\p{Lu}\p{L}{2,}\s\d{1,2},\s20\d\d(?!\d)|(?<!\d)20\d\d-\d\d-\d\d(?!\d)/u;
const PRICE = /[€$£]|(?<!\p{L})(?:EUR|CHF|USD|PLN|zł|kr|Kč|Ft|lei|SEK|NOK|DKK)(?!\p{L})/u;
/** "/", "/index.html", "/de/" */
const START = /^\/(?:(?:index|home)(?:\.\w+)?|[a-z]{2})?\/?$/iu;
const BY = /(?:^|\s)(?:by|von|par|por|de|da|di|av|af|door|od|przez)\s+$/iu;
const KINDS_OF_BLOCK: Readonly<Record<string, string>> = {
  li: 'item', td: 'cell', th: 'cell', dt: 'term', dd: 'item', p: 'paragraph', figcaption: 'caption',
}; // prettier-ignore
const SHORTEST_SURNAME = 4;

/** Signs that all names of a line share. */
export function lineSigns(at: number, page: PageLines, names: readonly NameInText[]): string[] {
  const { lines } = page;
  const line = lines[at];
  if (!line) return [];
  const above = lines[at - 1]?.text ?? '';
  const [below = '', second = ''] = [lines[at + 1]?.text, lines[at + 2]?.text];
  const isName = (text: string): boolean => readPersonName(text) !== null;
  const near = lines.slice(Math.max(0, at - 5), at + 5);
  const tag = blockAround(line.elements[0] ?? null)?.name ?? '';
  return chosen({
    'whole line': isName(line.text),
    'several names': severalNames(line.text).length > 0,
    sentence: /[.!?]$/.test(line.text) && line.text.length > 60,
    'longer than 30': line.text.length > 30,
    'longer than 60': line.text.length > 60,
    'longer than 120': line.text.length > 120,
    'longer than 240': line.text.length > 240,
    [`block: ${/^h[1-6]$/.test(tag) ? 'heading' : (KINDS_OF_BLOCK[tag] ?? 'other')}`]: true,
    foreign: line.isForeign,
    byline: line.isAuthor,
    'column of names': line.column === 'name',
    'other column': line.column !== null && line.column !== 'name',
    'role on line': hasRoleWord(line.text),
    'role above': isRoleLine(above),
    'role below': isRoleLine(below),
    'role further below': isRoleLine(second),
    'phrase above': phraseOfTitle(above) !== null && !isName(above),
    'phrase below': phraseOfTitle(below) !== null && !isName(below),
    'name above': isName(above),
    'name below': isName(below),
    'below others': isBelowOthersHeading(at, lines),
    'below quotation': isBelowQuotation(at, page),
    'address on line': emailsOfLine(line).length > 0,
    'number on line': NUMBER.test(line.text),
    'contact below': lines
      .slice(at + 1, at + 4)
      .some((one) => emailsOfLine(one).length > 0 || NUMBER.test(one.text)),
    'two names': names.length >= 2,
    'four names': names.length >= 4,
    'eight names': names.length >= 8,
    'mostly names on line': areMostlyNames(names.map(({ name }) => name)),
    'date near': near.some(({ text }) => DATE.test(text)),
    'price near': near.some(({ text }) => PRICE.test(text)),
    'year on line': YEAR.test(line.text),
  });
}

/** Signs of the e-mail addresses on a line, in the three lines above it and in those below. */
export function addressSigns(at: number, { lines }: PageLines, host: string): string[] {
  const site = registrableDomain(`https://${host}`) ?? host;
  const emails = {
    'on line': lines.slice(at, at + 1).flatMap(emailsOfLine),
    above: lines.slice(Math.max(0, at - 3), at).flatMap(emailsOfLine),
    below: lines.slice(at + 1, at + 4).flatMap(emailsOfLine),
  };
  return Object.entries(emails).flatMap(([where, found]) =>
    chosen({
      [`own address ${where}`]: found.some((email) => isAtDomain(email, site)),
      [`other address ${where}`]: found.some((email) => isElsewhere(email, site)),
    }),
  );
}

/** At a domain that is neither the site's nor a mail provider's. */
function isElsewhere(email: string, site: string): boolean {
  return domainOfEmail(email) !== null && !isAtDomain(email, site);
}

/** Signs of a page with this many different names. */
export function pageSigns(url: string, names: number): string[] {
  return chosen({
    'start page': START.test(URL.parse(url)?.pathname ?? ''),
    'ten names on page': names >= 10,
  });
}

/** Signs of the last heading above a line. */
export function headingSigns(heading: { text: string; at: number }, at: number): string[] {
  if (heading.at === -1) return ['no heading'];
  const distance = at - heading.at;
  return chosen({
    'role in heading': isRoleLine(heading.text),
    'heading of team': kindOfName(heading.text)?.kind === 'team',
    'heading of others': isHeadingOfOthers(heading.text),
    'heading of news': isNewsName(heading.text),
    'heading right above': distance === 1,
    'heading 4 above': distance > 3,
    'heading 9 above': distance > 8,
    'heading 21 above': distance > 20,
  });
}

/** Signs of a name and what stands around it. */
export function nameSigns(place: NamePlace): string[] {
  const { name, text, from, to, index, line, host } = place;
  const clause = sentenceAround(place);
  const written = text.slice(Math.max(0, from - CONTEXT), from);
  const before = withoutTitles(written);
  const after = text.slice(to, to + CONTEXT);
  const [role, behind] = [roleBefore(written), roleBehind(after)];
  const words = wordsOfName(name);
  const element = line.elements[line.pieces.findIndex((piece) => piece.includes(name))] ?? null;
  const surname = plainLetters(words.at(-1) ?? '');
  const ofPlace = chosen({
    [`${words.length} words`]: true,
    titled: before !== written || words.length < name.split(' ').length,
    shouted: name === name.toUpperCase(),
    [`strength ${strengthOf(element ?? line.elements[0] ?? null)}`]: true,
    'in link': linkAround(element) !== null,
    'not the first': index > 0,
    'role before': role !== null,
    'label before': role?.isLabel === true,
    'stated before': role?.isStatement === true,
    'own before': role?.isOwn === true,
    'role behind': behind !== null,
    'own behind': behind?.isOwn === true,
    'about others': isAboutOthers(clause),
    firm: firmIn(clause) !== null,
    'firm behind': OF_FIRM.test(after),
    'of another': isOfAnother(written, after),
    past: OF_THE_PAST.test(clause),
    outsider: OUTSIDERS.test(clause),
    credit: CREDIT.test(written.slice(-40)),
    'ours but others': OURS_BUT_OTHERS.test(clause),
    'part of a name': PART_OF_NAME.test(after),
    led: LED.test(before),
    leads: LEADS.test(after),
    year: YEAR.test(clause),
    'old year': OLD_YEAR.test(clause),
    quotation: QUOTATION.test(clause),
    'comma behind': after.startsWith(','),
    'bracket behind': /^\s*\(/.test(after),
    'dash behind': /^\s*[–—-]\s/.test(after),
    'colon behind': /^\s*:/.test(after),
    'word behind': /^\s+\p{Ll}/u.test(after),
    'nothing behind': /^\s*[.]?$/.test(after),
    'colon before': /:\s*$/.test(before),
    'comma before': /,\s*$/.test(before),
    'word before': /\p{Ll}{2,}\s+$/u.test(before),
    'capital before': /\p{Lu}\p{Ll}+\s+$/u.test(before),
    'nothing before': before.trim() === '',
    by: BY.test(before),
    'fitting address on line': emailsOfLine(line).some((email) => nameMatchesAddress(name, email)),
    'number behind': NUMBER_BEHIND.test(after),
    'surname of host':
      surname.length >= SHORTEST_SURNAME && host.replace(/[^a-z]+/g, '').includes(surname),
  });
  return [...ofPlace, ...sentenceSigns(place)];
}

/** Signs of the names in one place of a repeated structure. */
export function groupSigns(names: readonly string[]): string[] {
  const known = names.filter((name) => nameEvidence(name) === 'known').length / names.length;
  return chosen({
    'two in place': names.length >= 2,
    'four in place': names.length >= 4,
    'eight in place': names.length >= 8,
    'sixteen in place': names.length >= 16,
    'half known in place': known >= 0.5,
    'most known in place': known >= 0.7,
    'all known in place': known >= 0.9,
    'mostly names in place': areMostlyNames(names),
  });
}

const NEGATIVE = [
  'past',
  'outsider',
  'credit',
  'firm behind',
  'about others',
  'below others',
  'of another',
];

/** What signs say together. */
export function pairedSigns(
  signs: ReadonlySet<string>,
  evidence: NameEvidence,
  subject: string,
): string[] {
  const has = (...some: string[]): boolean => some.some((sign) => signs.has(sign));
  const isAlone = has('whole line', 'several names');
  const isBeside = has('role before', 'role behind') || (has('role on line') && isAlone);
  const isNear = has('role above', 'role below', 'role further below');
  const role = isBeside ? 'role' : isNear ? 'role near' : 'no role';
  const strength = has('strength 3') ? 3 : has('strength 2') ? 2 : 1;
  return [
    evidence,
    `${subject}, ${evidence}`,
    `${subject}, ${evidence}, ${role}`,
    `${subject}, ${evidence}, ${isAlone ? 'alone' : 'in text'}`,
    `${evidence}, strength ${strength}`,
    `${subject}, ${has('heading of team') ? 'team' : 'no team'} above`,
    `${subject}, ${has('sentence') ? 'sentence' : 'no sentence'}, ${isBeside ? 'role' : 'no role'}`,
    `${subject}, ${has(...NEGATIVE) ? 'others' : 'no others'}`,
    `${subject}, ${evidence}, ${has('mostly names in place') ? 'names' : 'no names'} in place`,
    `${subject}, ${has('fitting address on line', 'number behind') ? 'contact' : 'no contact'}`,
    `${subject}, ${has('date near') ? 'date' : 'no date'} near`,
    `${has('sentence') ? 'sentence' : 'no sentence'}, ${has('role before') ? 'role' : 'no role'} before, ${has('word behind') ? 'word' : 'no word'} behind`,
  ];
}

/** The role that a line or its neighbours state for a name. */
export function titleBeside(
  { text, from, to, name }: NamePlace,
  at: number,
  { lines }: PageLines,
): string | null {
  const role = roleBehind(text.slice(to)) ?? roleBefore(text.slice(0, from));
  if (role !== null) return role.title;
  if (readPersonName(text) !== name) return null;
  const near = [lines[at + 1]?.text ?? '', lines[at - 1]?.text ?? ''];
  return near.find(isRoleLine) ?? null;
}
