import fc from 'fast-check';
import { expect, it } from 'vitest';
import { derivedIds } from '#src/documents/derived-id.ts';

it('a derived id is readable', () => {
  expect(derivedIds('Plan A').usual).toBe('ingestion_api_Plan_A');
  expect(derivedIds('50 % für C/D').usual).toBe('ingestion_api_50_%25_f%C3%BCr_C%2FD');
});

it('derived ids differ for titles that differ in spaces, underscores and percent signs', () => {
  const titles = ['Plan A', 'Plan_A', 'Plan%5FA', 'Plan%20A', 'Plan%255FA', 'Plan  A', 'Plan__A'];
  expect(new Set(titles.map((title) => derivedIds(title).usual)).size).toBe(titles.length);
});

it('derived ids of different titles differ, however long the titles are', () => {
  const title = fc.string({ unit: fc.constantFrom(' ', '_', '%', '5', 'F', '2', 'ü', 'a') });
  fc.assert(
    fc.property(title, title, fc.nat({ max: 3_000 }), (one, two, length) => {
      fc.pre(one !== two);
      const tail = 'x'.repeat(length);
      expect(derivedIds(one + tail).usual).not.toBe(derivedIds(two + tail).usual);
    }),
  );
});

it('a derived id fits into an index entry and a URL', () => {
  for (const id of Object.values(derivedIds('Ünder_score '.repeat(1_000)))) {
    expect(id.length).toBeLessThanOrEqual(2_048);
  }
});
