import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import type { LatentBasis } from '#src/documents/latent-basis.ts';
import type { Candidate, FoundCandidates } from './find-candidates.ts';
import { fuseScores, type Scored } from './fuse-scores.ts';
import { latentScores, latentShare } from './latent-scores.ts';
import type { Evidence } from './known-text.ts';
import { proximity } from './proximity.ts';
import type { CandidateRow } from './read-candidates.ts';
import { smoothScores } from './smooth-scores.ts';
import { titleGain } from './title-gain.ts';
import { LIKENESS, TEXT_WEIGHTS } from './weights.ts';

/** Chunks whose text is read. Those behind them keep the order of their first score. */
export const RERANKED = 50;

/** Of a chunk that was deleted meanwhile. */
const NO_TERMS = new Int32Array();

/** What a score is made of: its parts add up to it. */
export interface ScoreParts {
  words: number;
  vectors: number;
  title: number;
  proximity: number;
  /** From the chunks that resemble it most. */
  likeness: number;
  /** How near it is to what is meant, where the workspace has a latent space. */
  meaning: number;
  /** Taken away from a chunk behind those whose text was read, so that it shows no higher score than they do. */
  order: number;
}

export interface RankedChunk {
  chunkId: number;
  documentId: DocumentId;
  /** 0 to 1. */
  score: number;
  parts: ScoreParts;
}

/** What candidates are ordered by. */
export interface Ranking {
  workspaceId: WorkspaceId;
  found: FoundCandidates;
  /** By chunk id; of the first ones with their texts. */
  rows: ReadonlyMap<number, CandidateRow>;
  basis: LatentBasis | null;
  denseWeight: number;
}

/**
 * Orders the candidates, best first, and keeps the best chunk of each document.
 *
 * 1. First score: words and vectors, fused.
 * 2. The text of the first 50: words in the title, words of the query close to each other.
 * 3. What the first 50 have in common: chunks that resemble other good ones rise.
 * 4. Where the workspace has a basis: how near they are to what is meant.
 *
 * @param first by `firstScores`
 */
export function rerankCandidates(
  first: readonly RankedChunk[],
  { workspaceId, found, rows, basis, denseWeight }: Ranking,
): RankedChunk[] {
  const asked = askedIds(found, workspaceId);
  const unit = (1 - denseWeight) / wordRange(found.candidates);
  const scored = first.slice(0, RERANKED).map((chunk) => {
    const row = rows.get(chunk.chunkId);
    const evidence = row?.text?.evidence(row.searchedTitle);
    if (!evidence) return { ...chunk, terms: NO_TERMS };
    return { ...withText(chunk, textGain(asked, evidence), unit), terms: evidence.terms };
  });
  const smoothed = smoothScores(scored).map(withLikeness);
  const reranked = basis === null ? smoothed : withMeaning(basis, asked, smoothed, denseWeight);
  return bestPerDocument([...inUnitRange(reranked), ...first.slice(RERANKED)]);
}

/** The words of a query as ids of terms. */
interface AskedIds {
  /** In order. */
  words: number[];
  weights: ReadonlyMap<number, number>;
}

function askedIds({ words, weights }: FoundCandidates, workspaceId: WorkspaceId): AskedIds {
  const salt = workspaceSalt(workspaceId);
  return {
    words: words.map((word) => termId(word, salt)),
    weights: new Map(Array.from(weights, ([word, weight]) => [termId(word, salt), weight])),
  };
}

/** The candidates in the order of their first scores: words and vectors, fused. */
export function firstScores(candidates: readonly Candidate[], denseWeight: number): RankedChunk[] {
  const documentOf = new Map(candidates.map(({ chunkId, documentId }) => [chunkId, documentId]));
  const fused = fuseScores(half(candidates, 'lexical'), half(candidates, 'dense'), denseWeight);
  return fused.flatMap(({ key, score, lexical: words, dense: vectors }) => {
    const documentId = documentOf.get(key);
    const parts = { words, vectors, title: 0, proximity: 0, likeness: 0, meaning: 0, order: 0 };
    return documentId === undefined ? [] : [{ chunkId: key, documentId, score, parts }];
  });
}

