import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openSearchStage, searchCases, type SearchStage } from '#test/support/search-stage.ts';
import type { TestUser } from '#test/support/test-users.ts';

let stage: SearchStage;
let owner: TestUser;

beforeAll(async () => {
  stage = await openSearchStage();
  owner = stage.owner;
});
afterAll(() => stage[Symbol.asyncDispose]());

const search = (request: string | object, user?: TestUser) => stage.search(request, user);

const { firstFor, exactlyFor, neverFor } = searchCases(search);

describe('compounds', () => {
  const words = (query: string) => ({ query, hybrid_alpha: 0 });

  firstFor([
    [words('Reinigung'), 'de-pavement-cleaning'],
    [words('Reinigungen'), 'de-pavement-cleaning'],
    [words('Gehweg'), 'de-pavement'],
    [words('afval'), 'nl-waste'],
    [words('Reinignug Gehwege'), 'de-pavement'],
  ]);
  exactlyFor([
    // Nobody writes of a cleaning alone.
    [words('Gehweg'), ['de-pavement']],
    [words('"Reinigung"'), []],
    [words('Zubereiter'), []],
  ]);

  it('are marked where they match, and are no correction', async () => {
    const { body } = await search({ query: 'Reinigung', explain: true });
    expect(body.corrected_query).toBeNull();
    expect(body.results[0].match_highlights[0]).toContain('<hi>Gehwegreinigung</hi>');
  });

  it('that only others may see do not make a word known', async () => {
    expect((await search(words('Walze'))).body.corrected_query).toBe('walzer');
    expect((await search(words('Walze'), owner)).body.corrected_query).toBeNull();
  });

  it('are found by those who may see both parts', async () => {
    expect((await search(words('Zubereiter'), owner)).ids).toEqual(['de-curd']);
    expect((await search(words('Walze'), owner)).ids).toEqual(['curd-private']);
  });
});

describe('synonyms', () => {
  firstFor([
    ['car', 'car'],
    // By vectors alone, another document is as near as this one.
    [{ query: 'cars', hybrid_alpha: 0 }, 'car'],
    ['aws', 'aws'],
    ['amazon web service', 'aws'],
    [{ query: 'cpp', hybrid_alpha: 0 }, 'lang-cpp20'],
    [{ query: 'csharp', hybrid_alpha: 0 }, 'lang-cs'],
    [{ query: 'cancelled', hybrid_alpha: 0 }, 'de-notice'],
    [{ query: 'gekündigt', hybrid_alpha: 0 }, 'de-notice'],
  ]);
  neverFor([
    [{ query: 'cpp', hybrid_alpha: 0 }, 'lang-c'],
    [{ query: 'csharp', hybrid_alpha: 0 }, 'lang-cpp'],
  ]);
  exactlyFor([['"car"', []]]);
});

describe('explain', () => {
  it.each<[string, object]>([
    ['kubernetes', { term: 'kubernet', kind: 'query', of: null }],
    ['kuberntes', { term: 'kubernet', kind: 'correction', of: 'kuberntes' }],
    ['Kündigung', { term: 'kündigungen', kind: 'form', of: 'kündigung' }],
    ['cars', { term: 'automobil', kind: 'synonym', of: 'car' }],
    ['cancelled', { term: 'kündigungen', kind: 'synonym_form', of: 'cancel' }],
    ['Reinigung', { term: 'gehwegreinigung', kind: 'compound', of: 'reinigung' }],
  ])('%s is searched for as %j', async (query, term) => {
    const { results } = await search({ query, explain: true, hybrid_alpha: 0 });
    expect(results[0]?.explanation.terms).toContainEqual({ ...term, score: expect.any(Number) });
  });

  it('names no word that stands only where the searcher may not look', async () => {
    const { text } = await search({ query: 'Walze im Mondschein', explain: true });
    expect(text).not.toMatch(/mondscheinwalz/i);
    const cancelled = await search({ query: 'cancelled Kündigungen', explain: true });
    expect(cancelled.results[0]?.document_id).toBe('de-notice');
    expect(cancelled.text).not.toMatch(/kündigst/i);
  });

  it('misses no compound of a word', async () => {
    const { results } = await search({ query: 'Einigung Reinigung', explain: true });
    const pavement = results.find((one) => one.document_id === 'de-pavement');
    expect(pavement?.explanation.missing).toEqual(['reinigung']);
  });
});
