import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TERM_SPACE } from '#src/documents/bm25.ts';
import { sortIds } from '#src/documents/sort-ids.ts';

test('ids are sorted as numbers, whatever was sorted before', () => {
  const id = fc.oneof(fc.integer({ min: 0, max: TERM_SPACE - 1 }), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 3_000, size: 'max' }), (ids) => {
      const sorted = sortIds(Int32Array.from(ids)).slice(0, ids.length);
      expect(Array.from(sorted)).toEqual(ids.toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});
