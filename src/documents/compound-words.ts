import { foldWord } from './fold-word.ts';
import { FUNCTION_WORDS } from './stop-words.ts';

/** Words that carry grammar in German, Dutch and the Scandinavian languages, and are rare in others and in code. */
const GRAMMAR: ReadonlySet<string> = new Set(
  (
    'und der das nicht ist ein eine einen einem einer den dem mit von zu im für auf werden wird sind oder bei nach ' +
    'sich auch als durch nur wenn zum zur dass kann ' +
    'het een van voor niet zijn worden wordt met ook naar bij deze dat aan uit ' +
    'och att är som på för inte ett från eller ' +
    'og til ikke det har fra ved'
  ).split(' '),
);
/** Of the words of a text: running text has five times as many. */
const GRAMMAR_SHARE = 0.05;

const LETTERS_ONLY = /^\p{L}+$/u;
const SHORTEST_COMPOUND = 9;
const LONGEST_COMPOUND = 64;
const SHORTEST_PART = 4;
/** What stands before a word without making a compound of it, and is a word by itself. */
const PREFIXES: ReadonlySet<string> = new Set(
  (
    'unter uber wider wieder hinter nach nieder zuruck zusammen vorbei voran voraus weiter entgegen gegen zwischen ' +
    'durch auseinander herab heran heraus herein herum hinab hinaus hinein davon dabei daran ' +
    'onder over achter tegen door voor terug samen efter fram till igen fore under mellan genom'
  ).split(' '),
);
/** What makes an adjective of the word before it (`erfolgreich`), though it is a word by itself. */
const SUFFIXES: ReadonlySet<string> = new Set(
  'reich weise fahig massig artig wurdig haltig gemass bedingt seitig formig'.split(' '),
);
/** How a word may end in another inflection. */
const INFLECTIONS = ['', 'en', 'es', 'er', 'n', 'e', 's'];
/** What may stand between two parts. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'];
/** What a word may have lost as the first part: `Sprachschule`, `Trinkwasser`. */
const LOST_ENDINGS = ['', 'e', 'en'];

/** Letters by which compounds are looked up: the first and the last ones. No form of a part has fewer. */
export const KEY_LENGTH = SHORTEST_PART;

/**
 * The long words of a text, folded, if it is in a language that writes compounds as one word: in an English text, parts
 * of words are rarely what they mean (`understanding`, `withdrawal`).
 * @param words of the text in order, as `tokenizeWords` gives them
 */
export function compoundsAmong(words: readonly string[]): Set<string> {
  return writesCompounds(words) ? new Set(words.map(foldWord).filter(mayBeCompound)) : new Set();
}

function writesCompounds(words: readonly string[]): boolean {
  let grammar = 0;
  let english = 0;
  for (const word of words) {
    if (GRAMMAR.has(word)) grammar += 1;
    else if (FUNCTION_WORDS.has(word)) english += 1;
  }
  return grammar > english && grammar >= GRAMMAR_SHARE * words.length;
}

function mayBeCompound(word: string): boolean {
  return (
    word.length >= SHORTEST_COMPOUND && word.length <= LONGEST_COMPOUND && LETTERS_ONLY.test(word)
  );
}

/** A word by which compounds are looked up, in the forms with which they may begin and end. */
export interface CompoundPart {
  beginnings: string[];
  endings: string[];
}

/**
 * How compounds with this word as their first or last part begin or end; null for a word that is no part.
 * @param word lower case, folded
 */
export function compoundPart(word: string): CompoundPart | null {
  if (word.length <= SHORTEST_PART || !LETTERS_ONLY.test(word)) return null;
  if (PREFIXES.has(word) || GRAMMAR.has(word) || basesOf(word).some((base) => SUFFIXES.has(base))) {
    return null;
  }
  return { beginnings: beginningsOf(word), endings: formsOf(word) };
}

/**
 * What is left of a compound without this word at its end or beginning, in the forms in which it may stand elsewhere as a
 * word of its own. Empty if the word is neither.
 * @param word lower case, folded
 */
export function restsOf(compound: string, word: string): string[] {
  const before = formsOf(word).flatMap((form) =>
    compound.endsWith(form) ? firstParts(compound.slice(0, -form.length)) : [],
  );
  const after = beginningsOf(word).flatMap((base) =>
    compound.startsWith(base) ? lastParts(compound.slice(base.length)) : [],
  );
  return [...new Set([...before, ...after])].filter(
    (rest) => rest.length >= SHORTEST_PART && !PREFIXES.has(rest),
  );
}

/** `reinigungs` → reinigungs, reinigungse …, reinigung: what stands before the last part, as a word. */
function firstParts(before: string): string[] {
  if (before.length < SHORTEST_PART || PREFIXES.has(before)) return [];
  const whole = LOST_ENDINGS.map((ending) => before + ending);
  return [...whole, ...LINKS.flatMap((link) => without(before, link))];
}

/** `skosten` → skosten, kosten, kost …: what stands after the first part, as a word. */
function lastParts(after: string): string[] {
  return LINKS.flatMap((link) => {
    if (!after.startsWith(link)) return [];
    const part = after.slice(link.length);
    return part.length < SHORTEST_PART ? [] : [part, ...basesOf(part)];
  });
}

/** `Leitfaden` is nothing for a `Leiter`. */
function beginningsOf(word: string): string[] {
  return basesOf(word).filter((base) => word.slice(base.length) !== 'er');
}

function formsOf(word: string): string[] {
  return [
    ...new Set(basesOf(word).flatMap((base) => INFLECTIONS.map((inflection) => base + inflection))),
  ];
}

function basesOf(word: string): string[] {
  return INFLECTIONS.flatMap((inflection) => without(word, inflection)).filter(
    (base) => base.length >= SHORTEST_PART,
  );
}

function without(word: string, ending: string): string[] {
  return word.endsWith(ending) ? [word.slice(0, word.length - ending.length)] : [];
}
