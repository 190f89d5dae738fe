import { stemmer } from 'stemmer';
import { STOP_WORDS } from '#src/documents/stop-words.ts';

const K1 = 1.2;
const B = 0.75;
const RARE_WORD = /^[a-z]{6,12}$/;

export type RankedIds = string[];

interface PlainDocument {
  id: string;
  title: string;
  text: string;
}

/** The reference: BM25 with Lucene's idf over title and text of whole documents, small stop list, Porter stems. */
export interface PlainBm25 {
  search(query: string, depth: number): RankedIds;
  /** Documents that hold the stem of this word. */
  df(word: string): number;
  /** Words that stand in one document only, evenly spread over the alphabet. */
  rareWords(count: number): { word: string; document: string }[];
}

export function plainBm25(documents: readonly PlainDocument[]): PlainBm25 {
  const postings = new Map<string, Map<number, number>>();
  const lengths: number[] = [];
  const documentOfWord = new Map<string, string | null>();
  for (const [index, { id, title, text }] of documents.entries()) {
    const words = wordsOf(`${title}\n${text}`);
    for (const word of words) {
      const ofTerm = postings.get(stemmer(word)) ?? new Map<number, number>();
      postings.set(stemmer(word), ofTerm.set(index, (ofTerm.get(index) ?? 0) + 1));
      const owner = documentOfWord.get(word);
      documentOfWord.set(word, owner === undefined || owner === id ? id : null);
    }
    lengths.push(words.length);
  }
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const df = (term: string) => postings.get(term)?.size ?? 0;
  return {
    df: (word) => df(stemmer(word)),
    rareWords(count) {
      const rare = [...documentOfWord]
        .flatMap(([word, document]) =>
          document !== null && RARE_WORD.test(word) && df(stemmer(word)) === 1
            ? [{ word, document }]
            : [],
        )
        .sort((a, b) => (a.word < b.word ? -1 : 1));
      const step = Math.max(1, Math.floor(rare.length / count));
      return rare.filter((_, index) => index % step === 0).slice(0, count);
    },
    search(query, depth) {
      const scores = new Map<number, number>();
      for (const word of wordsOf(query)) {
        const rows = df(stemmer(word));
        const idf = Math.log(1 + (documents.length - rows + 0.5) / (rows + 0.5));
        for (const [index, tf] of postings.get(stemmer(word)) ?? []) {
          const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / averageLength);
          const score = (idf * tf * (K1 + 1)) / (tf + norm);
          scores.set(index, (scores.get(index) ?? 0) + score);
        }
      }
      return [...scores]
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, depth)
        .map(([index]) => documents[index]?.id ?? '');
    },
  };
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word));
}
