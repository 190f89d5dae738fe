import { FUNCTION_WORDS, REQUEST_WORDS } from '#src/documents/stop-words.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { searchWords, tokenize } from '#src/documents/tokenize.ts';

/** From this many words that are not function words, a query is read as a sentence. */
const SENTENCE_WORDS = 6;

/**
 * The terms that a query asks for: without function words, and in a sentence without the words that address whoever
 * searches ("articles that describe …"). If nothing would be left, the query asks for all its words.
 */
export function queryTermsOf(query: string): string[] {
  const words = searchWords(query);
  const content = words.filter((word) => !FUNCTION_WORDS.has(word));
  const topic = content.filter((word) => !REQUEST_WORDS.has(word));
  const isSentence = content.length >= SENTENCE_WORDS && topic.length > 0;
  const wanted = isSentence ? topic : content;
  return wanted.length > 0 ? wanted.map(stemWord) : tokenize(query);
}
