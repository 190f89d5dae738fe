import { expect, test } from 'vitest';
import { keepRelevant } from '#src/leads/search/keep-relevant.ts';

const SITES = {
  law: 'Hartley & Okafor, solicitors. Family law: divorce and children.',
  dentist: 'Your family dentist in Leeds. Dental care for the whole family.',
  bikes: 'We repair bicycles by the river in Leeds.',
};
const kept = (query: string, cosines: Partial<Record<string, number>> = {}) =>
  keepRelevant(
    query,
    Object.entries(SITES).map(([name, text]) => ({ name, text, cosine: cosines[name] ?? null })),
  ).map(({ name }) => name);

test('a dentist does not match family law, and other firms of Leeds do not match a dentist in Leeds', () => {
  expect(kept('family law')).toEqual(['law']);
  expect(kept('dental care in Leeds')).toEqual(['dentist']);
  expect(kept('bicycle repairs')).toEqual(['bikes']);
});

test('irrelevant sites are dropped, even when no site has the word', () => {
  expect(kept('family accountants')).toEqual([]);
  expect(kept('walrus')).toEqual([]);
});

test('a site without the words matches if its vector is similar, and nearly as similar as the nearest', () => {
  expect(kept('tooth doctor', { dentist: 0.71, law: 0.2 })).toEqual(['dentist']);
  expect(kept('tooth doctor', { dentist: 0.4 })).toEqual([]);
  expect(kept('tooth doctor', { dentist: 0.86, law: 0.78, bikes: 0.77 })).toEqual(['dentist']);
});

test('a query of function words does not filter the result', () => {
  expect(kept('who is it')).toHaveLength(3);
});
