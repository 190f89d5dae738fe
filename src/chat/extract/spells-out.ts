import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { WORD_PATTERN } from '#src/documents/tokenize.ts';

const MIN_LETTERS = 2;
const MAX_LETTERS = 10;

/**
 * Whether words in a row begin with the letters of an abbreviation: "Portable Network Graphics" for `png`, "GNU is not
 * Unix" for `gnu`. Grammar words may be left out.
 */
export function spellsOut(text: string, abbreviation: string): boolean {
  const letters = Array.from(abbreviation.toLowerCase());
  if (letters.length < MIN_LETTERS || letters.length > MAX_LETTERS) return false;
  const words = (text.replaceAll('-', ' ').match(WORD_PATTERN) ?? []).map((word) =>
    word.toLowerCase(),
  );
  return words.some((_, start) => isSpelled(words.slice(start), letters));
}

function isSpelled(words: readonly string[], letters: readonly string[]): boolean {
  let spelled = 0;
  for (const word of words) {
    if (word.startsWith(letters[spelled] ?? '')) spelled += 1;
    else if (spelled === 0 || !FUNCTION_WORDS.has(word)) return false;
    if (spelled === letters.length) return true;
  }
  return false;
}
