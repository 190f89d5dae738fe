import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';

const MAX_TITLE = 500;
const MAX_WORDS = 60;
/** Text beyond this is ignored. */
const MAX_READ = 2_000;

/** Characters that break a line or change the direction of the following text. */
const DISRUPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;
/** Fences anywhere; headings, lists, quotes and emphasis at the beginning. */
const MARKUP = /`{3,}\w*|^[\s#>*_`~|•-]+/gu;

/** A title given by a user; blank becomes null. */
export const titleField = z
  .string()
  .max(MAX_TITLE)
  .transform((text) => cleanTitle(text) || null);

function cleanTitle(text: string): string {
  return cleanText(text).replaceAll(DISRUPTIVE, ' ').replaceAll(/\s+/gu, ' ').trim();
}

/** The first words of a text as a title of at most 60 characters; null when there are none. */
export function titleFromWords(text: string): string | null {
  const clean = cleanTitle(text.slice(0, MAX_READ).replaceAll(MARKUP, ' ')).replace(MARKUP, '');
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(clean)) return null;
  return clean.length <= MAX_WORDS ? clean : `${cutAtWord(clean)}…`;
}

/** Leaves room for the ellipsis. A text without spaces is cut between two grapheme clusters. */
function cutAtWord(text: string): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, MAX_WORDS + 40))) {
    if (index + segment.length > MAX_WORDS - 1) break;
    end = index + segment.length;
  }
  const cut = text.slice(0, end);
  const lastSpace = cut.lastIndexOf(' ');
  const isInWord = text[end] !== ' ';
  return (isInWord && lastSpace > MAX_WORDS / 2 ? cut.slice(0, lastSpace) : cut).trimEnd();
}
