import { expect, it } from 'vitest';

import { editDistance } from '#src/documents/search/edit-distance.ts';

it.each([
  ['harbour', 'harbour', 0],
  ['harbuor', 'harbour', 1],
  ['harbur', 'harbour', 1],
  ['harbbour', 'harbour', 1],
  ['harvour', 'harbour', 1],
  ['ahrbuor', 'harbour', 2],
  ['abharbour', 'harbour', 2],
  ['lantern', 'harbour', 3],
])('%s is %s after %i edits, up to a limit of 2', (a, b, edits) => {
  expect(editDistance(a, b, 2)).toBe(edits);
  expect(editDistance(b, a, 2)).toBe(edits);
});
