import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';

/** Room for the notice itself. */
const NOTICE_TOKENS = 24;

/** Whether `text` costs at most `budget` tokens. Reads no further than needed. */
export function fitsTokens(text: string, budget: number): boolean {
  // A token has at least one character.
  return text.length <= budget || takeTokens(text, 0, text.length, budget) === text.length;
}

/** Tokens of `text`, or `limit + 1` when it costs more than `limit`. */
export function tokensUpTo(text: string, limit: number): number {
  return fitsTokens(text, limit) ? countTokens(text) : limit + 1;
}

/** The beginning of `text` that fits, with a notice of how much was left out; all of it when it fits. */
export function cutToTokens(text: string, budget: number): string {
  if (fitsTokens(text, budget)) return text;
  const end = takeTokens(text, 0, text.length, Math.max(0, budget - NOTICE_TOKENS));
  return `${text.slice(0, end)}${notice(text.length - end, text.length)}`;
}

/** The beginning and the end of `text`, with a notice between them; all of it when it fits. */
export function cutMiddle(text: string, budget: number): string {
  if (fitsTokens(text, budget)) return text;
  const half = Math.max(0, Math.floor((budget - NOTICE_TOKENS) / 2));
  const end = takeTokens(text, 0, text.length, half);
  const start = Math.max(end, startOfLast(text, half));
  return `${text.slice(0, end)}${notice(start - end, text.length)}\n${text.slice(start)}`;
}

/** Where the last `budget` tokens of a text begin, never inside a surrogate pair. */
function startOfLast(text: string, budget: number): number {
  let from = text.length;
  let room = budget;
  while (from > 0) {
    // Splitting a text never lowers the count, so separate steps stay within the budget.
    const step = Math.max(0, from - 64);
    const cost = countTokens(text, step, from);
    if (cost > room) break;
    room -= cost;
    from = step;
  }
  const isInsidePair =
    (text.charCodeAt(from) & 0xfc00) === 0xdc00 && (text.charCodeAt(from - 1) & 0xfc00) === 0xd800;
  return isInsidePair ? from + 1 : from;
}

function notice(left: number, all: number): string {
  return `\n[Cut: ${left} of ${all} characters were left out here.]`;
}
