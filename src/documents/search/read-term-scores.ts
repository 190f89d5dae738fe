import { sql } from 'kysely';
import { idf, TERM_SPACE } from '#src/documents/bm25.ts';
import type { Database } from '#src/platform/database.ts';
import { sparseVectorLiteral } from '#src/platform/vector.ts';
import type { AskedTerms } from './asked-terms.ts';

/**
 * What each term of the query gives to the BM25 scores of these chunks: chunk id → term id → score. The scores of a chunk
 * add up to the one by which words found it.
 */
export async function readTermScores(
  db: Database,
  { queryTerms, counts }: Pick<AskedTerms, 'queryTerms' | 'counts'>,
  chunkIds: readonly number[],
): Promise<Map<number, Map<number, number>>> {
  const known = [...queryTerms.keys()].filter((id) => counts.df.has(id));
  const scores = new Map(chunkIds.map((id) => [id, new Map<number, number>()]));
  if (known.length === 0 || chunkIds.length === 0) return scores;
  const vectors = known.map((id) =>
    sparseVectorLiteral(TERM_SPACE, Int32Array.of(id), Float32Array.of(1)),
  );
  const { rows } = await sql<{ chunk_id: number; term: number; weight: number }>`
    select t.chunk_id, asked.term, -(t.weights <#> asked.vector::sparsevec) as weight
    from chunk_terms t, unnest(${known}::int[], ${vectors}::text[]) as asked(term, vector)
    where t.chunk_id = any(${chunkIds}::bigint[]) and t.terms @> array[asked.term]`.execute(db);
  for (const { chunk_id, term, weight } of rows) {
    const asked = (queryTerms.get(term) ?? 0) * idf(counts.df.get(term) ?? 0, counts.chunks);
    scores.get(chunk_id)?.set(term, asked * weight);
  }
  return scores;
}
