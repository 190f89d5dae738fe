/** A quoted phrase, `-word` or `title:word` of a query: what a result must have, or must not have. */
export interface QueryCondition {
  text: string;
  /** Its words must stand one after the other, as they are. Otherwise each counts in any inflection. */
  isPhrase: boolean;
  /** In the title. Otherwise anywhere: title, headings or passage. */
  isTitle: boolean;
  /** The result must not have it. */
  isExcluded: boolean;
}

export interface SearchQuery {
  /** The words to rank by, without operators. Blank when the query only excludes. */
  text: string;
  /** The words of `text` outside quotes: only these may be corrected or widened. */
  looseText: string;
  conditions: QueryCondition[];
  /** The query as it was read: with one kind of quotes, all of them closed. */
  written: string;
}

/** In a sentence quotes mark titles and terms of art; whoever wants a phrase types little else. */
const MAX_WORDS_BESIDE_PHRASE = 8;
/** Of phrases, exclusions and `title:` words together: each may cost a look-up. */
export const MAX_CONDITIONS = 32;

const QUOTES = /[“”„‟«»]/g;
/** A dash that a phone or a word processor made of a hyphen, where it begins a word. */
const LONG_DASHES = /(?<=^|\s)[‐‑‒–−](?=\S)/g;
/** A hyphen excludes where it begins a word that begins with a letter or a digit. */
const OPERAND = /((?<=^|\s)-(?=["\p{L}\p{N}]))?(title:)?(?:"([^"]*)"|([^\s"]+))/giu;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** A query that has no operators, whatever stands in it. */
export function plainQuery(text: string): SearchQuery {
  return { text, looseText: text, conditions: [], written: text };
}

/**
 * Reads `"quoted phrases"`, `-word` and `title:word`; an operator may stand before a phrase. In a sentence, a phrase
 * without an operator is no condition. Never fails: a quote that is not closed, an operator without a word and a phrase
 * without one are passed over, and the words count as words.
 */
export function parseQuery(query: string): SearchQuery {
  const words: string[] = [];
  const loose: string[] = [];
  const conditions: QueryCondition[] = [];
  const written = closeQuotes(query);
  for (const [, minus, title, quoted, word] of written.matchAll(OPERAND)) {
    const text = (quoted ?? word ?? '').trim();
    const isPhrase = quoted !== undefined;
    if ((isPhrase || title !== undefined) && !HAS_WORD.test(text)) continue;
    const isExcluded = minus !== undefined;
    const isTitle = title !== undefined;
    if (!isExcluded) words.push(text);
    if (!isExcluded && !isPhrase) loose.push(text);
    if (isExcluded || isPhrase || isTitle) conditions.push({ text, isPhrase, isTitle, isExcluded });
  }
  const looseText = loose.join(' ');
  const isSentence = looseText.split(' ').length > MAX_WORDS_BESIDE_PHRASE;
  return {
    text: words.join(' '),
    looseText,
    conditions: isSentence ? conditions.filter(isOperator) : conditions,
    written,
  };
}

function isOperator({ isTitle, isExcluded }: QueryCondition): boolean {
  return isTitle || isExcluded;
}

/** With one kind of quote and hyphen; each character stays where it is. */
export function plainMarks(query: string): string {
  return query.replaceAll(QUOTES, '"').replaceAll(LONG_DASHES, '-');
}

/** With one kind of quote and hyphen, and without a quote at the end that opens nothing. */
function closeQuotes(query: string): string {
  const text = plainMarks(query);
  const isOdd = text.split('"').length % 2 === 0;
  if (!isOdd) return text;
  const last = text.lastIndexOf('"');
  const before = text.slice(0, last);
  // An operator still applies to the word that follows: `-"old client` excludes `old`.
  const gap = /[\p{L}\p{N}]$/u.test(before) ? ' ' : '';
  return `${before}${gap}${text.slice(last + 1)}`;
}
