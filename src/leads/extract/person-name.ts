import { isGivenName, isOrdinaryGivenName } from './given-names.ts';
import { givenNameFirst } from './name-order.ts';
import { isDegreeBefore, isTitleAfter, isTitleBefore } from './name-titles.ts';
import { INSTITUTION, NO_NAME_WORDS, PARTICLES, PLACE } from './name-words.ts';
import { plainLetters } from './role-lexicon.ts';
import { hasRoleWord, isRoleWord, isSurname } from './role-words.ts';
import { withoutSalutation } from './salutation.ts';
import { readUnspacedName } from './unspaced-name.ts';

/** Surnames that are also words of menus and headings. */
const SURNAMES = new Set('Ask Best Call Case Day Key Law March Read Ring Story'.split(' '));
const LONGEST_NAME = 60;
const MAX_WORDS = 4;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
/** Scripts without capital letters: Arabic, Hebrew, the scripts of India, Thai. */
const WITHOUT_CAPITALS = /^[\u0590-\u06ff\u0900-\u0e7f\p{M}'’"״׳-]{2,16}$/u;
/**
 * A capital followed by letters, with hyphens, apostrophes and inner capitals: O'Neill, Müller-Lüdenscheidt,
 * McDonald.
 */
const CAPITALISED = /^(?:d['’])?\p{Lu}[\p{L}\p{M}]*(?:['’ʼ`‑-][\p{L}\p{M}]+){0,3}$/u;
/** "Verwaltungs-GmbH" */
const LEGAL_FORM_BEHIND = /[-‑](?:G?mbH|AG|KG|SE|OHG|Stiftung)$/u;
/** "J.", "J.-P.", and "M.ª" for María. */
const INITIAL = /^(?:\p{Lu}\.?(?:-?\p{Lu}\.){0,2}|\p{Lu}\p{Ll}?\.|\p{Lu}\.?ª)$/u;
/** What stands in brackets behind a name: a code, a party, a group, a place, a subject, a birth name. */
const BRACKET_BEHIND = /^(?<name>\S+ .*\S) \((?<bracket>\p{Lu}[\p{L}\p{M} .’'-]{1,40})\)$/u;
/** "lic. iur.", "dipl. Ing. ETH" */
const SWISS_DEGREE =
  /^(?:lic|dipl|cand|mag|eidg)\.(?:\s?(?:dipl|iur|jur|oec|publ|phil|theol|rer|pol|mag|merc|agr|sc|nat|ing|arch|ETH|FH|HSG|HF|EPFL|TU)\.?){1,4}$/iu;
/** Between other titles: "dr n. med.", "dr n. o zdr." */
const INNER_TITLES = new Set(['n.', 'o', 'zdr.', 'hum.', 'farm.']);
const NICKNAME = /\s["“„'‘(][\p{L}-]{2,15}["”“'’)](?=\s)/u;

/**
 * A person's name as written, with titles, but without a salutation and the degrees after it; null for a text that is
 * not a name. Two to four capitalised words, with particles between them, or a name in Chinese, Japanese or Korean.
 */
export function readPersonName(text: string): string | null {
  if (text.length > 3 * LONGEST_NAME) return null;
  const written = text.replace(/[\s\u00a0\u3000]+/g, ' ').trim();
  const name = withoutBracket(withoutDegrees(written));
  if (name.length < 2 || name.length > LONGEST_NAME) return null;
  if (UNSPACED.test(name)) return readUnspacedName(name);
  if (/[\d@:;/\\|!?&+*=<>{}[\]_#%•…]/.test(name)) return null;
  const core = coreWords(name.replace(NICKNAME, ''));
  return core !== null && isName(core) ? withoutSalutation(name) : null;
}

/** The words of a name in order, the given name first, without titles, degrees, nicknames and commas. */
export function wordsOfName(name: string): string[] {
  const written = withoutDegrees(name.replace(/[\s\u00a0\u3000]+/g, ' ').trim());
  const plain = withoutBracket(written).replace(NICKNAME, '');
  const words = givenNameFirst(plain)
    .replace(/[,"“”„()]/g, ' ')
    .split(' ')
    .filter((word) => word !== '');
  return withoutTitles(words);
}

/**
 * One key for all spellings of a name: without titles, accents, case and middle initials. Empty for a name made only
 * of titles.
 */
export function personNameKey(name: string): string {
  const words = wordsOfName(name).map((word) => plainLetters(word).replace(/[^\p{L}\p{N}]+/gu, ''));
  const isMiddleInitial = (word: string, at: number): boolean =>
    word.length === 1 && at > 0 && at < words.length - 1;
  return words.filter((word, at) => word !== '' && !isMiddleInitial(word, at)).join(' ');
}

function isName(words: readonly string[]): boolean {
  const core = words.filter((word) => !PARTICLES.has(word));
  if (core.length < 2 || core.length > MAX_WORDS || words.length > MAX_WORDS + 2) return false;
  if (PLACE.test(words.join(' ')) || isTwoNames(words) || isWithArticle(words)) return false;
  if (core.every((word) => isTitleBefore(word) || isTitleAfter(word))) return false;
  // "Van der Molen" is a surname.
  if (words.length > 2 && words.slice(0, -1).every((word) => PARTICLES.has(word.toLowerCase()))) {
    return false;
  }
  // "Jane Doe von", of "Jane Doe von der Firma"
  if (words.length > core.length && PARTICLES.has(words.at(-1) ?? '')) return false;
  // "Jane Doe's"
  if (/\p{Ll}['’]s$/u.test(words.at(-1) ?? '')) return false;
  if (core.every((word) => WITHOUT_CAPITALS.test(word))) return !hasRoleWord(words.join(' '));
  let full = 0;
  for (const word of core) {
    if (INITIAL.test(word)) continue;
    if (!CAPITALISED.test(word)) return false;
    if (isOrdinary(word) && !isSurnameOf(word, core)) return false;
    full += 1;
  }
  // "J. Doe" is a name, "J. R." is not.
  return full >= 1 && !INITIAL.test(core.at(-1) ?? '');
}

/** "Jane Doe und John Smith" and "Jane y John Smith", but not "José Ortega y Gasset" and "von und zu". */
function isTwoNames(words: readonly string[]): boolean {
  const at = words.findIndex((word) => /^(?:[eyi]|und)$/.test(word));
  if (PARTICLES.has(words[at - 1] ?? '')) return false;
  // "Pflege und Technik"
  if (words[at] === 'und' && at > 0) return true;
  const [first = '', second = ''] = [words[at - 1], words[at + 1]].map((word) =>
    plainLetters(word ?? ''),
  );
  if (at === 1 && isGivenName(first) && (isGivenName(second) || words.length === 4)) return true;
  return at >= 2 && words.length - at > 2;
}

/** "La Guilde", but not "Le Minh". */
function isWithArticle([first = '', second = '', ...more]: readonly string[]): boolean {
  if (more.length > 0 || !/^(?:La|Le|Les|El|Los|Las|Il|Lo|Het|Die|Der|Das)$/u.test(first))
    return false;
  return !isGivenName(plainLetters(second));
}

/** "Ask" of "Solfrid Ask" */
function isSurnameOf(word: string, [first = '', ...more]: readonly string[]): boolean {
  if (more.length !== 1 || word !== more[0] || !SURNAMES.has(word)) return false;
  return isGivenName(plainLetters(first));
}

function isOrdinary(word: string): boolean {
  // "BennettPartner": text that lost its element boundaries.
  const glued = /\p{Ll}(\p{Lu}\p{Ll}{3,})$/u.exec(word)?.[1];
  if (glued !== undefined && (isRoleWord(glued) || NO_NAME_WORDS.has(plainLetters(glued))))
    return true;
  const plain = plainLetters(word);
  if (NO_NAME_WORDS.has(plain) || INSTITUTION.test(plain) || LEGAL_FORM_BEHIND.test(word)) {
    return true;
  }
  // "Vice-Chair"
  const parts = word.includes('-') ? [word, ...word.split('-')] : [word];
  if (parts.some((part) => isRoleWord(part) && !isSurname(part))) return true;
  // "CRM", "USA": a word without vowels, or a short word in capitals, is more likely an abbreviation than a name.
  return /^\p{Lu}{2,}$/u.test(word) && !/[AEIOUYÄÖÜÁÉÍÓÚАЕИОУЫЭЮЯІЇЄΑΕΗΙΟΥΩ]/u.test(word);
}

/** The words between titles; null when one of them cannot be part of a name. */
function coreWords(name: string): string[] | null {
  const parts = name.split(/\s*,\s*/);
  if (parts.length > 3 || parts.includes('')) return null;
  const [before = '', after, titles] = parts;
  // "Doe, Jane": only a surname before the comma, and "Doe, Jane, Dr.": only titles at the end.
  if (after !== undefined && (wordsBetween(before) > 1 || wordsBetween(after) > 2)) return null;
  if (titles !== undefined && wordsBetween(titles) > 0) return null;
  // "Padova, Rovigo"
  if (after !== undefined && /^\p{Script=Latin}/u.test(before) && !hasGivenName(name)) return null;
  if (/\p{Ll}{3,}\.$/u.test(name) && !/ (?:jun|sen)\.$/u.test(name)) return null;
  return wordsOfName(name);
}

function hasGivenName(text: string): boolean {
  const words = plainLetters(text).split(/[\s,-]+/u);
  return words.some(
    (word) => /^\p{L}\.?$/u.test(word) || isGivenName(word) || isOrdinaryGivenName(word),
  );
}

/** How many words a text has without titles and particles. */
function wordsBetween(text: string): number {
  const words = text.split(' ').filter((word) => !isTitleBefore(word));
  return words.filter((word) => !PARTICLES.has(word)).length;
}

function withoutTitles(words: readonly string[]): string[] {
  let from = 0;
  const isTitle = (word: string, at: number): boolean =>
    isTitleBefore(word) ||
    (at > 0 && INNER_TITLES.has(word)) ||
    (at < words.length - 2 && isDegreeBefore(word, words[at + 1] ?? ''));
  while (from < words.length - 1 && isTitle(words[from] ?? '', from)) from += 1;
  let to = words.length;
  const isShouted = words.every((word) => word === word.toUpperCase());
  while (to - from > 2 && isTitleAfter(words[to - 1] ?? '') && !isShouted) to -= 1;
  return words.slice(from, to);
}

/** "Jane Doe, PhD, MBA" without the part after the name. */
function withoutDegrees(name: string): string {
  const [written = '', ...rest] = name.split(/\s*,\s*/);
  const words = written.split(' ');
  while (words.length > 2 && isPostNominal(words.at(-1) ?? '', words)) words.pop();
  const first = words.join(' ');
  const kept = rest.filter(
    (part) => !part.split(' ').every(isTitleAfter) && !SWISS_DEGREE.test(part),
  );
  if (kept.length === rest.length && first === written) return name;
  return [first, ...kept].join(', ');
}

/** A role in brackets is not omitted, because the whole is no name then. */
function withoutBracket(text: string): string {
  const { name = text, bracket = '' } = BRACKET_BEHIND.exec(text)?.groups ?? {};
  return hasRoleWord(bracket) ? text : name;
}

/** "Jane Doe ACA": a degree behind a name that is not all in capitals; that of a religious order stays. */
function isPostNominal(word: string, words: readonly string[]): boolean {
  if (/^(?:OSB|SJ)$/.test(word)) return false;
  return (
    isTitleAfter(word) &&
    /^\p{Lu}[\p{L}.]+$/u.test(word) &&
    words.some((one) => /\p{Ll}{2}/u.test(one))
  );
}
