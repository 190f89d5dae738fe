import type { RecencyBias } from '#src/tables/documents.ts';
import { findCopies, type Passage, printOf } from './find-copies.ts';
import type { CandidateRow } from './read-candidates.ts';
import type { RankedChunk } from './rerank-candidates.ts';
import { boostFactor, recencyFactor } from './score-factors.ts';

/** Documents that can be paged through, and that facets count. */
export const MAX_ARRANGED = 200;
/** Passages that are read and compared, to find copies. What ranks below them stays as it is. */
export const MAX_COMPARED = 100;
/** Ids of near-copies that a hit names; their count is that of all. */
const MAX_NAMED = 10;

/** A document of the final order. */
export interface ArrangedDocument extends RankedChunk {
  /** The score before age and boost. */
  relevance: number;
  /** What the score was multiplied by. */
  recency: number;
  boost: number;
  /** Less than 1 where a boost lifts a score above it. */
  scale: number;
  /** Near-copies that this one stands for. */
  copies: { count: number; documentIds: string[]; chunkIds: number[]; scores: number[] };
}

export interface Arrangement {
  recencyBias: Exclude<RecencyBias, 'auto'>;
  now: Date;
  collapses: boolean;
}

/** Never a copy of anything. */
const NO_TEXT = { text: '', print: printOf('') };

/**
 * Turns the ranking into the final order: by score, age and boost, and near-copies behind their best. It depends on
 * neither `limit` nor `offset`, so pages fit together.
 */
export function arrangeDocuments(
  ranked: readonly RankedChunk[],
  rows: ReadonlyMap<number, CandidateRow>,
  arrangement: Arrangement,
): ArrangedDocument[] {
  const found = ranked.slice(0, MAX_ARRANGED).flatMap((chunk, place) => {
    const row = rows.get(chunk.chunkId);
    if (row?.isShown !== true) return [];
    const recency = recencyFactor(row.updatedAt, arrangement.now, arrangement.recencyBias);
    const boost = boostFactor(row.boost);
    const { score: relevance } = chunk;
    const isCompared = place < MAX_COMPARED;
    const score = relevance * recency * boost;
    return { ...chunk, row, isCompared, relevance, recency, boost, score };
  });
  found.sort(
    (a, b) =>
      b.score - a.score ||
      (b.row.updatedAt?.getTime() ?? 0) - (a.row.updatedAt?.getTime() ?? 0) ||
      a.chunkId - b.chunkId,
  );
  // Boosts lift scores above 1.
  const scale = 1 / Math.max(1, found[0]?.score ?? 1);
  const originals = arrangement.collapses
    ? findCopies(found.map(passageOf))
    : found.map((_, place) => place);
  const copies = Map.groupBy(found.keys(), (place) => originals[place] ?? place);
  return found.flatMap(({ row: _row, isCompared: _isCompared, ...one }, place) => {
    if (originals[place] !== place) return [];
    const others = (copies.get(place) ?? []).filter((other) => other !== place);
    const named = others.flatMap((other) => found[other] ?? []).slice(0, MAX_NAMED);
    return {
      ...one,
      score: one.score * scale,
      scale,
      copies: {
        count: others.length,
        documentIds: named.map((copy) => copy.row.externalId),
        chunkIds: named.map(({ chunkId }) => chunkId),
        scores: named.map(({ score }) => score * scale),
      },
    };
  });
}

function passageOf({ row, isCompared }: { row: CandidateRow; isCompared: boolean }): Passage {
  const { title, chunkCount } = row;
  const { text, print } = (isCompared ? row.text : null) ?? NO_TEXT;
  return { title, text, print, chunkCount };
}
