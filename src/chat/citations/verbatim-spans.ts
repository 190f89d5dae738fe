import { BLANK_LINE, BLOCK } from './paragraph-end.ts';
import { readLink } from './read-link.ts';

/** A longer span is treated as plain text, so that text is not held back indefinitely. */
const MAX_SPAN = 4_000;
const MAX_TAG = 500;
const MAX_RUN = 200;
/** Longest closing mark other than backticks. */
const MAX_CLOSING = '</script>'.length;
const MAX_TARGET = 2_100;

const BACKTICKS = new RegExp(`^\`{1,${MAX_RUN}}`);
/** CommonMark 6.5 and 6.6: an autolink, a closing tag, a tag with its attributes. */
const TAG =
  /^<(?:[a-z][a-z\d+.-]{1,31}:[^\s<>]*|\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"<>\n]*"|'[^'<>\n]*'|[^\s"'=<>`]+))?)*\s*\/?)>/i;
const TAG_BEGINNING = /^<(?:[a-z/!?][^<>\n]*)?$/i;
const CODE_ELEMENT = /^<(code|pre|kbd|samp|var|tt|math|script|style)\b[^>]*>$/i;
const PUNCTUATION = /^[!-/:-@[-`{-~]$/;

/** Characters that may begin the end of a paragraph or a span. */
const STRUCTURE = ' \t\n\r>`~#*+-.)]$\\<0123456789/';

/** How a kind of span ends, and what terminates it before that. */
interface Ending {
  key: string;
  closing: string;
  limit: string;
}

const DISPLAY_MATHS = ending(String.raw`\$\$`, BLANK_LINE);
/** According to Pandoc: no blank before the closing sign and no digit after it, so that prices are not maths. */
const INLINE_MATHS = ending(String.raw`(?<=[^\s\\$])\$(?![\d$])`, BLOCK);
const TEX_DISPLAY = ending(String.raw`\\\]`, BLANK_LINE);
const TEX_INLINE = ending(String.raw`\\\)`, BLOCK);

function ending(closing: string, limit: string): Ending {
  return { key: closing, closing, limit };
}

/**
 * Finds the verbatim spans of a paragraph: code, maths, links, tags, escapes. A failed search is not repeated, so a
 * text of nothing but openings takes linear time.
 */
export class VerbatimSpans {
  /** By kind of ending: the position in the whole text up to which there is none. */
  readonly #none = new Map<string, number>();

  /**
   * The length of the span at the beginning of `text`, at least 1; null when more text is needed to decide.
   * @param place position of `text` in the whole
   * @param before the character before it
   */
  lengthAt(text: string, place: number, before: string, isEnd: boolean): number | null {
    switch (text.charAt(0)) {
      case '`':
        return this.#code(text, place, isEnd);
      case '$':
        return this.#maths(text, place, before, isEnd);
      case '\\':
        return this.#escape(text, place, isEnd);
      case '<':
        return this.#tag(text, place, isEnd);
      case '[': {
        const length = readLink(text, MAX_TARGET);
        return length === null && !isEnd ? null : Math.max(length ?? 0, 1);
      }
      default:
        return 1;
    }
  }

  #code(text: string, place: number, isEnd: boolean): number | null {
    const run = BACKTICKS.exec(text)?.[0].length ?? 1;
    if (run === MAX_RUN) return run;
    if (run === text.length && !isEnd) return null;
    const closing = `(?<!\`)\`{${run}}(?!\`)`;
    const end = this.#endAfter(text, run, place, isEnd, ending(closing, BLOCK));
    return end === 0 ? run : end;
  }

  #maths(text: string, place: number, before: string, isEnd: boolean): number | null {
    if (text.length < 2 && !isEnd) return null;
    const isDisplay = text[1] === '$';
    if (!isDisplay && (/[\w$]/.test(before) || !/\S/.test(text[1] ?? ''))) return 1;
    const opening = isDisplay ? 2 : 1;
    const kind = isDisplay ? DISPLAY_MATHS : INLINE_MATHS;
    const end = this.#endAfter(text, opening, place, isEnd, kind);
    return end === 0 ? opening : end;
  }

  #escape(text: string, place: number, isEnd: boolean): number | null {
    const next = text[1];
    if (next === undefined) return isEnd ? 1 : null;
    const literal = PUNCTUATION.test(next) ? 2 : 1;
    if (next !== '(' && next !== '[') return literal;
    const end = this.#endAfter(text, 2, place, isEnd, next === '(' ? TEX_INLINE : TEX_DISPLAY);
    return end === 0 ? literal : end;
  }

  #tag(text: string, place: number, isEnd: boolean): number | null {
    const window = text.slice(0, MAX_TAG);
    const tag = TAG.exec(window)?.[0];
    if (tag === undefined) {
      const mayBecome = !isEnd && text.length < MAX_TAG && TAG_BEGINNING.test(window);
      return mayBecome ? null : 1;
    }
    const name = CODE_ELEMENT.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) return tag.length;
    const closing = `</[${name[0]}${name[0]?.toUpperCase()}]${name.slice(1)}>`;
    const end = this.#endAfter(text, tag.length, place, isEnd, ending(closing, BLANK_LINE));
    return end === 0 ? tag.length : end;
  }

  /** Where the span ends whose opening has `opening` characters; 0 when it does not end. */
  #endAfter(
    text: string,
    opening: number,
    place: number,
    isEnd: boolean,
    { key, closing, limit }: Ending,
  ): number | null {
    const window = text.slice(0, MAX_SPAN);
    const isWhole = isEnd && text.length < MAX_SPAN;
    const pattern = new RegExp(`(${limit})|${closing}`, 'g');
    pattern.lastIndex = Math.max(opening, (this.#none.get(key) ?? 0) - place);
    if (pattern.lastIndex > window.length) return 0;
    const found = pattern.exec(window);
    const end = found === null ? window.length : found.index + found[0].length;
    if (found?.[1] !== undefined) {
      // The position itself is checked again, because it also terminates the next opening.
      this.#none.set(key, place + found.index);
      return 0;
    }
    if (found !== null && (end < window.length || isWhole)) return end;
    this.#none.set(key, Math.max(place + settledLength(window), this.#none.get(key) ?? 0));
    return isEnd || text.length >= MAX_SPAN ? 0 : null;
  }
}

/** How much of a text cannot change its meaning by what follows. */
function settledLength(text: string): number {
  let length = Math.max(text.length - MAX_CLOSING, 0);
  while (length > 0 && STRUCTURE.includes(text[length - 1] ?? '')) length -= 1;
  return length;
}
