import { createRandom, createVocabulary, type SyntheticItem } from './synthetic-documents.ts';

export const QUESTIONS = 200;
/** One language for all documents, so that its common words appear in most chunks, as in real text. */
export const VOCABULARY_SEED = 7;
/** Questions of common words draw from this many of the most frequent words. */
const COMMON_WORDS = 150;

/**
 * Two to five consecutive words of a document: some common, some rare, as people type them. Another seed gives other
 * questions.
 */
export function questionsFrom(items: readonly SyntheticItem[], seed: number = 99): string[] {
  const random = createRandom(seed);
  return Array.from({ length: QUESTIONS }, () => {
    const item = items[Math.floor(random() * items.length)];
    const words = item?.document.sections[0]?.text?.match(/[a-z]{3,}/gi) ?? [];
    const start = Math.floor(random() * Math.max(1, words.length - 5));
    return words.slice(start, start + 2 + Math.floor(random() * 4)).join(' ');
  });
}

/** Two to five of the most frequent words, which match most rows. */
export function commonQuestions(): string[] {
  const words = createVocabulary(createRandom(VOCABULARY_SEED)).slice(0, COMMON_WORDS);
  const random = createRandom(98);
  return Array.from({ length: QUESTIONS }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 4) },
      () => words[Math.floor(random() * words.length)],
    ).join(' '),
  );
}
