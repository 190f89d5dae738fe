import { normalizeText } from '#src/platform/normalize-text.ts';
import { isUnspaced } from './expand-word.ts';

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const APOSTROPHE = /['’]/;
/** A mark that follows belongs to the apostrophe: without it, it would sit on the letter before and make another. */
const INNER_APOSTROPHE = /(?<=[\p{L}\p{M}\p{N}])['’](?=[\p{L}\p{N}])/gu;

/**
 * A text as phrases are compared: its words in order, in lower case and NFKC, with one space between them. Neither
 * stemmed nor without stop words. Everything else separates words, so `time-sharing` is `time sharing`; an apostrophe
 * within a word does not. Of scripts without spaces every character is a word.
 */
export function phraseForm(text: string): string {
  const isAscii = !NON_ASCII.test(text);
  // Some capitals compose with a mark only as small letters: ῌ and U+0301 stay two characters, ῃ and U+0301 are ῄ.
  const normal = isAscii
    ? text.toLowerCase()
    : normalizeText(normalizeText(text, 'NFKC').toLowerCase(), 'NFC');
  const joined = APOSTROPHE.test(normal) ? normal.replace(INNER_APOSTROPHE, '') : normal;
  const words = joined.match(isAscii ? ASCII_WORDS : WORDS) ?? [];
  if (isAscii) return words.join(' ');
  return words.flatMap((word) => spaced(word)).join(' ');
}

/** Whether the words of a phrase follow each other in a text; both as `phraseForm` makes them. */
export function holdsPhrase(form: string, phrase: string): boolean {
  return phrase !== '' && ` ${form} `.includes(` ${phrase} `);
}

function spaced(word: string): string[] {
  const parts: string[] = [];
  let run = '';
  for (const character of word) {
    if (isUnspaced(character)) {
      if (run !== '') parts.push(run);
      parts.push(character);
      run = '';
    } else {
      run += character;
    }
  }
  return run === '' ? parts : [...parts, run];
}
