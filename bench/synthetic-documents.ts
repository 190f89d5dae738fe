import type { z } from 'zod';
import type { ingestionItemSchema } from '#src/documents/incoming-document.ts';

export type SyntheticItem = z.input<typeof ingestionItemSchema>;

const VOCABULARY_SIZE = 60_000;
const SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu an el in or us st er'.split(' ');
const WORDS_PER_SENTENCE = 14;
const SENTENCES_PER_PARAGRAPH = 5;
const PARAGRAPHS_PER_HEADING = 4;
/** A fixed seed gives the same documents on every machine. */
const DEFAULT_SEED = 20_240_601;

/** Each call returns a number in [0, 1): mulberry32, public domain. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Words of a made-up language with Zipf-distributed frequencies, as in real text. */
function createWords(random: () => number, vocabularySeed: number | null): () => string {
  const vocabulary =
    vocabularySeed === null ? createVocabulary(random) : vocabularyOf(vocabularySeed);
  // The integral of 1/rank is the logarithm, so its inverse samples a rank.
  const logSize = Math.log(VOCABULARY_SIZE);
  return () => vocabulary[Math.floor(Math.exp(random() * logSize)) - 1] ?? 'the';
}

const vocabularies = new Map<number, string[]>();

/** Made once: a bench that makes documents in thousands of small groups would spend its time on the words. */
function vocabularyOf(seed: number): string[] {
  const known = vocabularies.get(seed) ?? createVocabulary(createRandom(seed));
  vocabularies.set(seed, known);
  return known;
}

/** The words of a seed's language, most frequent first. */
export function createVocabulary(random: () => number): string[] {
  return Array.from({ length: VOCABULARY_SIZE }, (_, rank) => wordOf(random, rank));
}

/** Markdown documents of `bytes`/2 to `bytes`·3/2, with headings, paragraphs, a link and metadata. */
export function createDocuments(
  count: number,
  bytes: number,
  options: { idPrefix?: string; seed?: number; vocabularySeed?: number } = {},
): SyntheticItem[] {
  const random = createRandom(options.seed ?? DEFAULT_SEED);
  // One language for all documents, or one per seed.
  const nextWord = createWords(random, options.vocabularySeed ?? null);
  return Array.from({ length: count }, (_, index) => ({
    document: {
      id: `${options.idPrefix ?? 'bench'}-${index}`,
      semantic_identifier: titleOf(nextWord),
      sections: [
        {
          text: markdownOf(nextWord, bytes * (0.5 + random())),
          link: `https://example.test/documents/${index}`,
        },
      ],
      source: 'file',
      metadata: { team: nextWord(), year: String(2000 + (index % 25)) },
    },
  }));
}

/** The same documents, with a sentence added to every `nth`. */
export function changeSome(items: readonly SyntheticItem[], nth: number): SyntheticItem[] {
  return items.map((item, index) => {
    const [section] = item.document.sections;
    if (index % nth !== 0 || section === undefined) return item;
    const text = `${section.text ?? ''}\n\nRevised in round ${index}.`;
    return { ...item, document: { ...item.document, sections: [{ ...section, text }] } };
  });
}

function wordOf(random: () => number, rank: number): string {
  const syllables = 1 + Math.floor(Math.log10(rank + 1) / 2 + random() * 3);
  const parts = Array.from(
    { length: syllables },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? 'a',
  );
  return parts.join('');
}

function markdownOf(nextWord: () => string, bytes: number): string {
  const parts: string[] = [];
  let length = 0;
  for (let paragraph = 0; length < bytes; paragraph += 1) {
    if (paragraph % PARAGRAPHS_PER_HEADING === 0) parts.push(`## ${titleOf(nextWord)}`);
    const text = paragraphOf(nextWord);
    parts.push(text);
    length += text.length;
  }
  return parts.join('\n\n').slice(0, Math.round(bytes));
}

function paragraphOf(nextWord: () => string): string {
  return Array.from({ length: SENTENCES_PER_PARAGRAPH }, () => {
    const words = Array.from({ length: WORDS_PER_SENTENCE }, nextWord).join(' ');
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  }).join(' ');
}

function titleOf(nextWord: () => string): string {
  return Array.from({ length: 4 }, nextWord).join(' ');
}
