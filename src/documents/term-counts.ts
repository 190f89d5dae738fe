import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type Database, type DatabaseTransaction } from '#src/platform/database.ts';

/**
 * Terms are counted in buckets: a row holds, as arrays, all terms of a workspace whose ids end in the same bits. A
 * write of many chunks appends one row per bucket instead of one per term, which is about forty times less work.
 */
const BUCKETS = 256;
/** The pseudo-term that counts a workspace's chunks, in a bucket of its own. */
const CHUNKS_TERM = -1;
export const CHUNKS_BUCKET = -1;

function bucketOf(term: number): number {
  return term === CHUNKS_TERM ? CHUNKS_BUCKET : term % BUCKETS;
}

/** Document frequencies for the terms of one query. */
export interface TermCounts {
  /** Chunks in the workspace. */
  chunks: number;
  /** Term id → chunks that contain it. */
  df: Map<number, number>;
}

/** The changes of one write, summed per workspace and term before they reach the database. */
export class TermDeltas {
  readonly #sums = new Map<WorkspaceId, Map<number, number>>();

  /** Counts one chunk with these distinct terms: `by` is 1 when it is added, −1 when it is removed. */
  add(workspaceId: WorkspaceId, terms: Iterable<number>, by: 1 | -1): void {
    const sums = this.#sums.get(workspaceId) ?? new Map<number, number>();
    this.#sums.set(workspaceId, sums);
    sums.set(CHUNKS_TERM, (sums.get(CHUNKS_TERM) ?? 0) + by);
    for (const term of terms) sums.set(term, (sums.get(term) ?? 0) + by);
  }

  async write(trx: DatabaseTransaction): Promise<void> {
    const copy = new BinaryCopy();
    for (const [workspaceId, sums] of this.#sums) {
      const changed = [...sums].filter(([, delta]) => delta !== 0);
      for (const [bucket, deltas] of Map.groupBy(changed, ([term]) => bucketOf(term))) {
        copy
          .row(4)
          .int2(bucket)
          .uuid(workspaceId)
          .int4Array(Int32Array.from(deltas, ([term]) => term))
          .int4Array(Int32Array.from(deltas, ([, delta]) => delta));
      }
    }
    if (copy.rowCount === 0) return;
    const columns = ['bucket', 'workspace_id', 'terms', 'deltas'];
    await copyRows(trx, 'term_delta', columns, copy.finish());
  }
}

/** How many chunks contain each term, including changes not yet folded. */
export async function readTermCounts(
  db: Database,
  workspaceId: WorkspaceId,
  terms: readonly number[],
): Promise<TermCounts> {
  const { rows } = await termCountRows(workspaceId, terms).execute(db);
  return toTermCounts(rows);
}

/** How many chunks contain a term, or how many there are. */
export interface TermCount {
  term: number;
  chunks: number;
}

export function termCountRows(
  workspaceId: WorkspaceId,
  terms: readonly number[],
): RawBuilder<TermCount> {
  // Two words may share an id.
  const wanted = [...new Set([CHUNKS_TERM, ...terms])];
  return sql<TermCount>`
    with wanted as (
      select term, bucket from unnest(${wanted}::int[], ${wanted.map(bucketOf)}::smallint[]) as w(term, bucket)
    )
    select term, sum(n)::float8 as chunks from (
      select term, chunks[array_position(terms, term)] as n
        from wanted join term_count using (bucket) where workspace_id = ${workspaceId}
      union all
      select term, deltas[array_position(terms, term)]
        from wanted join term_delta using (bucket) where workspace_id = ${workspaceId}
    ) parts group by term having sum(n) > 0`;
}

/** Of the rows of `termCountRows`. */
export function toTermCounts(rows: readonly TermCount[]): TermCounts {
  const df = new Map(rows.map((row) => [row.term, row.chunks]));
  const chunks = df.get(CHUNKS_TERM) ?? 0;
  df.delete(CHUNKS_TERM);
  return { chunks, df };
}

/** A bucket of a workspace. */
export interface BucketKey {
  bucket: number;
  workspaceId: string;
}

const FIRST_KEY: BucketKey = {
  bucket: CHUNKS_BUCKET,
  workspaceId: '00000000-0000-0000-0000-000000000000',
};

/**
 * Folds at most `limit` rows of changes into `term_count`, bucket by bucket.
 * @param from the first bucket to look at
 * @returns how many were folded, and the last bucket of them; fewer than `limit` means that none are left from there on
 */
export async function foldTermDeltas(
  db: Database,
  limit: number,
  from: BucketKey = FIRST_KEY,
): Promise<{ folded: number; last: BucketKey }> {
  const { rows } = await sql<BucketKey & { folded: number }>`
    with taken as materialized (
      select ctid, bucket, workspace_id, terms, deltas from term_delta
      where (bucket, workspace_id) >= (${from.bucket}::smallint, ${from.workspaceId}::uuid)
      order by bucket, workspace_id limit ${limit}::int for update skip locked
    ), gone as (
      delete from term_delta where ctid = any(array(select ctid from taken))
    ), folded as (
      insert into term_count as t (bucket, workspace_id, terms, chunks)
      select place.bucket, place.workspace_id, summed.terms, summed.deltas
      from (select distinct bucket, workspace_id from taken) place
      cross join lateral (
        select array_agg(term) as terms, array_agg(delta) as deltas from (
          select term, sum(delta)::int as delta
          from taken, unnest(taken.terms, taken.deltas) as changes(term, delta)
          where taken.bucket = place.bucket and taken.workspace_id = place.workspace_id
          group by term) sums) summed
      order by bucket, workspace_id
      on conflict (bucket, workspace_id) do update set (terms, chunks) = (
        select coalesce(array_agg(term), '{}'), coalesce(array_agg(n), '{}') from (
          select term, sum(part)::int as n from (
            select * from unnest(t.terms, t.chunks)
            union all select * from unnest(excluded.terms, excluded.chunks)) parts(term, part)
          group by term having sum(part) <> 0) merged)
    )
    select bucket, workspace_id as "workspaceId", (count(*) over ())::int as folded from taken
    order by bucket desc, workspace_id desc limit 1`.execute(db);
  const [last] = rows;
  return last ? { folded: last.folded, last } : { folded: 0, last: from };
}
