import type { DocumentServices } from '#src/documents/document-services.ts';
import { findCandidates, type Question } from './find-candidates.ts';
import { readHits } from './read-hits.ts';
import { rerankCandidates } from './rerank-candidates.ts';
import type { SearchHit } from './search-hit.ts';

export type { SearchHit } from './search-hit.ts';

export interface SearchInput extends Question {
  /** Maximum number of documents. */
  limit: number;
}

/**
 * Hybrid search in three stages: candidates by BM25 and by vectors, each restricted to the workspace and the filters;
 * their order by all that is known of them; the first `limit` as hits. The first two stages do not depend on `limit`.
 * Each document yields one hit: its best chunk.
 */
export async function searchDocuments(
  services: Pick<DocumentServices, 'db' | 'embedder' | 'config' | 'log'>,
  input: SearchInput,
): Promise<SearchHit[]> {
  const { words, candidates } = await findCandidates(services, input);
  input.signal.throwIfAborted();
  const ranked = rerankCandidates(candidates, services.embedder.denseWeight);
  return readHits(services.db, input.workspaceId, ranked.slice(0, input.limit), words);
}
