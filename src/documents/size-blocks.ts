import { type Block, type SizedBlock, STRENGTH } from './block.ts';
import { countTokens, takeTokens } from './count-tokens.ts';

export interface TokenLimits {
  /** Desired size of a chunk. */
  targetTokens: number;
  /** Maximum size of a chunk. */
  maxTokens: number;
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Characters passed to the sentence segmenter at once; it copies its input. */
const SENTENCE_WINDOW = 64 * 1024;

/**
 * Counts each block's tokens and splits blocks above the limit into sentences. A sentence that is still too long is
 * split at lines, else at words, else anywhere except inside a surrogate pair. `text` is the section with tags masked.
 */
export function* sizeBlocks(
  text: string,
  blocks: Iterable<Block>,
  limits: TokenLimits,
): Generator<SizedBlock> {
  for (const block of blocks) {
    const tokens = countTokens(text, block.start, block.end);
    if (tokens <= limits.maxTokens) yield { ...block, tokens };
    else yield* splitLong(text, block, limits);
  }
}

function* splitLong(text: string, block: Block, limits: TokenLimits): Generator<SizedBlock> {
  let { strength } = block;
  for (const sentence of sentencesOf(text, block.start, block.end)) {
    const tokens = countTokens(text, sentence.start, sentence.end);
    if (tokens <= limits.maxTokens) {
      yield { ...block, ...sentence, strength, tokens };
      strength = STRENGTH.sentence;
      continue;
    }
    for (const piece of cutAtWords(text, sentence.start, sentence.end, limits.targetTokens)) {
      yield { ...block, ...piece, strength };
      strength = STRENGTH.word;
    }
    strength = STRENGTH.sentence;
  }
}

function* sentencesOf(text: string, start: number, end: number) {
  for (let from = start; from < end;) {
    const to = windowEnd(text, from, end);
    // For the segmenter a line break ends a sentence, but wrapped prose breaks lines anywhere.
    const window = text.slice(from, to).replace(/[\r\n\u2028\u2029]/g, ' ');
    for (const { segment, index } of SENTENCES.segment(window)) {
      const span = trimmed(segment, from + index);
      if (span.end > span.start) yield span;
    }
    from = to;
  }
}

function windowEnd(text: string, from: number, end: number): number {
  const to = from + SENTENCE_WINDOW;
  if (to >= end) return end;
  const space = lastWhitespace(text, from + SENTENCE_WINDOW / 2, to, /\s/);
  return space === -1 ? withoutHalfPair(text, to) : space;
}

function* cutAtWords(text: string, start: number, end: number, budget: number) {
  for (let from = skipWhitespace(text, start, end); from < end;) {
    const reach = takeTokens(text, from, end, budget);
    const to = reach === end ? end : wordEnd(text, from, reach);
    const piece = trimmed(text.slice(from, to), from);
    yield { ...piece, tokens: countTokens(text, piece.start, piece.end) };
    from = skipWhitespace(text, to, end);
  }
}

/** The last line break before `reach`, else the last white space, else `reach`; always after `from`. */
function wordEnd(text: string, from: number, reach: number): number {
  const line = lastWhitespace(text, from + (reach - from) / 2, reach, /[\r\n]/);
  if (line !== -1) return line;
  const space = lastWhitespace(text, from + 1, reach, /\s/);
  if (space !== -1) return space;
  // Advances by at least one character, even if that exceeds the budget.
  return reach > from ? reach : from + String.fromCodePoint(text.codePointAt(from) ?? 0).length;
}

function lastWhitespace(text: string, from: number, to: number, pattern: RegExp): number {
  for (let index = to; index >= from; index -= 1) {
    if (pattern.test(text.charAt(index))) return index;
  }
  return -1;
}

function withoutHalfPair(text: string, at: number): number {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}

function skipWhitespace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

function trimmed(piece: string, offset: number): { start: number; end: number } {
  const start = offset + piece.length - piece.trimStart().length;
  return { start, end: start + piece.trim().length };
}
