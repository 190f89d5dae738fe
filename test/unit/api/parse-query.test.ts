import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from '#src/api/parse-query.ts';

/** As Koa has it: one value is a string, several are a list. */
function expected(text: string) {
  const params = new URLSearchParams(text);
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

test('a query is read as Koa reads it', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    '=',
    '&',
    '%20',
    '+',
    '%',
    'é',
    '__proto__',
    'constructor',
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      const text = parts.join('');
      expect(parseQuery(text)).toEqual(expected(text));
    }),
  );
});

test('names that are repeated hundreds of thousands of times take no longer than others', () => {
  expect(parseQuery('q=1&'.repeat(300_000))['q']).toHaveLength(300_000);
});
