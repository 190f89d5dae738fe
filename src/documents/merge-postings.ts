import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Background } from '#src/platform/background.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type Database } from '#src/platform/database.ts';
import { chooseSegments, type StoredSegment } from './choose-segments.ts';
import {
  BucketWriter,
  type PostingList,
  postingLists,
  readDirectory,
  readPostings,
  writeDirectory,
} from './posting-bytes.ts';
import { bucketsAt } from './read-postings.ts';
import { countDeadRows, vacuumPostings } from './vacuum-tables.ts';
import { BUCKET_COLUMNS, bucketOf, bucketsFor, SEGMENT_COLUMNS } from './write-postings.ts';

/** Bytes of buckets per step: their work takes some ten milliseconds. */
const BYTES_PER_STEP = 256 * 1024;
/** Chunks that are looked up at once: a few milliseconds of the event loop. */
const IDS_PER_STEP = 5_000;
/** A segment that is not ready by then was left by an interrupted merge. */
const ABANDONED_AFTER = '1 hour';
/** How often a segment is checked for chunks that are gone. */
const CHECKED_EVERY = '1 hour';
/** A segment is rewritten when this share of its chunks is gone. */
const GONE_SHARE = 0.25;

/**
 * Merges some segments of a workspace into one, so that a search has few to read, and leaves out the chunks that are
 * gone. Searches read the sources until the result is complete. When two merges of the same segments run, the second to
 * finish drops its result.
 * @returns whether there was something to merge
 */
export async function mergePostings(
  db: Database,
  inBackground: Background,
  signal: AbortSignal,
): Promise<boolean> {
  const sources = await chooseSegments(db);
  if (sources.length === 0) return false;
  const [first] = sources;
  if (first) await mergeInto(db, inBackground, signal, first.workspace_id, sources);
  return true;
}

/**
 * Looks into the segment that was checked longest ago, if that is an hour ago. If many of its chunks are gone, it is
 * written again without them.
 * @returns whether there was one
 */
export async function checkPostings(
  db: Database,
  inBackground: Background,
  signal: AbortSignal,
): Promise<boolean> {
  const { rows } = await sql<StoredSegment>`
    update posting_segment set checked_at = now() where id = (
      select id from posting_segment where ready and checked_at < now() - ${CHECKED_EVERY}::interval
      order by checked_at limit 1 for update skip locked)
    returning id, workspace_id, chunks, buckets, terms_version`.execute(db);
  const [segment] = rows;
  if (!segment) return false;
  const { ids } = await readDirectoryOf(db, segment.id);
  let chunks = 0;
  for await (const { left } of stillThere(db, ids)) chunks += left.size;
  if (chunks < segment.chunks * (1 - GONE_SHARE)) {
    await mergeInto(db, inBackground, signal, segment.workspace_id, [segment]);
  }
  return true;
}

/** Removes what interrupted merges left. */
export async function dropAbandonedSegments(db: Database): Promise<void> {
  await sql`delete from posting_segment
    where not ready and created_at < now() - ${ABANDONED_AFTER}::interval`.execute(db);
}

async function mergeInto(
  db: Database,
  inBackground: Background,
  signal: AbortSignal,
  workspaceId: WorkspaceId,
  segments: readonly StoredSegment[],
): Promise<void> {
  const { sources, directory, chunks } = await joinDirectories(db, segments);
  const id = randomUUID();
  const bytes = await sizeOf(db, segments);
  // About two bytes a posting.
  const buckets = Math.max(bucketsFor(bytes / 2), ...segments.map((one) => one.buckets));
  const segment = new BinaryCopy();
  segment
    .row(SEGMENT_COLUMNS.length)
    .uuid(id)
    .uuid(workspaceId)
    .int4(chunks)
    .int4(buckets)
    .bytea(directory)
    .bool(false)
    .int2(segments[0]?.terms_version ?? 0);
  await copyRows(db, 'posting_segment', SEGMENT_COLUMNS, segment.finish());
  try {
    const fewest = Math.min(...segments.map((one) => one.buckets));
    const residues = Math.max(1, Math.floor(fewest / Math.max(1, bytes / BYTES_PER_STEP)));
    for (let start = 0; start < fewest; start += residues) {
      signal.throwIfAborted();
      const width = Math.min(residues, fewest - start);
      await inBackground(() => mergeBuckets(db, sources, { id, buckets, start, width, fewest }));
    }
    await inBackground(() => replaceSources(db, id, segments));
  } catch (error) {
    await sql`delete from posting_segment where id = ${id} and not ready`.execute(db);
    throw error;
  }
  await inBackground(() => vacuumPostings(db));
}

/**
 * The result takes the place of its sources, unless one of them is gone: then somebody else has merged it. The result is
 * gone when it took so long that it was removed as abandoned.
 */
