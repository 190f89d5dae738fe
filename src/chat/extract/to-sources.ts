import type { FurtherPassage } from '#src/documents/search/read-passages.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import type { Source } from './read-candidates.ts';

type FoundHit = Pick<
  SearchHit,
  'document_id' | 'chunk_ind' | 'semantic_identifier' | 'score' | 'text' | 'headings'
>;

/** Hits of a search (best first), each with the further passages of its document. */
export function toSources(hits: readonly FoundHit[], further: readonly FurtherPassage[]): Source[] {
  return hits.map((hit) => {
    const others = further.filter(
      ({ document_id, chunk_ind }) =>
        document_id === hit.document_id && chunk_ind !== hit.chunk_ind,
    );
    return {
      title: hit.semantic_identifier,
      score: hit.score ?? 0,
      passages: [hit, ...others].toSorted((one, other) => one.chunk_ind - other.chunk_ind),
    };
  });
}
