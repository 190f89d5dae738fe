import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { signBits } from '#src/platform/vector.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { cosine, fromHalfvec } from '#src/documents/quantized-vector.ts';
import { type FoundChunk, type SearchScope, searchable } from './search-scope.ts';
import { hasFilters } from './search-filters.ts';
import { INDEX_SERVES } from '#src/documents/vector-index.ts';

/** How many of the nearest vectors by sign bits are then compared exactly. */
const RERANKED = 400;
/**
 * As many as are asked for come in one pass. Where vectors of other workspaces are among them, the scan goes on:
 * https://github.com/pgvector/pgvector#iterative-index-scans
 */
const HNSW_EF_SEARCH = 500;

type VectorServices = Pick<DocumentServices, 'db' | 'config'>;

/**
 * The nearest chunks by the cosine of their vectors: those that are nearest by sign bits, compared exactly. In workspaces
 * of few chunks these are all. The sign bits of promoted vectors are found through the HNSW index, unless there is no
 * usable index, or there are filters: too few vectors may pass them.
 *
 * @param vector of unit length
 */
export async function searchVectors(
  { db, config }: VectorServices,
  scope: SearchScope,
  vector: Float32Array,
  chunks: number,
): Promise<FoundChunk[]> {
  if (vector.every((value) => value === 0)) return [];
  const mayUseIndex = config.size !== 'embedded' && chunks > config.VECTOR_PROMOTE_THRESHOLD;
  const isNarrowed = hasFilters(scope.filters) || scope.conditions.some(({ isTitle }) => isTitle);
  const all = rowsByBits(searchable(scope), vector, scope.limit);
  if (!mayUseIndex || isNarrowed) return nearestOf(db, all, vector, scope.limit);
  // One snapshot, so that a vector promoted in the meantime is neither missed nor found twice.
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (trx) => {
    if (!(await prepareIndexScan(trx))) return nearestOf(trx, all, vector, scope.limit);
    const staged = rowsByBits(sql`not promoted and ${searchable(scope)}`, vector, scope.limit);
    const promoted = rowsByBits(sql`promoted and ${searchable(scope)}`, vector, scope.limit);
    return nearestOf(trx, sql`(${staged} union all ${promoted})`, vector, scope.limit);
  });
}

interface VectorRow extends Omit<FoundChunk, 'score'> {
  quantized: Buffer | null;
  /** Of a row of an earlier version. */
  halfvec: Buffer | null;
}

async function nearestOf(
  db: Database,
  subquery: RawBuilder<unknown>,
  vector: Float32Array,
  limit: number,
): Promise<FoundChunk[]> {
  const { rows } = await sql<VectorRow>`
    select chunk_id as key, document_id as "documentId", quantized, halfvec_send(embedding) as halfvec
    from ${subquery} nearest`.execute(db);
  return rows
    .map(({ key, documentId, quantized, halfvec }) => ({
      key,
      documentId,
      score: cosine(vector, componentsOf(quantized, halfvec)),
    }))
    .toSorted((one, other) => other.score - one.score || one.key - other.key)
    .slice(0, limit);
}

function componentsOf(quantized: Buffer | null, halfvec: Buffer | null): Int8Array | Float32Array {
  if (quantized === null) return halfvec === null ? new Int8Array() : fromHalfvec(halfvec);
  return new Int8Array(quantized.buffer, quantized.byteOffset, quantized.byteLength);
}

/** The nearest by Hamming distance of the sign bits, which is about proportional to the angle. */
function rowsByBits(
  condition: RawBuilder<unknown>,
  vector: Float32Array,
  limit: number,
): RawBuilder<unknown> {
  return sql`(select chunk_id, document_id, quantized, embedding from chunk_vector
    where ${condition}
    order by bits <~> ${bitString(vector)}::bit(${sql.lit(vector.length)}) limit ${Math.max(RERANKED, limit)})`;
}

/**
 * Sets the scan parameters of the index for this transaction.
 * @returns whether the index can be used: it may be under construction, or be dropped at any time
 */
async function prepareIndexScan(trx: DatabaseTransaction): Promise<boolean> {
  const { rows } = await sql<{ serves: boolean }>`
    select set_config('hnsw.iterative_scan', 'relaxed_order', true),
      set_config('hnsw.ef_search', ${sql.lit(String(HNSW_EF_SEARCH))}, true),
      ${INDEX_SERVES} as serves`.execute(trx);
  return rows[0]?.serves === true;
}

function bitString(vector: Float32Array): string {
  return Array.from(signBits(vector), (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, vector.length);
}
