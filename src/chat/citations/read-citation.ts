const OPENING = '[【［';
const CLOSING = ']】］';
const SEPARATOR = ',，、';
const DIGIT = /^[0-9]$/;
/** Models never cite more at once. Longer text is not held back. */
const MAX_LENGTH = 120;
const MAX_DIGITS = 5;

/** What a text begins with: a complete citation, possibly the first part of one, or no citation. */
export type CitationReading =
  | { kind: 'citation'; numbers: number[]; length: number }
  | { kind: 'unfinished' }
  | { kind: 'none' };

const UNFINISHED: CitationReading = { kind: 'unfinished' };
const NONE: CitationReading = { kind: 'none' };

export function opensCitation(character: string): boolean {
  return character !== '' && OPENING.includes(character);
}

/** Reads `[1]`, `[1, 2]`, `[[1]]`, `[[1], [2]]` and the same in full-width brackets at the beginning of `text`. */
export function readCitation(text: string): CitationReading {
  const numbers: number[] = [];
  let depth = 0;
  let digits = '';
  /** What may come next: an item (number or bracket), or what follows a complete item. */
  let afterItem = false;
  for (let index = 0; index < Math.min(text.length, MAX_LENGTH); index += 1) {
    const character = text[index] ?? '';
    if (DIGIT.test(character) && (!afterItem || digits !== '')) {
      digits += character;
      // Document numbers begin at 1.
      if (digits.length > MAX_DIGITS || digits.startsWith('0')) return NONE;
      afterItem = true;
      continue;
    }
    if (digits !== '') {
      numbers.push(Number(digits));
      digits = '';
    }
    if (opensCitation(character)) {
      if (afterItem || depth === 2) return NONE;
      depth += 1;
    } else if (CLOSING.includes(character)) {
      if (!afterItem) return NONE;
      depth -= 1;
      if (depth === 0) return { kind: 'citation', numbers, length: index + 1 };
    } else if (SEPARATOR.includes(character)) {
      if (!afterItem) return NONE;
      afterItem = false;
    } else if (character !== ' ' || depth === 0) {
      return NONE;
    }
  }
  return text.length < MAX_LENGTH ? UNFINISHED : NONE;
}
