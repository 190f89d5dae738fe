import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Directory,
  type PostingList,
  postingLists,
  readPostings,
} from '#src/documents/posting-bytes.ts';
import {
  bucketName,
  listSegments,
  readBuckets,
  readDirectories,
  type Segment,
  type SegmentList,
} from '#src/documents/read-postings.ts';
import { bucketOf } from '#src/documents/write-postings.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Merging replaces segments while they are read: then they are listed again, and in the end read in one snapshot. */
const MAX_READS = 4;

/** Which chunks of a workspace have some terms, segment by segment. */
export interface TermLists {
  segments: SegmentLists[];
  /** Some chunks have no postings yet. */
  someAreLoose: boolean;
}

export interface SegmentLists {
  directory: Directory;
  /** An earlier version made the terms of its chunks. */
  isOlder: boolean;
  /** Terms that no chunk of the segment has are absent. */
  lists: Map<number, PostingList>;
}

/** @param listed the segments, if they were read already */
export async function readTermLists(
  db: Database,
  workspaceId: WorkspaceId,
  terms: readonly number[],
  listed: SegmentList | null = null,
): Promise<TermLists> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const known = reads === 0 ? listed : null;
    const list = known ?? (await listSegments(db, workspaceId));
    const found = await readListed(db, list, terms);
    if (found) return found;
  }
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  const found = await transaction.execute(async (trx) =>
    readListed(trx, await listSegments(trx, workspaceId), terms),
  );
  if (!found) throw new Error(`The postings of workspace ${workspaceId} are incomplete.`);
  return found;
}

/**
 * The chunks that have a term.
 * @param most the lists of further segments are not read when there are so many
 */
export function chunksWith({ segments }: TermLists, term: number, most = Infinity): number[] {
  const found: number[] = [];
  for (const { directory, lists } of segments) {
    if (found.length >= most) break;
    const list = lists.get(term);
    if (list) readPostings(list, (place) => found.push(directory.ids[place] ?? 0));
  }
  return found;
}

/**
 * The chunks that have all of these terms, by the version that made theirs. Where the rarest term is in few chunks, these,
 * whether or not they have the others.
 * @returns null when there are more than `most`
 */
export async function chunksWithAll(
  { segments }: TermLists,
  { current, older }: { current: ReadonlySet<number>; older: ReadonlySet<number> },
  most: number,
): Promise<number[] | null> {
  const parts = segments.flatMap(({ directory, isOlder, lists }) => {
    const terms = [...(isOlder ? older : current)];
    const own = terms.flatMap((term) => lists.get(term) ?? []);
    if (own.length < terms.length) return [];
    own.sort((a, b) => a.chunks - b.chunks);
    return { directory, own, fewest: own[0]?.chunks ?? directory.ids.length };
  });
  const areFew = parts.reduce((sum, { fewest }) => sum + fewest, 0) <= most;
  const found: number[] = [];
  for (const { directory, own } of parts) {
    const places = await placesInAll(directory, areFew ? own.slice(0, 1) : own);
    for (const place of places) found.push(directory.ids[place] ?? 0);
    if (found.length > most) return null;
  }
  return found;
}

/** Lets the event loop go after each list: one may have a million chunks. */
async function placesInAll({ ids }: Directory, lists: readonly PostingList[]): Promise<number[]> {
  const listsWith = new Uint16Array(ids.length);
  for (const [before, list] of lists.entries()) {
    readPostings(list, (place) => {
      if (listsWith[place] === before) listsWith[place] = before + 1;
    });
    await nextTurn();
  }
  const places: number[] = [];
  for (let place = 0; place < ids.length; place += 1) {
    if (listsWith[place] === lists.length) places.push(place);
  }
  return places;
}

/** @returns null when a segment was merged away meanwhile */
async function readListed(
  db: Database,
  { segments, someAreLoose }: SegmentList,
  terms: readonly number[],
): Promise<TermLists | null> {
  const places = segments.flatMap(({ id, buckets }) =>
    [...new Set(terms.map((term) => bucketOf(term, buckets)))].map((bucket) => ({
      segmentId: id,
      bucket,
    })),
  );
  const [directories, buckets] = await Promise.all([
    readDirectories(db, segments),
    readBuckets(db, places),
  ]);
  const isWhole = directories.size === segments.length && buckets.size === places.length;
  if (!isWhole) return null;
  return {
    segments: segments.flatMap((segment) => {
      const directory = directories.get(segment.id);
      if (!directory) return [];
      return { directory, isOlder: segment.isOlder, lists: listsOf(segment, buckets, terms) };
    }),
    someAreLoose,
  };
}

function listsOf(
  { id, buckets: width }: Segment,
  buckets: ReadonlyMap<string, Uint8Array>,
  terms: readonly number[],
): Map<number, PostingList> {
  const lists = new Map<number, PostingList>();
  for (const term of terms) {
    const bytes = buckets.get(bucketName({ segmentId: id, bucket: bucketOf(term, width) }));
    const [list] = bytes ? postingLists(bytes, term) : [];
    if (list) lists.set(term, list);
  }
  return lists;
}
