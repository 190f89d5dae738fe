import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fillSynonyms } from '#src/documents/search/fill-synonyms.ts';
import { fillTitles } from '#src/documents/fill-titles.ts';
import { asPushed, CORPUS } from '#test/support/search-corpus.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';

let millrace: TestMillrace;
let admin: TestUser;
let member: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  admin = await openWorkspace(millrace);
  member = await addUser(millrace, admin, 'member');
  const documents = CORPUS.map((one) => ({ document: asPushed(one) }));
  expect((await call('POST', '/service-api/ingestion/batch', { documents })).status).toBe(200);
  await millrace.settled(admin.key);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, user: TestUser = admin) =>
  millrace.call(method, path, body, { key: user.key });

async function search(request: object, path = '/search') {
  const { status, body, text } = await call('POST', path, request);
  expect(status, text).toBe(200);
  const ids: string[] = (body.results ?? body.documents ?? body.search_docs).map(
    (one: { document_id: string }) => one.document_id,
  );
  return { ids, body };
}

interface Explained {
  score: number;
  explanation: {
    lexical: { score: number } | null;
    dense: object | null;
    relevance: number;
    parts: Record<string, number>;
    recency: number;
    boost: number;
    scale: number;
    terms: { term: string; kind: string; score: number }[];
    copies: { document_id: string; score: number }[];
  };
}
interface FacetCount {
  value: string;
  count: number;
}

describe('pages', () => {
  it('are parts of one order, whatever their size', async () => {
    const query = 'the mill, its reset, crash, portal and report';
    const { ids: whole, body } = await search({ query, limit: 100 });
    expect(whole.length).toBeGreaterThan(12);
    expect(body).toMatchObject({ total: whole.length, next_offset: null });
    for (const limit of [1, 7, 10]) {
      const paged: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const page: Awaited<ReturnType<typeof search>> = await search({ query, limit, offset });
        expect(page.body.results[0].citation_id).toBe(offset + 1);
        expect(page.body.total).toBe(whole.length);
        paged.push(...page.ids);
        offset = page.body.next_offset;
      }
      expect(paged).toEqual(whole);
    }
    expect((await search({ query, offset: 200 })).ids).toEqual([]);
  });
});

