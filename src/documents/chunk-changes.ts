import type { ClaimedDocument } from './claim-documents.ts';
import type { PreparedChunk } from './prepare-document.ts';

export interface NewVector {
  chunk: PreparedChunk;
  vector: Float32Array;
}

/** The chunk's existing row; it keeps its vector and terms. */
export interface KeptChunk {
  chunk: PreparedChunk;
  keptId: number;
}

/** The changes to make to a document's chunks. */
export interface ChunkChanges {
  document: ClaimedDocument;
  /** Number of chunks after the change. */
  chunkCount: number;
  fresh: NewVector[];
  kept: KeptChunk[];
  /** Rows of chunks that the document no longer has. */
  goneIds: number[];
}

/**
 * What searches see of a document after a step. `old`: nothing that this write adds. `allBut`: the new text is
 * complete, and these chunks of the old text stay hidden until they are removed. Null: unchanged by the step.
 */
export type Shown = 'old' | { allBut: number[] } | null;

/** The work of one transaction. */
export interface WriteStep {
  changes: ChunkChanges[];
  /** Set only for a large document's own steps; what a shared step writes is complete at once. */
  shown: Shown;
  /** No work is left for its documents. */
  isLast: boolean;
}

/** Maximum rows changed per step. */
export interface StepSizes {
  /** For a step that several documents share. A document with more changes is large. */
  shared: number;
  /** For a step of a large document. */
  large: number;
}

/**
 * The steps of a write, in order. Documents with few changes share a single step. A large document has its own steps:
 * the first ones add its chunks, hidden; the next one shows them all and hides the old ones; the last ones move chunks
 * and remove old ones.
 * @returns groups: if the claim is lost in one step of a group, skip the rest of that group
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
