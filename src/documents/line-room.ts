import type { WorkspaceId } from '#src/ids.ts';
import { type FairGate, openFairGate } from '#src/platform/fair-gate.ts';

/** A line may be longer than its document: JSON escapes take room. */
const LINE_BYTES_PER_DOCUMENT_BYTE = 2;
/** For the many short lines of a service whose documents may not be large. */
const LEAST_ROOM_BYTES = 8_000_000;
/** Longest lines that the streams of a workspace may hold at once, and those of all. */
const LINES_OF_WORKSPACE = 2;
const LINES_OF_ALL = 4;
/** About the cost of one line, in bytes. */
const SLICE = 262_144;

/**
 * The memory of a process for lines that its NDJSON streams have read and not stored yet; each place is a byte. Without
 * it, 512 lines of each stream would be held, of 40 MB each. One workspace has half of it at most.
 */
export type LineRoom = FairGate<WorkspaceId>;

export function openLineRoom(maxDocumentBytes: number): LineRoom {
  const longest = longestLineBytes(maxDocumentBytes) + 1;
  const lineBytes = Math.max(longest, LEAST_ROOM_BYTES);
  return openFairGate({
    places: lineBytes * LINES_OF_ALL,
    placesOfKey: lineBytes * LINES_OF_WORKSPACE,
    slice: SLICE,
  });
}

export function longestLineBytes(maxDocumentBytes: number): number {
  return maxDocumentBytes * LINE_BYTES_PER_DOCUMENT_BYTE;
}
