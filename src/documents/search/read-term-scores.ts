import { sql } from 'kysely';
import { idf } from '#src/documents/bm25.ts';
import { type TermRow, weightsOf } from '#src/documents/term-frequencies.ts';
import type { Database } from '#src/platform/database.ts';
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
  const { rows } = await sql<TermRow & { chunk_id: number }>`
    select chunk_id, terms, weights::text as weights, frequencies
    from chunk_terms where chunk_id = any(${chunkIds}::bigint[])`.execute(db);
  for (const row of rows) {
    const weights = weightsOf(row);
    const placeOf = new Map(row.terms.map((term, place) => [term, place]));
    for (const term of known) {
      const place = placeOf.get(term);
      if (place === undefined) continue;
      const asked = (queryTerms.get(term) ?? 0) * idf(counts.df.get(term) ?? 0, counts.chunks);
      scores.get(row.chunk_id)?.set(term, asked * (weights[place] ?? 0));
    }
  }
  return scores;
}
