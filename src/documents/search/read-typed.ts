import { plainMarks } from './parse-query.ts';

/** A word or a quoted phrase of what is being typed into a search box. */
export interface TypedPart {
  text: string;
  isPhrase: boolean;
  isExcluded: boolean;
  /** Its last word may go on: nothing follows it yet, not even a space or a quote. */
  isBegun: boolean;
}

/** As in parse-query.ts, but a quote need not be closed at the end. */
const OPERAND = /((?<=^|\s)-(?=["\p{L}\p{N}]))?(?:title:)?(?:"([^"]*)("|$)|([^\s"]+))/giu;
const OPERATOR_ALONE = /^title:$/i;
const HAS_SIGN = /\S/;

/**
 * Reads what was typed so far as a query is read: `"quoted phrases"`, `-word` and `title:word`. Of a title everything is
 * demanded anyway, so `title:` counts as nothing.
 */
export function readTyped(text: string): TypedPart[] {
  const typed = plainMarks(text);
  const parts = Array.from(typed.matchAll(OPERAND), (found): TypedPart => {
    const [whole, minus, quoted, closing, word = ''] = found;
    const isLast = found.index + whole.length === typed.length;
    const own = quoted ?? (OPERATOR_ALONE.test(word) ? '' : word);
    return {
      text: own,
      isPhrase: quoted !== undefined,
      isExcluded: minus !== undefined,
      isBegun: isLast && closing !== '"' && /\S$/u.test(own),
    };
  });
  return parts.filter((part) => HAS_SIGN.test(part.text));
}
