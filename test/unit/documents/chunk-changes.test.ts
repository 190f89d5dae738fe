import { describe, expect, it } from 'vitest';
import { type ChunkChanges, stepsOf } from '#src/documents/chunk-changes.ts';

/** The strings identify the chunks; their other fields do not matter here. */
interface Rows {
  fresh?: number;
  kept?: number;
  gone?: number;
}

function changesOf(externalName: string, { fresh = 0, kept = 0, gone = 0 }: Rows): ChunkChanges {
  const named = (kind: string, n: number) => ({ text: `${externalName} ${kind} ${n}` });
  // Contains only what the steps are made of.
  return {
    document: { semantic_identifier: externalName },
    chunkCount: fresh + kept,
    fresh: Array.from({ length: fresh }, (_, n) => ({ chunk: named('new', n), vector: null })),
    kept: Array.from({ length: kept }, (_, n) => ({ chunk: named('kept', n), keptId: n })),
    goneIds: Array.from({ length: gone }, (_, n) => n),
  } as unknown as ChunkChanges;
}

/** The rows of each step, by group. */
const shapeOf = (groups: ReturnType<typeof stepsOf>) =>
  groups.map((steps) =>
    steps.map(({ changes, shown, isLast }) => [
      changes.map(
        ({ document, fresh, kept, goneIds }) =>
          `${document.semantic_identifier} ${fresh.length}+${kept.length}-${goneIds.length}`,
      ),
      shown && (shown === 'old' ? 'old' : `all but ${shown.allBut.length}`),
      isLast,
    ]),
  );

describe('steps of a write', () => {
  it('are a single one for documents with few changes', () => {
    const changes = [changesOf('a', { fresh: 3 }), changesOf('b', { kept: 2, gone: 5 })];
    expect(shapeOf(stepsOf(changes, { shared: 10, large: 10 }))).toEqual([
      [[['a 3+0-0', 'b 0+2-5'], null, true]],
    ]);
  });

  it('start a new group when one is full', () => {
    const changes = ['a', 'b', 'c'].map((name) => changesOf(name, { fresh: 6 }));
    expect(shapeOf(stepsOf(changes, { shared: 12, large: 12 }))).toEqual([
      [[['a 6+0-0', 'b 6+0-0'], null, true]],
      [[['c 6+0-0'], null, true]],
    ]);
  });

  it('of a large document add hidden chunks, show them all at once, and remove the old ones last', () => {
    const changes = [
      changesOf('small', { fresh: 1 }),
      changesOf('large', { fresh: 25, kept: 3, gone: 12 }),
    ];
    expect(shapeOf(stepsOf(changes, { shared: 10, large: 10 }))).toEqual([
      [
        [['large 10+0-0'], 'old', false],
        [['large 10+0-0'], 'old', false],
        [['large 5+0-0'], 'old', false],
        [['large 0+0-0'], 'all but 12', false],
        [['large 0+3-0'], null, false],
        [['large 0+0-10'], null, false],
        [['large 0+0-2'], null, true],
      ],
      [[['small 1+0-0'], null, true]],
    ]);
  });

  it('exist even for a document without changes', () => {
    expect(shapeOf(stepsOf([changesOf('same', {})], { shared: 10, large: 10 }))).toEqual([
      [[['same 0+0-0'], null, true]],
    ]);
    expect(stepsOf([], { shared: 10, large: 10 })).toEqual([]);
  });
});
