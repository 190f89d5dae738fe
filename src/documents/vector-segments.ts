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
  /** About how many vectors the index holds. */
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

/** Neighbours of about the same size that are merged into one. */
const MERGED_AT_ONCE = 4;
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
 * Neighbours to merge: the smallest of which there are enough, and with them what smaller ones are between. So each
 * vector is built into an index about as often as four can be raised to reach the number of all.
 * @param segments in their order
 * @param most vectors that the result may have
 * @returns none when there is nothing to merge
 */
export function chooseMerge(
  segments: readonly VectorSegment[],
  { new: { busy: base }, mergedWhileBusy }: SegmentSizes,
  most: number,
  isBusy: boolean,
): VectorSegment[] {
  const areMany = segments.length > MOST_SEGMENTS;
  const limit = isBusy && !areMany ? Math.min(most, mergedWhileBusy) : most;
  const fewest = areMany ? 2 : MERGED_AT_ONCE;
  const tiers = segments.map(({ rows }) => tierOf(rows, base));
  for (const tier of [...new Set(tiers)].toSorted((one, other) => one - other)) {
    for (const run of runsUpTo(segments, tiers, tier)) {
      const merged = fitting(run, limit);
      if (merged.length >= fewest) return merged;
    }
  }
  return [];
}

/** Each tier is four times as large as the one before. Of a new segment, up to half as many again have come meanwhile. */
function tierOf(rows: number, base: number): number {
  return Math.max(0, Math.ceil(Math.log(rows / (1.5 * base)) / Math.log(MERGED_AT_ONCE)));
}

/** Unbroken runs of segments of this tier and lower ones. */
function runsUpTo(
  segments: readonly VectorSegment[],
  tiers: readonly number[],
  tier: number,
): VectorSegment[][] {
  const runs: VectorSegment[][] = [[]];
  for (const [at, segment] of segments.entries()) {
    if ((tiers[at] ?? 0) <= tier) runs.at(-1)?.push(segment);
    else runs.push([]);
  }
  return runs;
}

/** The longest beginning of the run, or of a later part of it, that is within the limit. */
function fitting(run: readonly VectorSegment[], limit: number): VectorSegment[] {
  let best: VectorSegment[] = [];
  for (const start of run.keys()) {
    let rows = 0;
    const part = run.slice(start).filter((segment) => {
      rows += segment.rows;
      return rows <= limit;
    });
    if (part.length > best.length) best = part;
  }
  return best;
}
