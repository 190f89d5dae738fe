import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { signBits } from '#src/platform/vector.ts';
import { comparePlanes } from '#src/documents/bit-planes.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import {
  type FoundChunk,
  leavesOut,
  type SearchScope,
  searchable,
  searchableByRow,
} from './search-scope.ts';
import { hasFilters } from './search-filters.ts';
import { readSegments } from '#src/documents/vector-index.ts';
import { gapsOf, type SegmentRange, type VectorSegment } from '#src/documents/vector-segments.ts';

/** How many of the nearest vectors by sign bits are then compared by all planes. */
const RERANKED = 400;
/**
 * Candidates of a pass, of all segments together: as many as are asked for come at once. Where one segment has more of
 * the nearest, or vectors of other workspaces are among them, its scan goes on:
 * https://github.com/pgvector/pgvector#iterative-index-scans
 */
const HNSW_EF_SEARCH = 500;
const LEAST_EF_SEARCH = 64;
/** Documents to leave out, from which each row is asked by itself. To gather 3,000 takes 1 ms for each segment. */
const MANY_LEFT_OUT = 2_000;

type VectorServices = Pick<DocumentServices, 'db' | 'config'>;

/**
 * The nearest chunks by the inner product of unit vectors: those that are nearest by sign bits, compared by all bit
 * planes. In workspaces of few chunks these are all. The sign bits of promoted vectors are found through the HNSW index,
 * unless there is no usable index, or there are filters: too few vectors may pass them.
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
  const scanned = sql`${searchable(scope)}`;
  const all = rowsByBits(scanned, vector, scope.limit);
  if (!mayUseIndex || isNarrowed) return nearestOf(db, all, vector, scope.limit);
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (trx) => {
    const segments = await readSegments(trx);
    if (segments.length === 0) return nearestOf(trx, all, vector, scope.limit);
    const leavesOutMany = await prepareScans(trx, scope, segments.length);
    const width = Math.max(RERANKED, scope.limit);
    const indexed = leavesOutMany ? searchableByRow(scope) : scanned;
    const nearest = nearestOfParts(conditionsOf(segments, indexed, scanned), vector, scope.limit);
    const found = await nearestOf(trx, nearest, vector, width);
    // A scan of an index gives up where it meets too many vectors that the search may not see.
    if (found.length < Math.min(width, chunks)) return nearestOf(trx, all, vector, scope.limit);
    return found.slice(0, scope.limit);
  });
}

async function nearestOf(
  db: Database,
  subquery: RawBuilder<unknown>,
  vector: Float32Array,
  limit: number,
): Promise<FoundChunk[]> {
  const { parts, most, scale } = comparePlanes(vector);
  const distances = parts.map(({ from, length, query, weight }) => {
    const bits = sql.lit(length);
    const stored = sql`substring(planes from ${sql.lit(from + 1)} for ${bits})`;
    return sql`${sql.lit(weight)} * (${stored} <~> ${`x${query}`}::bit(${bits}))`;
  });
  // OFFSET keeps the planes from being read anew for each of their parts.
  const { rows } = await sql<ComparedRow>`
    select chunk_id as key, document_id as "documentId",
      ${scale}::float8 * scale * (${most}::float8 - 2 * (${sql.join(distances, sql` + `)})) as score
    from (select chunk_id, document_id, planes || bits as planes, scale
      from ${subquery} nearest left join chunk_planes using (chunk_id) offset 0) whole`.execute(db);
  const older = await compareOlder(db, rows, vector);
  return rows
    .map(({ key, documentId, score }) => ({
      key,
      documentId,
      score: score ?? older.get(key) ?? 0,
    }))
    .toSorted((one, other) => other.score - one.score || one.key - other.key)
    .slice(0, limit);
}

interface ComparedRow extends Omit<FoundChunk, 'score'> {
  /** Null for vectors of an earlier version, which have no planes. */
  score: number | null;
}

async function compareOlder(
  db: Database,
  rows: readonly ComparedRow[],
  vector: Float32Array,
): Promise<Map<number, number>> {
  const ids = rows.filter(({ score }) => score === null).map(({ key }) => key);
  if (ids.length === 0) return new Map();
  const found = await sql<{ key: number; score: number }>`
    select chunk_id as key, -(embedding <#> ${JSON.stringify([...vector])}::halfvec) as score
    from chunk_vector where chunk_id = any(${ids}::bigint[])`.execute(db);
  return new Map(found.rows.map(({ key, score }) => [key, score]));
}

/** The nearest by Hamming distance of the sign bits, which is about proportional to the angle. */
function rowsByBits(
  condition: RawBuilder<unknown>,
  vector: Float32Array,
  limit: number,
): RawBuilder<unknown> {
  return sql`(select chunk_id, document_id, bits, bits <~> ${bitString(vector)}::bit(${sql.lit(vector.length)}) as distance
    from chunk_vector where ${condition}
    order by distance limit ${Math.max(RERANKED, limit)})`;
}

/** The nearest of all parts, of which each gives its own in their order: Postgres reads no more of it than it needs. */
function nearestOfParts(
  parts: readonly RawBuilder<unknown>[],
  vector: Float32Array,
  limit: number,
): RawBuilder<unknown> {
  const selects = parts.map((part) => rowsByBits(part, vector, limit));
  return sql`(select chunk_id, document_id, bits from (${sql.join(selects, sql` union all `)}) parts
    order by distance limit ${Math.max(RERANKED, limit)})`;
}

/**
 * Conditions of which each vector that may be found meets one: of each segment, of staged vectors, and of promoted ones
 * that no index is over. With literal numbers, so that the planner sees which index has them.
 * @param indexed what the vectors of a segment must fulfil, and `scanned` the others
 */
function conditionsOf(
  segments: readonly VectorSegment[],
  indexed: RawBuilder<unknown>,
  scanned: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const within = ({ from, to }: SegmentRange) =>
    sql`promoted and segment >= ${sql.lit(from)} and segment < ${sql.lit(to)}`;
  const beyond = (number: number) => sql`promoted and segment >= ${sql.lit(number)}`;
  const last = segments.at(-1);
  // An index that takes all has what is beyond its numbers, too.
  const isOpen = last?.takesAll === true;
  const closed = isOpen ? segments.slice(0, -1) : segments;
  return [
    ...closed.map((segment) => sql`${within(segment)} and ${indexed}`),
    ...gapsOf(segments).map((gap) => sql`${within(gap)} and ${scanned}`),
    sql`${beyond((isOpen ? last.from : last?.to) ?? 0)} and ${isOpen ? indexed : scanned}`,
    sql`not promoted and ${scanned}`,
  ];
}

/**
 * Sets the scan parameters of the indexes for this transaction.
 * @returns whether documents that the search leaves out are too many to be gathered for each segment
 */
async function prepareScans(
  trx: DatabaseTransaction,
  scope: SearchScope,
  segments: number,
): Promise<boolean> {
  const width = Math.max(LEAST_EF_SEARCH, Math.ceil(HNSW_EF_SEARCH / segments));
  const { rows } = await sql<{ leavesOutMany: boolean }>`
    select set_config('hnsw.iterative_scan', 'relaxed_order', true),
      set_config('hnsw.ef_search', ${String(width)}, true),
      ${leavesOut(scope, MANY_LEFT_OUT)} as "leavesOutMany"`.execute(trx);
  return rows[0]?.leavesOutMany === true;
}

function bitString(vector: Float32Array): string {
  return Array.from(signBits(vector), (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, vector.length);
}
