import type { CitationMark } from './scan-citations.ts';

/** Of a number that no document has: a year or a sum has more. */
const MAX_UNKNOWN = 999;

/** Letters of scripts that write without spaces between words: what is glued to them may still be a citation. */
const LETTER = String.raw`(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}ー])[\p{L}\p{M}\p{N}_]`;
const WORD_BEFORE = new RegExp(`${LETTER}$`, 'u');
const WORD_BEHIND = new RegExp(`^${LETTER}`, 'u');
/** Signs that programs put before a bracket. */
const SIGN_BEFORE = /[\]}$\\@#/=<>&+^~-]$/;
/** A call of a function, its parenthesis just opened or just closed. */
const CALL_BEFORE = new RegExp(`${LETTER}\\((?:[^()]*\\))?$`, 'u');
/** The end of a sentence that has a word, with the quotes and marks that close behind it. */
const SENTENCE_BEFORE = /[^\s.!?][.!?…]+["'”’»)*_]*$|[。！？｡][”’」』）*_]*$/;
const START_BEFORE = /(?:^|\s)$/;
const LINE_START = /(?:^|\n)[ \t>]*$/;

/** What may be cited, by number. */
export type CitableDocuments = ReadonlyMap<number, { link: string | null }>;

/**
 * Whether a mark is a citation, by how it stands in its text. A number that no document has is one only where nothing else
 * stands: after a blank, the end of a sentence, or another citation. Without documents nothing is.
 * @param isAdjacent a citation stands right before it
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
  // No program has these brackets.
  if (mark.raw.startsWith('【')) return true;
  return !isGluedBefore(mark.before) && !isGluedBehind(mark);
}

/** A link of the text's own whose words happen to be a number, or an image. */
function isOwnLink(
  { raw, numbers, target, before }: CitationMark,
  documents: CitableDocuments,
): boolean {
  if (target === null || target === '') return false;
  const [number] = numbers;
  if (number === undefined || numbers.length > 1 || before.endsWith('!')) return true;
  // `[[1]](…)` is how answers cite, and how models that have read them do.
  return !/^[[【［]{2}/.test(raw) && documents.get(number)?.link?.trim() !== target;
}

/** `[1]: https://…` says where a link of the text leads. */
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
