import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import { ByteCache } from '#src/platform/byte-cache.ts';
import type { Database } from '#src/platform/database.ts';
import { type Directory, toDirectory } from './posting-bytes.ts';
import { IS_OLDER } from './terms-version.ts';

/** Of what a process keeps of segments it read before; they never change, and their ids never come again. */
const CACHE_BYTES = 64 * 1024 * 1024;

export interface Segment {
  id: string;
  chunks: number;
  buckets: number;
  /** An earlier version made the terms of its chunks. */
  isOlder: boolean;
}

export interface SegmentList {
  segments: Segment[];
  /** Some chunks of the workspace have no postings yet. */
  someAreLoose: boolean;
}

/** A chunk of the workspace is in one of these segments, unless it is loose: read in one snapshot. */
export async function listSegments(db: Database, workspaceId: WorkspaceId): Promise<SegmentList> {
  const { rows } = await sql<SegmentList>`select ${segmentColumns(workspaceId)}`.execute(db);
  return rows[0] ?? { segments: [], someAreLoose: false };
}

/** The columns of a `SegmentList`. */
export function segmentColumns(workspaceId: WorkspaceId): RawBuilder<unknown> {
  return sql`
    exists (select 1 from chunk_terms where workspace_id = ${workspaceId} and not in_postings) as "someAreLoose",
    (select coalesce(json_agg(json_build_object('id', id, 'chunks', chunks, 'buckets', buckets,
        'isOlder', ${IS_OLDER})), '[]')
      from posting_segment where workspace_id = ${workspaceId} and ready) as segments`;
}

const kept = new ByteCache<string, Directory | Uint8Array>(CACHE_BYTES);

/** The directories of these segments; fewer when a segment was merged away meanwhile. */
export async function readDirectories(
  db: Database,
  segments: readonly Segment[],
): Promise<Map<string, Directory>> {
  const found = new Map<string, Directory>();
  const missing: string[] = [];
  for (const { id } of segments) {
    const known = kept.get(id);
    if (known && 'ids' in known) found.set(id, known);
    else missing.push(id);
  }
  if (missing.length === 0) return found;
  const { rows } = await sql<{ id: string; directory: Uint8Array }>`
    select id, directory from posting_segment where id = any(${missing}::uuid[])`.execute(db);
  for (const { id, directory } of rows) {
    const read = toDirectory(directory);
    kept.set(id, read, read.ids.byteLength + read.norms.byteLength);
    found.set(id, read);
  }
  return found;
}

export interface BucketPlace {
  segmentId: string;
  bucket: number;
}

/** The bytes of these buckets, by `bucketName`; fewer when a segment was merged away meanwhile. */
export async function readBuckets(
  db: Database,
  places: readonly BucketPlace[],
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const missing: BucketPlace[] = [];
  for (const place of places) {
    const known = kept.get(bucketName(place));
    if (known && !('ids' in known)) found.set(bucketName(place), known);
    else missing.push(place);
  }
  if (missing.length === 0) return found;
  const { rows } = await bucketsAt(missing).execute(db);
  for (const { segment_id, bucket, postings } of rows) {
    const name = bucketName({ segmentId: segment_id, bucket });
    // A short buffer is a part of a larger one, and would keep that.
    const own = Uint8Array.from(postings);
    kept.set(name, own, own.byteLength);
    found.set(name, own);
  }
  return found;
}

/** One look into the index for each: without statistics the planner would rather read the table. */
export function bucketsAt(
  places: readonly BucketPlace[],
): RawBuilder<{ segment_id: string; bucket: number; postings: Uint8Array }> {
  return sql`select b.segment_id, b.bucket, b.postings
    from unnest(${places.map(({ segmentId }) => segmentId)}::uuid[],
      ${places.map(({ bucket }) => bucket)}::int[]) as wanted(segment_id, bucket)
    cross join lateral (select * from posting_bucket p
      where p.segment_id = wanted.segment_id and p.bucket = wanted.bucket limit 1) b`;
}

export function bucketName({ segmentId, bucket }: BucketPlace): string {
  return `${segmentId}/${bucket}`;
}