async function replaceSources(
  db: Database,
  id: string,
  segments: readonly StoredSegment[],
): Promise<void> {
  const ids = segments.map((one) => one.id);
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      select id from posting_segment where id = any(${[...ids, id]}::uuid[]) order by id for update`.execute(
      trx,
    );
    if (rows.length === ids.length + 1) {
      await sql`delete from posting_segment where id = any(${ids}::uuid[])`.execute(trx);
      await sql`update posting_segment set ready = true where id = ${id}`.execute(trx);
    } else {
      await sql`delete from posting_segment where id = ${id}`.execute(trx);
    }
    await countDeadRows(trx);
  });
}

interface Source extends StoredSegment {
  /** Place in the source → place in the result; −1 for a chunk that is gone. */
  places: Int32Array;
}

async function joinDirectories(
  db: Database,
  segments: readonly StoredSegment[],
): Promise<{ sources: Source[]; directory: Buffer; chunks: number }> {
  const sources: Source[] = [];
  const ids: number[] = [];
  const lengths: (number | null)[] = [];
  const seen = new Set<number>();
  for (const segment of segments) {
    const own = await readDirectoryOf(db, segment.id);
    const places = new Int32Array(own.ids.length).fill(-1);
    for await (const { first, some, left } of stillThere(db, own.ids)) {
      for (const [at, id] of some.entries()) {
        if (!left.has(id) || seen.has(id)) continue;
        seen.add(id);
        places[first + at] = ids.length;
        ids.push(id);
        lengths.push(own.lengths[first + at] ?? null);
      }
    }
    sources.push({ ...segment, places });
  }
  const directory = writeDirectory(Float64Array.from(ids), lengths);
  return { sources, directory, chunks: ids.length };
}

async function readDirectoryOf(db: Database, id: string) {
  const { rows } = await sql<{ directory: Uint8Array }>`
    select directory from posting_segment where id = ${id}`.execute(db);
  return readDirectory(rows[0]?.directory ?? Uint8Array.of(0));
}

/** Segments of two versions are never merged, so what counts is whether a chunk is there. */
async function* stillThere(db: Database, ids: Float64Array): AsyncGenerator<PresentChunks> {
  for (let first = 0; first < ids.length; first += IDS_PER_STEP) {
    const some = ids.subarray(first, first + IDS_PER_STEP);
    const { rows } = await sql<{ chunk_id: number }>`
      select chunk_id from chunk_terms
      where chunk_id = any(${`{${some.join(',')}}`}::text::bigint[])`.execute(db);
    yield { first, some, left: new Set(rows.map((row) => row.chunk_id)) };
  }
}

/** Some of the chunks of a segment, and those of them that are not gone. */
interface PresentChunks {
  /** The place of the first one. */
  first: number;
  some: Float64Array;
  left: Set<number>;
}

async function sizeOf(db: Database, segments: readonly StoredSegment[]): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(length(postings)), 0)::float8 as bytes from posting_bucket
    where segment_id = any(${segments.map(({ id }) => id)}::uuid[])`.execute(db);
  return rows[0]?.bytes ?? 0;
}

interface BucketRange {
  id: string;
  buckets: number;
  /** The range of buckets: first one and number of them, modulo `fewest`. */
  start: number;
  width: number;
  /** Buckets of the source that has the fewest. */
  fewest: number;
}

/** Writes the buckets of the result whose numbers, modulo `fewest`, are in the range. */
async function mergeBuckets(
  db: Database,
  sources: readonly Source[],
  { id, buckets, start, width, fewest }: BucketRange,
): Promise<void> {
  const isWanted = (bucket: number): boolean =>
    bucket % fewest >= start && bucket % fewest < start + width;
  const places = sources.flatMap((source) =>
    numbersTo(source.buckets)
      .filter(isWanted)
      .map((bucket) => ({ segmentId: source.id, bucket })),
  );
  const { rows } = await bucketsAt(places).execute(db);
  const rank = new Map(sources.map((source, at) => [source.id, at]));
  const lists = rows.flatMap((row) =>
    postingLists(row.postings).map((list) => ({ list, source: rank.get(row.segment_id) ?? 0 })),
  );
  lists.sort((a, b) => a.list.term - b.list.term || a.source - b.source);
  const writers = new Map(
    numbersTo(buckets)
      .filter(isWanted)
      .map((bucket) => [bucket, new BucketWriter()]),
  );
  let last = -1;
  for (const { list, source } of lists) {
    const writer = writers.get(bucketOf(list.term, buckets));
    if (list.term !== last) writer?.term(list.term);
    copyPostings(list, sources[source]?.places, writer);
    last = list.term;
  }
  const copy = new BinaryCopy();
  for (const [bucket, writer] of writers) copy.row(3).uuid(id).int4(bucket).bytea(writer.finish());
  await copyRows(db, 'posting_bucket', BUCKET_COLUMNS, copy.finish());
}

function copyPostings(list: PostingList, places?: Int32Array, writer?: BucketWriter): void {
  readPostings(list, (place, count) => {
    const moved = places?.[place] ?? -1;
    if (moved >= 0) writer?.add(moved, count);
  });
}

function numbersTo(end: number): number[] {
  return Array.from({ length: end }, (_, number) => number);
}