describe('a malformed query', () => {
  it.each<[string, string | null]>([
    ['"VPN reset', 'vpn-reset'],
    ['VPN reset "', 'vpn-reset'],
    ['"" VPN reset', 'vpn-reset'],
    ['VPN -"legacy reset', 'vpn-reset'],
    ['title: VPN reset', 'vpn-reset'],
    ['-', null],
    ['"', null],
    ['-legacy', null],
    ['-"not or" -title:hamlet', null],
    ['title:"..."', null],
    ["title:o'brien'); drop", null],
    ['title:a\\b:*|!(&', null],
  ])('%s is answered', async (query, first) => {
    const { ids } = await search({ query });
    if (first !== null) expect(ids[0]).toBe(first);
    if (query.startsWith('-') && query.length > 1) expect(ids).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['/search', { query: 'x'.repeat(2_049) }, 'body.query'],
    ['/search', { query: '-a '.repeat(33) }, 'body.query: must not have more than 32'],
    ['/search', { query: ' ' }, 'body.query'],
    ['/search', { query: 'x', offset: 201 }, 'body.offset'],
    ['/search', { query: 'x', offset: -1 }, 'body.offset'],
    ['/search', { query: 'x', hybrid_alpha: 1.1 }, 'body.hybrid_alpha'],
    ['/search', { query: 'x', recency_bias: 'newest' }, 'body.recency_bias'],
    ['/search/send-search-message', { search_query: '-a '.repeat(33) }, 'body.search_query'],
    ['/search/suggest', { query: 'x'.repeat(201) }, 'body.query'],
    ['/search/suggest', { query: 'x', limit: 21 }, 'body.limit'],
  ])('%s with %j is refused with the field and its limit', async (path, body, words) => {
    const refused = await call('POST', path, body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(words);
  });
});

describe('hybrid_alpha', () => {
  it('at 0 finds by words alone, and at 1 by vectors alone', async () => {
    const explain = { query: 'kubernetes container', explain: true };
    const words = await search({ ...explain, hybrid_alpha: 0 });
    expect(words.body.results.every((one: Explained) => one.explanation.dense === null)).toBe(true);
    // In quotes it is never corrected, whether the speller knows the words yet or not.
    expect((await search({ query: '"kuberntes"', hybrid_alpha: 0 })).ids).toEqual([]);
    const vectors = await search({ ...explain, hybrid_alpha: 1 });
    expect(vectors.ids[0]).toBe('kubernetes');
    expect(vectors.body.results.every((one: Explained) => one.explanation.dense !== null)).toBe(
      true,
    );
  });
});

describe('what a request asks for', () => {
  it('explain says which words and which half found a result', async () => {
    const { body } = await search({ query: 'kubernetes walrus', explain: true });
    expect(body.results[0].explanation).toMatchObject({
      lexical: { rank: 1 },
      boost: 1,
      matched: ['kubernet'],
      missing: ['walru'],
    });
    expect(body.results[0].explanation.recency).toBeLessThan(1);
    const plain = await search({ query: 'kubernetes' });
    expect(plain.body.results[0].explanation).toBeNull();
    expect(plain.body.facets).toBeNull();
  });

  it.each([
    { query: 'security policy passwords badges' },
    { query: 'house rules canteen badge windows' },
    { query: 'the mill, its reset, crash, portal and report', hybrid_alpha: 0.6 },
    { query: 'kubernetes' },
    { query: 'release crash', hybrid_alpha: 0, recency_bias: 'favor_recent' },
    { query: 'price list', hybrid_alpha: 1 },
  ])('explain has parts and factors that make the score of every result of %j', async (request) => {
    const boosted = { boost: 5 };
    await call('PATCH', '/service-api/ingestion/draft', boosted);
    const { body } = await search({ ...request, explain: true, limit: 100 });
    const results: Explained[] = body.results;
    expect(results.length).toBeGreaterThan(0);
    const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
    for (const { score, explanation } of results) {
      const { lexical, relevance, parts, recency, boost, scale, terms } = explanation;
      expect(sum(Object.values(parts))).toBeCloseTo(relevance, 10);
      expect(relevance * recency * boost * scale).toBeCloseTo(score, 10);
      expect(parts['order']).toBeLessThanOrEqual(0);
      if (lexical) expect(sum(terms.map((one) => one.score))).toBeCloseTo(lexical.score, 4);
      if (!lexical) expect(parts['words']).toBe(0);
      if (explanation.dense === null) expect(parts['vectors']).toBe(0);
    }
    await call('PATCH', '/service-api/ingestion/draft', { boost: 0 });
  });

  it('explain says what title, nearness, boost and copies did', async () => {
    const explained = async (query: string): Promise<Explained[]> =>
      (await search({ query, explain: true })).body.results;
    const [policy] = await explained('security policy');
    expect(policy?.explanation.parts['title']).toBeGreaterThan(0);
    expect(policy?.explanation.parts['proximity']).toBeGreaterThan(0);
    const [probe] = await explained('container restarts');
    expect(probe?.explanation.parts['title']).toBe(0);
    await call('PATCH', '/service-api/ingestion/kubernetes', { boost: 5 });
    const [boosted] = await explained('container restarts');
    expect(boosted?.explanation.boost).toBeGreaterThan(1.5);
    expect(boosted?.explanation.scale).toBeLessThan(1);
    await call('PATCH', '/service-api/ingestion/kubernetes', { boost: 0 });
    const [rules] = await explained('house rules canteen badge windows');
    expect(rules?.explanation.copies.map((copy) => copy.document_id)).toHaveLength(2);
    for (const copy of rules?.explanation.copies ?? []) {
      expect(copy.score).toBeLessThanOrEqual(rules?.score ?? 0);
    }
  });

  it('explain does not take the marks of a page for its words', async () => {
    const text =
      '<html><body><p>The <b class="walrus">aardvark</b> sleeps all day.</p></body></html>';
    const document = { id: 'page', semantic_identifier: 'Animals', sections: [{ text }] };
    await call('POST', '/service-api/ingestion', { document });
    await millrace.settled(admin.key);
    const { body } = await search({ query: 'aardvark walrus', explain: true });
    expect(body.results[0]).toMatchObject({
      document_id: 'page',
      is_html: true,
      explanation: { matched: ['aardvark'], missing: ['walru'] },
    });
  });

  it('highlights can be left out', async () => {
    const { body } = await search({ query: 'kubernetes', highlights: false });
    expect(body.results[0].match_highlights).toEqual([]);
    const marked = await search({ query: 'kubernetes' });
    expect(marked.body.results[0].match_highlights[0]).toContain('<hi>Kubernetes</hi>');
  });

  it('facets count all results by source and tag, and a filter narrows them', async () => {
    const { body } = await search({ query: 'fleet reserved drivers', facets: true, limit: 1 });
    const sources = new Map<string, number>(
      body.facets.source_type.map((one: FacetCount) => [one.value, one.count]),
    );
    expect(sources.get('web')).toBe(1);
    expect([...sources.values()].reduce((sum, count) => sum + count, 0)).toBe(body.total);
    expect(body.facets.tags).toContainEqual({
      tag_key: 'team',
      tag_value: 'office',
      count: 2,
      documents: 2,
    });
    const narrow = await search({ query: 'fleet', facets: true, sources: ['web'] });
    expect(narrow.body.facets.source_type).toEqual([{ value: 'web', count: 1, documents: 1 }]);
  });
});

describe('a boost', () => {
  it('moves a document up or down among those that fit about as well', async () => {
    const query = 'security policy passwords badges';
    const boost = (id: string, value: number) =>
      call('PATCH', `/service-api/ingestion/${id}`, { boost: value });
    await boost('draft', 20);
    expect((await search({ query })).ids[0]).toBe('draft');
    await boost('draft', -20);
    const { ids, body } = await search({ query });
    expect(ids[0]).toBe('policy');
    expect(body.results.every((one: { score: number }) => one.score >= 0 && one.score <= 1)).toBe(
      true,
    );
    await boost('draft', 0);
  });
});

describe('hidden documents', () => {
  it('are found by administrators who search as such, and marked', async () => {
    await call('PATCH', '/service-api/ingestion/hamlet', { hidden: true });
    const found = await search({ query: 'hamlet question nobler' }, '/admin/search');
    expect(found.body.documents[0]).toMatchObject({ document_id: 'hamlet', hidden: true });
    const listed = await search({ query: '' }, '/admin/search');
    expect(listed.ids).toContain('hamlet');
    expect((await search({ query: 'title:hamlet' })).ids).toEqual([]);
    const { body } = await call('POST', '/search/suggest', { query: 'haml' });
    expect(body.suggestions).toEqual([]);
    await call('PATCH', '/service-api/ingestion/hamlet', { hidden: false });
  });
});

describe('settings of the workspace', () => {
  it('hold for all searches until they are changed, and a request goes before them', async () => {
    const defaults = { recency_bias: 'auto', hybrid_alpha: null, synonyms: [] };
    expect((await call('GET', '/search/settings', undefined, member)).body).toEqual(defaults);
    const changed = {
      recency_bias: 'no_decay',
      hybrid_alpha: 0,
      synonyms: [['Lorry', 'automobile']],
    };
    expect((await call('PATCH', '/search/settings', changed)).body).toEqual(changed);
    expect((await search({ query: 'lorry' })).ids).toEqual(['car']);
    const { body } = await search({
      query: 'kubernetes',
      explain: true,
      hybrid_alpha: 0.5,
      recency_bias: 'favor_recent',
    });
    expect(body.results[0].explanation).toMatchObject({ recency: expect.closeTo(0.54, 1) });
    expect(body.results[0].explanation.dense).not.toBeNull();
    const kept = await call('PATCH', '/search/settings', { hybrid_alpha: null });
    expect(kept.body).toEqual({ ...changed, hybrid_alpha: null });
    expect((await call('PATCH', '/search/settings', defaults)).body).toEqual(defaults);
  });

  it('keep what two people change at the same moment', async () => {
    const defaults = { recency_bias: 'auto', hybrid_alpha: null, synonyms: [] };
    for (let round = 0; round < 10; round += 1) {
      await call('PATCH', '/search/settings', defaults);
      await Promise.all([
        call('PATCH', '/search/settings', { recency_bias: 'no_decay' }),
        call('PATCH', '/search/settings', { hybrid_alpha: 0.5 }),
        call('PATCH', '/search/settings', { synonyms: [['car', 'lorry']] }),
      ]);
      const { body } = await call('GET', '/search/settings');
      expect(body).toEqual({
        recency_bias: 'no_decay',
        hybrid_alpha: 0.5,
        synonyms: [['car', 'lorry']],
      });
    }
    await call('PATCH', '/search/settings', defaults);
  });

  it.each<[object, string]>([
    [{ synonyms: [['alone']] }, 'body.synonyms'],
    [{ synonyms: [['...', 'dots']] }, 'must have a letter or a digit'],
    [{ synonyms: [['a b c d e f g h i', 'long']] }, 'must not have more than 8 words'],
    [{ synonyms: Array.from({ length: 501 }, () => ['a', 'b']) }, 'body.synonyms'],
    [{ synonyms: [['x'.repeat(101), 'y']] }, 'body.synonyms'],
    [{ recency_bias: 'sometimes' }, 'body.recency_bias'],
    [{ hybrid_alpha: -0.1 }, 'body.hybrid_alpha'],
  ])('refuse %j', async (body, words) => {
    const refused = await call('PATCH', '/search/settings', body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(words);
  });

  it('are changed by administrators only', async () => {
    expect((await call('PATCH', '/search/settings', {}, member)).status).toBe(403);
  });
});

describe('synonyms of the version before', () => {
  it('count as they are written, and in any inflection once they are filled in', async () => {
    const { db } = millrace.services;
    const synonyms = [['lorry', 'automobile']];
    await call('PATCH', '/search/settings', { synonyms, hybrid_alpha: 0 });
    await sql`update search_synonym set stems = null`.execute(db);
    expect((await search({ query: 'lorry' })).ids).toEqual(['car']);
    expect((await search({ query: 'lorries' })).ids).toEqual([]);
    expect(await fillSynonyms(db)).toBe(2);
    expect(await fillSynonyms(db)).toBe(0);
    expect((await search({ query: 'lorries' })).ids).toEqual(['car']);
    await call('PATCH', '/search/settings', { synonyms: [], hybrid_alpha: null });
  });

  it('a group may have the same letters with other symbols', async () => {
    const synonyms = [['C', 'C++', 'C#']];
    const { body } = await call('PATCH', '/search/settings', { synonyms });
    expect(body.synonyms).toEqual(synonyms);
    await call('PATCH', '/search/settings', { synonyms: [] });
  });
});

describe('an index of the version before', () => {
  it('is searched while its titles are filled in, and has all of them then', async () => {
    const { db } = millrace.services;
    await sql`delete from document_title`.execute(db);
    await sql`insert into deployment_fact (name, value)
      select 'titles_to_fill', json_build_object('after', 0, 'through', max(id)) from document`.execute(
      db,
    );
    expect((await search({ query: 'zeppelin report' })).ids[0]).toBe('quarterly');
    expect((await search({ query: 'title:zeppelin' })).ids).toEqual([]);
    const { signal } = new AbortController();
    expect(await fillTitles(db, signal)).toBeGreaterThanOrEqual(CORPUS.length);
    expect(await fillTitles(db, signal)).toBe(0);
    expect((await search({ query: 'title:zeppelin' })).ids).toEqual(['quarterly']);
  });

  it('keeps the titles of documents that are indexed while its own are filled in', async () => {
    const { db } = millrace.services;
    await sql`update document_title set words = array_to_tsvector(array['newer'])`.execute(db);
    await sql`insert into deployment_fact (name, value)
      select 'titles_to_fill', json_build_object('after', 0, 'through', max(id)) from document`.execute(
      db,
    );
    await fillTitles(db, new AbortController().signal);
    const { rows } = await sql`select 1 from document_title
      where words <> array_to_tsvector(array['newer'])`.execute(db);
    expect(rows).toEqual([]);
  });
});
