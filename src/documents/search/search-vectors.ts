import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { signBits, vectorLiteral } from '#src/platform/vector.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { type FoundChunk, type SearchScope, searchable } from './search-scope.ts';
import { hasFilters } from './search-filters.ts';
import { INDEX_SERVES } from '#src/documents/vector-index.ts';

/** Up to this many chunks, all vectors are compared exactly: 5–10 ms, against 1 ms by sign bits; tenfold in WASM. */
const EXACT_CHUNKS = { embedded: 200, 'one-database': 2_000, 'scale-out': 2_000 };
/** How many of the nearest vectors by sign bits are then compared exactly. */
const RERANKED = 400;
/**
 * A query is scaled so that its largest component is this, then rounded: integers are parsed nine times as fast as
 * fractions, and are just as accurate.
 */
const QUERY_UNIT = 20_000;
/**
 * As many as are asked for come in one pass. Where vectors of other workspaces are among them, the scan goes on:
 * https://github.com/pgvector/pgvector#iterative-index-scans
 */
const HNSW_EF_SEARCH = 500;

type VectorServices = Pick<DocumentServices, 'db' | 'config'>;

/**
 * The nearest chunks by inner product of unit vectors. Small workspaces are compared exactly, larger ones by sign bits
 * and then exactly. The sign bits of promoted vectors are found through the HNSW index, unless there is no usable index,
 * or there are filters: too few vectors may pass them.
 */
export async function searchVectors(
  { db, config }: VectorServices,
  scope: SearchScope,
  vector: Float32Array,
  chunks: number,
): Promise<FoundChunk[]> {
  if (vector.every((value) => value === 0)) return [];
  const query = scaledQuery(vector);
  if (chunks <= Math.min(EXACT_CHUNKS[config.size], config.VECTOR_PROMOTE_THRESHOLD)) {
    return nearestExactly(db, sql`chunk_vector where ${searchable(scope)}`, query, scope.limit);
  }
  const mayUseIndex = config.size !== 'embedded' && chunks > config.VECTOR_PROMOTE_THRESHOLD;
  const isNarrowed = hasFilters(scope.filters) || scope.conditions.some(({ isTitle }) => isTitle);
  if (!mayUseIndex || isNarrowed) {
    return nearestByBits(db, searchable(scope), vector, query, scope.limit);
  }
  // One snapshot, so that a vector promoted in the meantime is neither missed nor found twice.
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (trx) => {
    if (!(await prepareIndexScan(trx))) {
      return nearestByBits(trx, searchable(scope), vector, query, scope.limit);
    }
    const staged = rowsByBits(sql`not promoted and ${searchable(scope)}`, vector, scope.limit);
    const promoted = rowsByBits(sql`promoted and ${searchable(scope)}`, vector, scope.limit);
    return nearestExactly(trx, sql`(${staged} union all ${promoted}) nearest`, query, scope.limit);
  });
}

async function nearestExactly(
  db: Database,
  rowsOf: RawBuilder<unknown>,
  query: ScaledQuery,
  limit: number,
): Promise<FoundChunk[]> {
  const { rows } = await sql<Omit<FoundChunk, 'score'> & { distance: number }>`
    select chunk_id as key, document_id as "documentId", embedding <#> ${query.literal}::halfvec as distance
    from ${rowsOf} order by distance limit ${limit}`.execute(db);
  return rows.map(({ key, documentId, distance }) => ({
    key,
    documentId,
    score: -distance / query.scale,
  }));
}

function nearestByBits(
  db: Database,
  condition: RawBuilder<unknown>,
  vector: Float32Array,
  query: ScaledQuery,
  limit: number,
): Promise<FoundChunk[]> {
  return nearestExactly(db, sql`${rowsByBits(condition, vector, limit)} nearest`, query, limit);
}

/** The nearest by Hamming distance of the sign bits, which is about proportional to the angle. */
function rowsByBits(
  condition: RawBuilder<unknown>,
  vector: Float32Array,
  limit: number,
): RawBuilder<unknown> {
  return sql`(select chunk_id, document_id, embedding from chunk_vector
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

/** A multiple of the query vector, which ranks the same; dividing by `scale` gives the original scores. */
interface ScaledQuery {
  literal: string;
  scale: number;
}

function scaledQuery(vector: Float32Array): ScaledQuery {
  const scale = QUERY_UNIT / vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { literal: vectorLiteral(vector.map((value) => Math.round(value * scale))), scale };
}

function bitString(vector: Float32Array): string {
  return Array.from(signBits(vector), (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, vector.length);
}
