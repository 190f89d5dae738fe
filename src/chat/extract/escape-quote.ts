import { safeLink } from '#src/chat/citations/safe-link.ts';

const FENCE = /^\s{0,3}(?:`{3,}|~{3,})/;
/** A link that looks like one of our citations, an image that would be fetched unasked, the end of a link's text. */
const MARKUP = /\[\[(?=[\d,\s[\]]{1,120}\]\()|!\[|\]\((?=\s{0,20}<?([^)\n]{0,300}))/g;
/** A definition of where `[n]` leads, which would affect the rest of a text. */
const DEFINITION = /^(\s{0,3})\[(?=[^\]\n]{1,300}\]:)/gm;
/** HTML elements that fetch or run something, and autolinks that do. */
const ELEMENT =
  /<(?=\/?(?:a|audio|base|embed|form|iframe|img|input|link|meta|object|script|style|svg|video)\b|(?:javascript|vbscript|data):)/gi;

/**
 * Escapes a quote of a foreign document for an answer in Markdown: anything that would look like our citation, fetch
 * something or run something is shown literally. Code blocks stay unchanged.
 */
export function escapeQuote(text: string): string {
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
