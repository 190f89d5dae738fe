import { randomUUID } from 'node:crypto';
import type { WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import { copyRows, type DatabaseTransaction } from '#src/platform/database.ts';
import { BucketWriter, writeDirectory } from './posting-bytes.ts';
import { textLength } from './term-frequencies.ts';
import { TERMS_VERSION } from './terms-version.ts';

/** Postings in a bucket: about 2 KB, so that a search reads little beside the list that it wants. */
const POSTINGS_PER_BUCKET = 1_000;
const MOST_BUCKETS = 65_536;
/** Above the place of every posting of one write. */
const POSTINGS_PER_WRITE = 2 ** 24;

/** A chunk, its terms, ascending, and how often each occurs. */
export interface ChunkPostings {
  id: number;
  workspaceId: WorkspaceId;
  termIds: Int32Array;
  termCounts: Uint32Array;
}

/** Writes the postings of new chunks, in the transaction that writes the chunks: a segment for each workspace. */
export async function writePostings(
  trx: DatabaseTransaction,
  chunks: readonly ChunkPostings[],
): Promise<void> {
  const segments = new BinaryCopy();
  const buckets = new BinaryCopy();
  for (const [workspaceId, own] of Map.groupBy(chunks, (chunk) => chunk.workspaceId)) {
    const id = randomUUID();
    const made = segmentOf(own);
    segments
      .row(SEGMENT_COLUMNS.length)
      .uuid(id)
      .uuid(workspaceId)
      .int4(own.length)
      .int4(made.buckets.length)
      .bytea(made.directory)
      .bool(true)
      .int2(TERMS_VERSION);
    for (const [bucket, bytes] of made.buckets.entries()) {
      buckets.row(3).uuid(id).int4(bucket).bytea(bytes);
    }
  }
  if (segments.rowCount === 0) return;
  await copyRows(trx, 'posting_segment', SEGMENT_COLUMNS, segments.finish());
  await copyRows(trx, 'posting_bucket', BUCKET_COLUMNS, buckets.finish());
}

export const SEGMENT_COLUMNS = [
  'id',
  'workspace_id',
  'chunks',
  'buckets',
  'directory',
  'ready',
  'terms_version',
];
export const BUCKET_COLUMNS = ['segment_id', 'bucket', 'postings'];

/** How many buckets a segment has: a power of two. A term is in the one that its last bits name. */
export function bucketsFor(postings: number): number {
  const wanted = Math.ceil(postings / POSTINGS_PER_BUCKET);
  return Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(Math.max(1, wanted))));
}

export function bucketOf(term: number, buckets: number): number {
  return term & (buckets - 1);
}

function segmentOf(chunks: readonly ChunkPostings[]): { directory: Buffer; buckets: Buffer[] } {
  const places: number[] = [];
  const counts: number[] = [];
  const terms: number[] = [];
  for (const [place, { termIds, termCounts }] of chunks.entries()) {
    for (let at = 0; at < termIds.length; at += 1) {
      terms.push(termIds[at] ?? 0);
      places.push(place);
      counts.push(termCounts[at] ?? 1);
    }
  }
  const writers = Array.from({ length: bucketsFor(terms.length) }, () => new BucketWriter());
  // By term, then by place: term ids have 29 bits, so both fit a number.
  const order = Float64Array.from(terms, (term, at) => term * POSTINGS_PER_WRITE + at).sort();
  let last = -1;
  for (const one of order) {
    const at = one % POSTINGS_PER_WRITE;
    const term = terms[at] ?? 0;
    const writer = writers[bucketOf(term, writers.length)];
    if (term !== last) writer?.term(term);
    writer?.add(places[at] ?? 0, counts[at] ?? 1);
    last = term;
  }
  return {
    directory: writeDirectory(
      Float64Array.from(chunks, ({ id }) => id),
      chunks.map(({ termCounts }) => textLength(termCounts)),
    ),
    buckets: writers.map((writer) => writer.finish()),
  };
}
