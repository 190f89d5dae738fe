import type { ClaimedDocument } from './claim-documents.ts';
import type { PreparedChunk } from './prepare-document.ts';

export interface NewVector {
  chunk: PreparedChunk;
  vector: Float32Array;
}

/** The row that the chunk had before; it keeps its vector and terms. */
export interface KeptChunk {
  chunk: PreparedChunk;
  keptId: number;
}

/** What is to be done for a document's chunks. */
export interface ChunkChanges {
  document: ClaimedDocument;
  /** Chunks that it has now. */
  chunkCount: number;
  fresh: NewVector[];
  kept: KeptChunk[];
  /** Rows of chunks that it had and has no more. */
  goneIds: number[];
}

/**
 * What searches see of a document from a step on. `old`: nothing of what the write adds. `allBut`: the text is complete,
 * and these chunks of the old one are hidden until they are removed. Null: the same as before the step.
 */
export type Shown = 'old' | { allBut: number[] } | null;

/** What one transaction does. */
export interface WriteStep {
  changes: ChunkChanges[];
  /** Of a step of its own; what a shared step writes is complete at once. */
  shown: Shown;
  /** Nothing of its documents is left to do. */
  isLast: boolean;
}

/** How many rows a step changes at most. */
export interface StepSizes {
  /** A step that documents share. A document with more changes is large. */
  shared: number;
  /** A step of a large document. */
  large: number;
}

/**
 * The steps of a write, in order. Documents with few changes share a step, which is their only one. A large document
 * has steps of its own: first those that add its chunks, hidden; then one that shows them all and hides the old ones;
 * then those that move chunks and remove old ones.
 * @returns groups: when the claim is lost in one step of a group, the rest of the group is void
 */
export function stepsOf(changes: readonly ChunkChanges[], sizes: StepSizes): WriteStep[][] {
  const groups: WriteStep[][] = [];
  let shared: ChunkChanges[] = [];
  let sharedRows = 0;
  const close = (): void => {
    if (shared.length > 0) groups.push([{ changes: shared, shown: null, isLast: true }]);
    shared = [];
    sharedRows = 0;
  };
  for (const one of changes) {
    const size = one.fresh.length + one.kept.length + one.goneIds.length;
    if (size > sizes.shared) {
      groups.push(cutInSteps(one, sizes.large));
      continue;
    }
    if (sharedRows + size > sizes.shared) close();
    shared.push(one);
    sharedRows += size;
  }
  close();
  return groups;
}

function cutInSteps(changes: ChunkChanges, rows: number): WriteStep[] {
  const { fresh, kept, goneIds } = changes;
  const none: ChunkChanges = { ...changes, fresh: [], kept: [], goneIds: [] };
  const step = (part: Partial<ChunkChanges>, shown: Shown = null): WriteStep => ({
    changes: [{ ...none, ...part }],
    shown,
    isLast: false,
  });
  const steps = [
    ...windows(fresh, rows).map((some) => step({ fresh: some }, 'old')),
    step({}, { allBut: goneIds }),
    ...windows(kept, rows).map((some) => step({ kept: some })),
    ...windows(goneIds, rows).map((some) => step({ goneIds: some })),
  ];
  return steps.map((one, index) => ({ ...one, isLast: index === steps.length - 1 }));
}

function windows<Item>(items: readonly Item[], width: number): Item[][] {
  const count = Math.ceil(items.length / width);
  return Array.from({ length: count }, (_, n) => items.slice(n * width, (n + 1) * width));
}
