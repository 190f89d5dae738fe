import { visibleText } from '#src/documents/html-text.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { ArrangedDocument } from './arrange-documents.ts';
import type { Candidate } from './find-candidates.ts';
import type { RankedChunk } from './rerank-candidates.ts';
import type { SearchHit } from './search-hit.ts';

/** A half of the search that found the passage. */
interface HalfScore {
  /** BM25, or the cosine. */
  score: number;
  /** From 1, among the passages that this half found. */
  rank: number;
}

/** Why a hit stands where it stands. */
export interface HitExplanation {
  /** Null: this half did not find the passage. */
  lexical: HalfScore | null;
  dense: HalfScore | null;
  /** Of both halves together, before age and boost. */
  relevance: number;
  /** Factors of the score. */
  recency: number;
  boost: number;
  /** The words of the query, as the index holds them, that are in the passage or the title, and those that are not. */
  matched: string[];
  missing: string[];
}

export function explainHit(
  hit: SearchHit,
  chunk: ArrangedDocument,
  ranked: readonly RankedChunk[],
  candidates: readonly Candidate[],
  words: readonly string[],
): HitExplanation {
  const terms = [...new Set(words)];
  const text = hit.is_html ? visibleText(hit.text) : hit.text;
  const held = new Set(tokenize([hit.semantic_identifier, ...hit.headings, text].join('\n')));
  return {
    lexical: halfScore('lexical', chunk.chunkId, candidates),
    dense: halfScore('dense', chunk.chunkId, candidates),
    relevance: ranked.find(({ chunkId }) => chunkId === chunk.chunkId)?.score ?? 0,
    recency: chunk.recency,
    boost: chunk.boost,
    matched: terms.filter((term) => held.has(term)),
    missing: terms.filter((term) => !held.has(term)),
  };
}

function halfScore(
  half: 'lexical' | 'dense',
  chunkId: number,
  candidates: readonly Candidate[],
): HalfScore | null {
  const score = candidates.find((one) => one.chunkId === chunkId)?.[half] ?? null;
  if (score === null) return null;
  const better = candidates.filter((one) => (one[half] ?? -Infinity) > score);
  return { score, rank: better.length + 1 };
}