function half(candidates: readonly Candidate[], name: 'lexical' | 'dense'): Scored[] {
  return candidates.flatMap((candidate) => {
    const score = candidate[name];
    return score === null ? [] : [{ key: candidate.chunkId, score }];
  });
}

/** In the unit of BM25 scores. */
interface TextGain {
  title: number;
  proximity: number;
}

function textGain({ words, weights }: AskedIds, evidence: Evidence): TextGain {
  const { nearby, phrase } = proximity(weights, evidence.terms);
  return {
    title: titleGain(words, weights, evidence),
    proximity: TEXT_WEIGHTS.nearby * nearby + TEXT_WEIGHTS.together * phrase,
  };
}

/** @param unit of a BM25 score, in the unit of this one */
function withText(chunk: RankedChunk, gain: TextGain, unit: number): RankedChunk {
  const title = unit * gain.title;
  const near = unit * gain.proximity;
  return {
    ...chunk,
    score: chunk.score + unit * (gain.title + gain.proximity),
    parts: { ...chunk.parts, title, proximity: near },
  };
}

/** In the latent space of the workspace. */
function withMeaning<T extends RankedChunk & { terms: Int32Array }>(
  basis: LatentBasis,
  { words, weights }: AskedIds,
  chunks: readonly T[],
  denseWeight: number,
): T[] {
  const known = words.filter((word) => weights.has(word));
  const scores = latentScores(basis, known, chunks);
  const share = latentShare(weights.size, denseWeight);
  return chunks.map((chunk, at) => {
    const meaning = share * (scores[at] ?? 0);
    return { ...chunk, score: chunk.score + meaning, parts: { ...chunk.parts, meaning } };
  });
}

/** What its own score lost and that of others gave. */
function withLikeness<T extends RankedChunk>(chunk: T): T {
  const own = scaledParts(chunk.parts, 1 - LIKENESS.share);
  return { ...chunk, parts: { ...own, likeness: chunk.score - sumOf(own) } };
}

function scaledParts(parts: ScoreParts, by: number): ScoreParts {
  return {
    words: parts.words * by,
    vectors: parts.vectors * by,
    title: parts.title * by,
    proximity: parts.proximity * by,
    likeness: parts.likeness * by,
    meaning: parts.meaning * by,
    order: parts.order * by,
  };
}

function sumOf(parts: ScoreParts): number {
  const { words, vectors, title, proximity: near, likeness, meaning, order } = parts;
  return words + vectors + title + near + likeness + meaning + order;
}

/** What the fusion stretches over 0 to 1; with few hits by words, where it takes ranks, their best score. */
function wordRange(candidates: readonly Candidate[]): number {
  const scores = half(candidates, 'lexical').map(({ score }) => score);
  if (scores.length === 0) return Infinity;
  const best = scores.reduce((a, b) => Math.max(a, b));
  const range = best - scores.reduce((a, b) => Math.min(a, b));
  return range > best / 4 ? range : best;
}

/** Best first. The gains may lead beyond 1; the order is what counts. */
function inUnitRange<T extends RankedChunk>(chunks: readonly T[]): RankedChunk[] {
  const best = chunks.reduce((most, { score }) => Math.max(most, score), 1);
  return chunks
    .map(({ chunkId, documentId, score, parts }) => ({
      chunkId,
      documentId,
      score: score / best,
      parts: scaledParts(parts, 1 / best),
    }))
    .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** Chunks behind the reranked ones never show a higher score than those. */
function bestPerDocument(ordered: readonly RankedChunk[]): RankedChunk[] {
  const seen = new Set<DocumentId>();
  const best: RankedChunk[] = [];
  let lowest = 1;
  for (const chunk of ordered) {
    lowest = Math.min(lowest, chunk.score);
    if (seen.has(chunk.documentId)) continue;
    seen.add(chunk.documentId);
    const order = lowest - chunk.score;
    best.push({ ...chunk, score: lowest, parts: { ...chunk.parts, order } });
  }
  return best;
}
