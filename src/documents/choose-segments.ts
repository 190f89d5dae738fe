import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Segments of about the same size that are merged into one. */
const MERGED_AT_ONCE = 4;
/** Larger segments are not merged: a search scores one segment without a pause, which blocks the event loop. */
const MAX_MERGED_CHUNKS = 1_000_000;
/** Any two of these fit into one. */
const MAX_SOURCE_CHUNKS = MAX_MERGED_CHUNKS / 2;
/** Segments up to this size are of the first tier; each tier is four times as large as the one before. */
const FIRST_TIER_CHUNKS = 1_000;
/** How many segments of the first tier are merged at once: small writes leave many. */
const MAX_MERGED_SEGMENTS = 256;

export interface StoredSegment {
  id: string;
  workspace_id: WorkspaceId;
  chunks: number;
  buckets: number;
  terms_version: number;
}

/**
 * The tier of a workspace that has the most segments, if these are enough. By tiers, the higher ones would wait as long
 * as documents arrive. Segments of two versions stay apart: a chunk may be in one of each, and the older one goes as a
 * whole.
 */
export async function chooseSegments(db: Database): Promise<StoredSegment[]> {
  const { rows } = await sql<StoredSegment>`
    with tiered as (
      select id, workspace_id, chunks, buckets, terms_version,
        ceil(log(4, greatest(1, chunks / ${FIRST_TIER_CHUNKS}::numeric)))::int as tier
      from posting_segment where ready and chunks <= ${MAX_SOURCE_CHUNKS}
    ), full_tier as (
      select workspace_id, tier, terms_version from tiered group by workspace_id, tier, terms_version
      having count(*) >= ${MERGED_AT_ONCE} order by count(*) desc, tier limit 1
    )
    select id, workspace_id, chunks, buckets, terms_version
    from tiered join full_tier using (workspace_id, tier, terms_version)
    order by chunks, id limit ${MAX_MERGED_SEGMENTS}`.execute(db);
  let chunks = 0;
  return rows.filter((row) => {
    chunks += row.chunks;
    return chunks <= MAX_MERGED_CHUNKS;
  });
}
