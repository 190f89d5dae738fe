import { describe, expect, it } from 'vitest';
import { FilledRows } from '#bench/partition-rows.ts';
import type { WorkspaceId } from '#src/ids.ts';

const ids = ['1', '2', '3'].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
const ROWS = 3_200;

function makeRows(): FilledRows {
  return new FilledRows(ids as WorkspaceId[], [0.5, 0.3, 0.2], ROWS); // ids of the test
}

describe('rows of the bench of partitions', () => {
  it('gives every workspace its share of the documents', () => {
    const rows = makeRows();
    const documents = ids.map((_, workspace) => rows.documentsOf(workspace, ROWS, ROWS));
    expect(documents.map(({ length }) => length)).toEqual([1_600, 960, 640]);
    expect(new Set(documents.flat()).size).toBe(ROWS);
  });

  it('spreads the chosen documents over all', () => {
    const chosen = makeRows().documentsOf(0, ROWS, 10);
    expect(chosen).toHaveLength(10);
    expect(chosen.filter((number) => number < ROWS / 2)).toHaveLength(5);
  });

  it('puts the buckets of a workspace into segments of its own', () => {
    const rows = makeRows();
    for (const [workspace, workspaceId] of ids.entries()) {
      const own = [...rows.segments.values()].filter((one) => one.workspaceId === workspaceId);
      const places = rows.bucketsOf(workspace, ROWS, 20);
      expect(places).toHaveLength(20);
      expect(new Set(places.map(({ segmentId, bucket }) => `${segmentId}/${bucket}`)).size).toBe(
        20,
      );
      expect(own.map(({ id }) => id)).toEqual(
        expect.arrayContaining(places.map(({ segmentId }) => segmentId)),
      );
    }
  });
});
