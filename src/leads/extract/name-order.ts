import { isGivenName, isOrdinaryGivenName } from './given-names.ts';
import { isTitleBefore } from './name-titles.ts';
import { PARTICLES } from './name-words.ts';
import { plainLetters } from './role-lexicon.ts';

/** Languages and countries in which people write the surname first. */
const SURNAME_FIRST = new Set('hu vi zh ja ko HU VN CN TW HK MO SG JP KR'.split(' '));
/** Names of a page that show that it has the surnames in front, and how many more they are than others. */
const MIN_TURNED = 3;
const TURNED_FOR_OTHER = 3;
/** "BALDUCCI", "D'AMICO", "McDONALD"; two letters may be initials. */
const IN_CAPITALS = /^(?:\p{Lu}['’ʼ]|Mc|Mac)?\p{Lu}{2}[\p{Lu}'’ʼ‑-]*\p{Lu}$/u;
const SMALL = /\p{Ll}{2}/u;

/** A name whose surname is in front. */
interface Turned {
  titles: string[];
  given: string[];
  surname: string[];
}

/** Where a name was read. */
export interface NamePlace {
  /** ISO 639-1, or empty. */
  language: string;
  /** ISO 3166-1, or null. */
  region: string | null;
  /** The page has the surnames in front, by `haveSurnamesFirst`. */
  isTurned: boolean;
}

/**
 * A person's name with the given name first: "Doe, Dr. Jane" and "DOE Jane" are "Dr. Jane Doe" and "Jane Doe", and so is
 * "Doe Jane" among names in this order. Unchanged where the words do not tell the order, and where people write the
 * surname first, unless a comma is behind it.
 */
export function withGivenNameFirst(name: string, place: NamePlace): string {
  const turned = behindComma(name);
  if (turned !== null) return isCertain(turned) ? inOrder(turned) : name;
  if (SURNAME_FIRST.has(place.language) || SURNAME_FIRST.has(place.region ?? '')) return name;
  const behind =
    readBehindCapitals(name, place.isTurned) ?? (place.isTurned ? readAtEnd(name) : null);
  return behind === null ? name : inOrder(behind);
}

/** Whether most names of a page that tell their order end with the given name. */
export function haveSurnamesFirst(names: readonly string[]): boolean {
  const once = [...new Set(names)].map((name) => splitTitles(name).words);
  const turned = once.filter((words) => isGiven(words.at(-1)) && !isGiven(words[0])).length;
  const others = once.filter((words) => isGiven(words[0]) && !isGiven(words.at(-1))).length;
  return turned >= Math.max(MIN_TURNED, TURNED_FOR_OTHER * others);
}

/** The same for the words of a name, in any language; what is in front of a comma is taken for the surname. */
export function givenNameFirst(name: string): string {
  const turned = behindComma(name) ?? readBehindCapitals(name);
  return turned === null ? name : [...turned.titles, ...turned.given, ...turned.surname].join(' ');
}

function inOrder({ titles, given, surname }: Turned): string {
  return [...titles, ...given, ...surname.map(withoutCapitals)].join(' ');
}

/** "Doe, Jane", "Doe, Dr. Jane", "Doe, Jane, Dr.", "Dr. Doe, Jane" */
function behindComma(name: string): Turned | null {
  const [before = '', after = '', titled = '', ...more] = name.split(/\s*,\s*/);
  const [surname, given, behind] = [before, after, titled].map(splitTitles);
  if (!surname || !given || !behind || more.length + behind.words.length > 0) return null;
  if (surname.words.length === 0 || given.words.length === 0) return null;
  return {
    titles: [...surname.titles, ...given.titles, ...behind.titles],
    given: given.words,
    surname: surname.words,
  };
}

function isCertain({ given: [first = ''], surname: [lead = ''] }: Turned): boolean {
  return isGiven(first) || partsOf(first).some(isOrdinaryGivenName) || !isGiven(lead);
}

/** "DOE Jane", "Prof. DE SANCTIS Maria", and "DOE Xylo" among such names. */
function readBehindCapitals(name: string, isAmongTurned = false): Turned | null {
  if (name.includes(',')) return null;
  const { titles, words } = splitTitles(name);
  const end = words.findIndex((word) => !IN_CAPITALS.test(word) && !isParticle(word));
  const [surname, given] = [words.slice(0, end), words.slice(end)];
  const [first = ''] = given;
  if (end < 1 || !surname.some((word) => IN_CAPITALS.test(word) && !isParticle(word))) return null;
  if (!given.every((word) => SMALL.test(word) || /^\p{Lu}\.$/u.test(word))) return null;
  return isAmongTurned || isGiven(first) ? { titles, given, surname } : null;
}

/** "Doe Jane", "Doe Jane Mary", but not "Jane DOE" */
function readAtEnd(name: string): Turned | null {
  if (name.includes(',')) return null;
  const { titles, words } = splitTitles(name);
  if (IN_CAPITALS.test(words.at(-1) ?? '') && words.some((word) => SMALL.test(word))) return null;
  const end = words.findLastIndex((word, at) => at === 0 || !isGiven(word)) + 1;
  const [surname, given] = [words.slice(0, end), words.slice(end)];
  return given.length === 0 ? null : { titles, given, surname };
}

function isGiven(word: string | undefined): boolean {
  return partsOf(word ?? '').some(isGivenName);
}

function isParticle(word: string): boolean {
  return PARTICLES.has(word.toLowerCase());
}

/** The titles at either end, and the words between them. */
function splitTitles(text: string): { titles: string[]; words: string[] } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const isTitle = (word: string): boolean => /\p{Ll}/u.test(word) && isTitleBefore(word);
  const first = words.findIndex((word) => !isTitle(word));
  const last = words.findLastIndex((word) => !isTitle(word));
  if (first === -1) return { titles: words, words: [] };
  return {
    titles: [...words.slice(0, first), ...words.slice(last + 1)],
    words: words.slice(first, last + 1),
  };
}

/** "D'AMICO" is "D'Amico"; "McDONALD" is "McDonald". */
function withoutCapitals(word: string): string {
  if (!IN_CAPITALS.test(word)) return /^\p{Lu}{2}$/u.test(word) ? capitalised(word) : word;
  const prefix = /^M(?:a?)c(?=\p{Lu})/u.exec(word)?.[0] ?? '';
  return prefix + word.slice(prefix.length).replace(/\p{L}+/gu, capitalised);
}

function capitalised(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase();
}

function partsOf(word: string): string[] {
  return plainLetters(word).split(/[-‑]/u);
}
