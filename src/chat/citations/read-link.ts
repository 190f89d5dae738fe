import { BLOCK } from './paragraph-end.ts';

/**
 * Limit for links in answers. Longer links are left empty, so that later readers of an answer need not look further.
 */
export const MAX_LINK_LENGTH = 10_000;
/** Deeper nesting of parentheses or brackets is not read as a link, which bounds the work per mark. */
const MAX_DEPTH = 32;
const MAX_TEXT = 500;
const PARAGRAPH_END = new RegExp(BLOCK, 'y');
const TITLE_ENDS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

export interface LinkTarget {
  /** From the opening to the closing parenthesis. */
  length: number;
  target: string;
}

/**
 * Reads `(target "title")` at the beginning of `text` according to CommonMark 6.3. Undefined when there is none, null
 * while it may still become one.
 */
export function readTarget(text: string, maxLength: number): LinkTarget | undefined | null {
  if (!text.startsWith('(')) return undefined;
  const unfinished = text.length < maxLength ? null : undefined;
  const start = skipBlanks(text, 1);
  const end = text[start] === '<' ? endOfAngles(text, start) : endOfWord(text, start, maxLength);
  if (end === undefined) return undefined;
  if (end === null) return unfinished;
  const target = text[start] === '<' ? text.slice(start + 1, end - 1) : text.slice(start, end);
  const titleStart = skipBlanks(text, end);
  const titleEnd = titleStart > end ? endOfTitle(text, titleStart, maxLength) : titleStart;
  if (titleEnd === null) return unfinished;
  const closing = skipBlanks(text, titleEnd);
  if (closing >= text.length) return unfinished;
  return text[closing] === ')' && closing < maxLength ? { length: closing + 1, target } : undefined;
}

/** The length of `[text](target)` at the beginning of `text`: 0 when there is none, null while it may still become one. */
export function readLink(text: string, maxTargetLength: number): number | null {
  let depth = 0;
  for (let index = 0; index < Math.min(text.length, MAX_TEXT); index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === '\n' && endsAt(text, index)) return 0;
    if (depth > MAX_DEPTH) return 0;
    if (depth > 0) continue;
    if (index + 1 >= text.length) return null;
    const target = readTarget(text.slice(index + 1), maxTargetLength);
    return target === null ? null : target === undefined ? 0 : index + 1 + target.length;
  }
  return text.length < MAX_TEXT ? null : 0;
}

function endsAt(text: string, index: number): boolean {
  PARAGRAPH_END.lastIndex = index;
  return PARAGRAPH_END.test(text.slice(0, MAX_TEXT));
}

function endOfAngles(text: string, start: number): number | undefined | null {
  const end = /[<>\n]/.exec(text.slice(start + 1));
  if (!end) return null;
  return end[0] === '>' ? start + 1 + end.index + 1 : undefined;
}

/** Where a target without angle brackets ends; its parentheses are balanced or escaped. */
function endOfWord(text: string, start: number, maxLength: number): number | undefined | null {
  let depth = 0;
  for (let index = start; index < Math.min(text.length, maxLength); index += 1) {
    const character = text[index] ?? '';
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' && depth === 0) return index;
    else if (character === ')') depth -= 1;
    else if (character <= ' ') return depth === 0 ? index : undefined;
    if (depth > MAX_DEPTH) return undefined;
  }
  return null;
}

/** Where a title ends; `start` when there is none. */
function endOfTitle(text: string, start: number, maxLength: number): number | null {
  const closing = TITLE_ENDS[text[start] ?? ''];
  if (closing === undefined) return start;
  const end = text.slice(0, maxLength).indexOf(closing, start + 1);
  return end === -1 ? null : end + 1;
}

function skipBlanks(text: string, from: number): number {
  let index = from;
  while (text[index] === ' ' || text[index] === '\t' || text[index] === '\n') index += 1;
  return index;
}
