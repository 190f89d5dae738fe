import type { DocumentId } from '#src/ids.ts';
import type { Candidate } from './find-candidates.ts';
import { fuseScores, type Scored } from './fuse-scores.ts';

export interface RankedChunk {
  chunkId: number;
  documentId: DocumentId;
  score: number;
}

/** Orders the candidates, best first, and keeps the best chunk of each document. */
export function rerankCandidates(
  candidates: readonly Candidate[],
  denseWeight: number,
): RankedChunk[] {
  const documentOf = new Map(candidates.map(({ chunkId, documentId }) => [chunkId, documentId]));
  const fused = fuseScores(half(candidates, 'lexical'), half(candidates, 'dense'), denseWeight);
  const seen = new Set<DocumentId>();
  const ranked: RankedChunk[] = [];
  for (const { key, score } of fused) {
    const documentId = documentOf.get(key);
    if (documentId === undefined || seen.has(documentId)) continue;
    seen.add(documentId);
    ranked.push({ chunkId: key, documentId, score });
  }
  return ranked;
}

function half(candidates: readonly Candidate[], name: 'lexical' | 'dense'): Scored[] {
  return candidates.flatMap((candidate) => {
    const score = candidate[name];
    return score === null ? [] : [{ key: candidate.chunkId, score }];
  });
}
