import { FUNCTION_WORDS, REQUEST_WORDS } from '#src/documents/stop-words.ts';
import { tokenizeWords, WORD_PATTERN } from '#src/documents/tokenize.ts';
import type { SearchQuery } from './parse-query.ts';

const CORRECTABLE = /^\p{L}{5,31}$/u;
const JOINABLE = /^\p{L}{2,30}$/u;
const LETTERS = /^\p{L}+$/u;

/** Two words that follow each other, as they are written, and the one that they may be. */
export interface WordPair {
  words: [string, string];
  joined: string;
}

/** Words that may be misspelt: those of the topic that stand in no quotes and are not excluded. */
export function looseWords({ text, looseText, conditions }: SearchQuery): string[] {
  const named = new Set(
    conditions
      .filter(({ isPhrase, isExcluded }) => isPhrase || isExcluded)
      .flatMap((condition) => correctableWords(condition.text)),
  );
  const loose = Map.groupBy(correctableWords(looseText), (word) => word);
  const all = Map.groupBy(correctableWords(text), (word) => word);
  return [...loose.keys()].filter(
    (word) =>
      loose.get(word)?.length === all.get(word)?.length && !named.has(word) && isOfTopic(word),
  );
}

/** Words that a condition demands in the title. */
export function titleWords({ conditions }: SearchQuery): string[] {
  return conditions
    .filter(({ isTitle, isPhrase, isExcluded }) => isTitle && !isPhrase && !isExcluded)
    .flatMap(({ text }) => correctableWords(text));
}

/** Identifiers and pairs of words are left alone: they are more than one word. */
function correctableWords(text: string): string[] {
  return (text.match(WORD_PATTERN) ?? []).flatMap((written) => {
    const word = wholeWord(written);
    return word !== null && CORRECTABLE.test(word) ? [word] : [];
  });
}

/** All plain words that say what the query is about. */
export function topicWords(text: string): string[] {
  return [...new Set(tokenizeWords(text))].filter(isOfTopic);
}

/** Words with nothing but spaces between them. */
export function wordPairs(text: string): WordPair[] {
  const found = Array.from(text.matchAll(WORD_PATTERN));
  return found.slice(1).flatMap((second, at) => {
    const first = found[at];
    if (!first || !areNeighbours(text, first, second)) return [];
    const words: [string, string] = [wholeWord(first[0]) ?? '', wholeWord(second[0]) ?? ''];
    return words.every((word) => JOINABLE.test(word)) ? [{ words, joined: words.join('') }] : [];
  });
}

/**
 * The text with words replaced, and pairs of words, by their lower-case form with a space between; what stands in
 * quotes stays as it is.
 */
export function replaceWords(text: string, by: ReadonlyMap<string, string>): string {
  const parts = text.split('"').map((part, at) => (at % 2 === 1 ? part : replaceIn(part, by)));
  return parts.join('"');
}

function replaceIn(text: string, by: ReadonlyMap<string, string>): string {
  const found = Array.from(text.matchAll(WORD_PATTERN));
  let replaced = '';
  let from = 0;
  for (let at = 0; at < found.length; at += 1) {
    const [one, next] = found.slice(at, at + 2);
    if (!one) break;
    const word = wholeWord(one[0]) ?? '';
    const isPair = next !== undefined && areNeighbours(text, one, next);
    const joined = isPair ? by.get(`${word} ${wholeWord(next[0]) ?? ''}`) : undefined;
    const other = joined ?? by.get(word);
    if (other === undefined) continue;
    const last = joined === undefined ? one : next;
    replaced += text.slice(from, one.index) + other;
    from = (last ?? one).index + (last ?? one)[0].length;
    if (joined !== undefined) at += 1;
  }
  return replaced + text.slice(from);
}

function areNeighbours(text: string, a: RegExpExecArray, b: RegExpExecArray): boolean {
  return text.slice(a.index + a[0].length, b.index).trim() === '';
}

function wholeWord(written: string): string | null {
  const words = tokenizeWords(written);
  const [word = ''] = words;
  return words.length === 1 && LETTERS.test(word) ? word : null;
}

function isOfTopic(word: string): boolean {
  return !FUNCTION_WORDS.has(word) && !REQUEST_WORDS.has(word);
}
