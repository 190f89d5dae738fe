import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const READS_CHUNKS = /\b(?:from|join) chunk(?:_terms|_vector)?\b/;
/** These maintain the rows, but show them to nobody; the last one reads what a search has found already. */
const MAINTAINERS = [
  'delete-documents.ts',
  'gather-words.ts',
  'merge-postings.ts',
  'place-chunks.ts',
  'promote-vectors.ts',
  'read-postings.ts',
  'renew-basis.ts',
  'renew-terms.ts',
  'search/read-term-scores.ts',
  'texts-in-chunks.ts',
];

it('every statement that shows chunks excludes hidden ones', () => {
  const readers = globSync('src/**/*.ts')
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => READS_CHUNKS.test(text));
  const careless = readers.filter(({ text }) => !/\$\{(?:areShown|searchable)\(/.test(text));
  expect(readers.length).toBeGreaterThan(MAINTAINERS.length);
  expect(careless.map(({ path }) => path).toSorted()).toEqual(
    MAINTAINERS.map((name) => `src/documents/${name}`),
  );
});
