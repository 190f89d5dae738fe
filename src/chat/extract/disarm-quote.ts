import { safeLink } from '#src/chat/citations/safe-link.ts';

const FENCE = /^\s{0,3}(?:`{3,}|~{3,})/;
/** A link that looks like one of our citations, an image that would be fetched unasked, the end of a link's text. */
const MARKUP = /\[\[(?=[\d,\s[\]]{1,120}\]\()|!\[|\]\((?=\s{0,20}<?([^)\n]{0,300}))/g;
/** Where `[n]` leads in the rest of a text, for whoever renders it. */
const DEFINITION = /^(\s{0,3})\[(?=[^\]\n]{1,300}\]:)/gm;
/** Elements of HTML that fetch or run something, and addresses in angle brackets that do. */
const ELEMENT =
  /<(?=\/?(?:a|audio|base|embed|form|iframe|img|input|link|meta|object|script|style|svg|video)\b|(?:javascript|vbscript|data):)/gi;

/**
 * A quote of somebody else's document in an answer in Markdown: what would pass for a citation of ours, fetch something or
 * run something is shown as it is written. Code blocks stay as they are.
 */
export function disarmQuote(text: string): string {
  if (FENCE.test(text)) return text;
  return text
    .replaceAll(MARKUP, (mark: string, target: string | undefined) => {
      if (mark === '[[') return String.raw`[\[`;
      if (mark === '![') return String.raw`!\[`;
      return safeLink(target ?? '') === null ? String.raw`]\(` : mark;
    })
    .replaceAll(DEFINITION, String.raw`$1\[`)
    .replaceAll(ELEMENT, String.raw`\<`);
}
