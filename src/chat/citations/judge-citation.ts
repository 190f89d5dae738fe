import type { CitationMark } from './scan-citations.ts';

/** Largest unknown number that may be a citation: years and sums are larger. */
const MAX_UNKNOWN = 999;

/**
 * Letters, except those of scripts that write without spaces between words, where a mark next to a letter may still be
 * a citation.
 */
const LETTER = String.raw`(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}ー])[\p{L}\p{M}\p{N}_]`;
const WORD_BEFORE = new RegExp(`${LETTER}$`, 'u');
const WORD_BEHIND = new RegExp(`^${LETTER}`, 'u');
/** Characters that code puts before a bracket. */
const SIGN_BEFORE = /[\]}$\\@#/=<>&+^~-]$/;
/** A function call with its parenthesis just opened or just closed. */
const CALL_BEFORE = new RegExp(`${LETTER}\\((?:[^()]*\\))?$`, 'u');
/** The end of a sentence with a word, including closing quotes and marks. */
const SENTENCE_BEFORE = /[^\s.!?][.!?…]+["'”’»)*_]*$|[。！？｡][”’」』）*_]*$/;
const START_BEFORE = /(?:^|\s)$/;
const LINE_START = /(?:^|\n)[ \t>]*$/;

/** The documents that may be cited, by number. */
export type CitableDocuments = ReadonlyMap<number, { link: string | null }>;

/**
 * Decides from its context whether a mark is a citation. An unknown number counts only where nothing else would appear:
 * after a blank, the end of a sentence, or another citation. Without documents there are no citations.
 * @param isAdjacent a citation directly precedes it
 */
export function isCitation(
  mark: CitationMark,
  isAdjacent: boolean,
  documents: CitableDocuments,
): boolean {
  if (documents.size === 0) return false;
  const unknown = mark.numbers.filter((number) => !documents.has(number));
  if (unknown.some((number) => number > MAX_UNKNOWN)) return false;
  const isKnown = unknown.length < mark.numbers.length;
  if (isOwnLink(mark, documents) || isDefinition(mark)) return false;
  if (isAdjacent || START_BEFORE.test(mark.before)) return !isGluedBehind(mark);
  if (!isKnown) return SENTENCE_BEFORE.test(mark.before) && !isGluedBehind(mark);
  // Code does not use these brackets.
  if (mark.raw.startsWith('【')) return true;
  return !isGluedBefore(mark.before) && !isGluedBehind(mark);
}

/** A link of the text itself whose label happens to be a number, or an image. */
function isOwnLink(
  { raw, numbers, target, before }: CitationMark,
  documents: CitableDocuments,
): boolean {
  if (target === null || target === '') return false;
  const [number] = numbers;
  if (number === undefined || numbers.length > 1 || before.endsWith('!')) return true;
  // Answers cite as `[[1]](…)`, and so do models that have read such answers.
  return !/^[[【［]{2}/.test(raw) && documents.get(number)?.link?.trim() !== target;
}

/** `[1]: https://…` defines the target of a link. */
function isDefinition({ target, before, after }: CitationMark): boolean {
  return target === null && after === ':' && LINE_START.test(before);
}

function isGluedBefore(before: string): boolean {
  return (
    WORD_BEFORE.test(before) ||
    SIGN_BEFORE.test(before) ||
    CALL_BEFORE.test(before) ||
    (/[!.]$/.test(before) && !SENTENCE_BEFORE.test(before))
  );
}

function isGluedBehind({ target, after }: CitationMark): boolean {
  return target === null && WORD_BEHIND.test(after);
}
