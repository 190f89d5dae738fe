/** Numbers of segments. */
export interface SegmentRange {
  /** The first number. */
  from: number;
  /** The number after the last. */
  to: number;
}

/** The promoted vectors whose numbers are in a range, and a partial HNSW index over them. */
export interface VectorSegment extends SegmentRange {
  /** Of the index. */
  name: string;
  /** About how many vectors the index holds; below zero if the statistics do not say, as after `pg_upgrade`. */
  rows: number;
  /** An index of an earlier version, over everything promoted: each row that is marked is inserted into it. */
  takesAll: boolean;
}

/** How many vectors are put together. */
export interface SegmentSizes {
  /** Staged vectors that become a segment while documents wait for indexing, and when none does. */
  new: { busy: number; idle: number };
  /** The most that a merge makes while documents wait: staged vectors wait for its end. */
  mergedWhileBusy: number;
}

export const SEGMENT_SIZES: SegmentSizes = {
  new: { busy: 30_000, idle: 10_000 },
  mergedWhileBusy: 200_000,
};

/** At least so many neighbours are merged into one. */
const MERGED_AT_ONCE = 4;
/** The result has so many times as many vectors as the largest of them: those are built again for little otherwise. */
const LEAST_GROWTH = 3;
/** With more segments than these, a large merge is not put off, and two are enough: each costs a search a pass. */
const MOST_SEGMENTS = 12;

/**
 * Segments that have no number in common, in their order. Of two that overlap, the larger is the result of a merge, and
 * has the rows of the other.
 */
export function withoutOverlaps(segments: readonly VectorSegment[]): VectorSegment[] {
  const chosen: VectorSegment[] = [];
  const largestFirst = segments.toSorted(
    (one, other) =>
      other.to - other.from - (one.to - one.from) ||
      Number(one.takesAll) - Number(other.takesAll) ||
      one.name.length - other.name.length,
  );
  for (const segment of largestFirst) {
    if (chosen.every(({ from, to }) => segment.to <= from || segment.from >= to)) {
      chosen.push(segment);
    }
  }
  return chosen.toSorted((one, other) => one.from - other.from);
}

/** Ranges of numbers before, and between, segments that are in their order. */
export function gapsOf(segments: readonly VectorSegment[]): SegmentRange[] {
  return segments
    .map((segment, at) => ({ from: segments[at - 1]?.to ?? 0, to: segment.from }))
    .filter(({ from, to }) => from < to);
}

/**
 * Neighbours to merge: at least four, together three times as large as the largest of them, and of such the smallest.
 * So each vector is built into an index about as often as three can be raised to reach the number of all.
 * @param segments in their order
 * @param most vectors that the result may have
 * @returns none when there is nothing to merge
 */
export function chooseMerge(
  segments: readonly VectorSegment[],
  { mergedWhileBusy }: SegmentSizes,
  most: number,
  isBusy: boolean,
): VectorSegment[] {
  const areMany = segments.length > MOST_SEGMENTS;
  const limit = isBusy && !areMany ? Math.min(most, mergedWhileBusy) : most;
  const [smallest] = partsOf(segments, areMany ? 2 : MERGED_AT_ONCE)
    .map((parts) => ({ parts, rows: rowsOf(parts) }))
    .filter(
      ({ parts, rows }) => rows <= limit && areKnown(parts) && (areMany || isGain(parts, rows)),
    )
    .toSorted((one, other) => one.rows - other.rows);
  return smallest?.parts ?? [];
}

/** All unbroken parts of at least so many segments. */
function partsOf(segments: readonly VectorSegment[], fewest: number): VectorSegment[][] {
  return segments.flatMap((_, start) =>
    segments
      .slice(start + fewest - 1)
      .map((_last, more) => segments.slice(start, start + fewest + more)),
  );
}

function rowsOf(segments: readonly VectorSegment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

function areKnown(segments: readonly VectorSegment[]): boolean {
  return segments.every(({ rows }) => rows >= 0);
}

function isGain(parts: readonly VectorSegment[], rows: number): boolean {
  return rows >= LEAST_GROWTH * Math.max(...parts.map((part) => part.rows));
}
