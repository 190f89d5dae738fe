import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { type SearchEngine, startSearxng } from '#test/support/search-engine.ts';
import { startTripwire } from '#test/support/tripwire.ts';

let engine: SearchEngine;
let site: LeadSite;
let stage: OutboundStage;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  engine = opened.use(await startSearxng(() => []));
  site = opened.use(
    await startLeadSite({
      '/tea': '<title>Tea</title><p>Tea is hot.</p>',
      '/milk': '<title>Milk</title><p>Milk is cold.</p>',
    }),
  );
  const search = { LEAD_SEARCH_PROVIDER: 'searxng', SEARXNG_URL: engine.url };
  const limits = { PLATFORM_RATE_LIMIT_PER_MINUTE: '100000' };
  stage = opened.use(await startOutboundStage([`${site.host}/32`], { ...search, ...limits }));
});
afterAll(() => opened.disposeAsync());

const post = (path: string, body?: unknown, options: object = {}) =>
  stage.millrace.call('POST', path, body, options);

describe('invalid requests', () => {
  it.each([
    ['/web-search/search-lite', {}, /queries/],
    ['/web-search/search-lite', { queries: [] }, /queries/],
    ['/web-search/search-lite', { queries: [' '] }, /queries: must not all be blank/],
    ['/web-search/search-lite', { queries: ['tea'], max_results: 0 }, /max_results/],
    ['/web-search/search-lite', { queries: Array(11).fill('tea') }, /queries/],
    ['/web-search/search', { queries: 'tea' }, /queries/],
    ['/web-search/open-urls', {}, /urls/],
    ['/web-search/open-urls', { urls: [''] }, /urls: must not all be blank/],
    ['/web-search/open-urls', { urls: Array(11).fill('https://a.example') }, /urls/],
    ['/web-search/open-urls', { urls: ['https://a.example/'.padEnd(2_001, 'x')] }, /urls/],
  ])('to %s are refused: %o', async (path, body, reason) => {
    const answer = await post(path, body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toMatch(reason);
  });

  it.each(['/web-search/search-lite', '/web-search/search', '/web-search/open-urls'])(
    'to %s need a key',
    async (path) => {
      expect((await post(path, {}, { key: null })).status).toBe(401);
    },
  );

  it.each(['/web-search/search-lite', '/web-search/search'])(
    'to %s name the missing setting',
    async (path) => {
      const { services } = stage.millrace;
      const { config } = services;
      // The API reads its settings on each use.
      Object.assign(services, { config: { ...config, LEAD_SEARCH_PROVIDER: 'index' } });
      const answer = await post(path, { queries: ['tea'] });
      Object.assign(services, { config });
      expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
      expect(answer.body.detail).toMatch(/LEAD_SEARCH_PROVIDER/);
    },
  );
});

describe('a search', () => {
  it('that fails in the engine is an upstream error with the reason', async () => {
    engine.script = () => ({ status: 500 });
    const answer = await post('/web-search/search-lite', { queries: ['tea'] });
    expect([answer.status, answer.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(answer.body.detail).toMatch(/^SearXNG at \S+ failed with 500/);
  });

  it('returns numbered results by rank', async () => {
    engine.script = (query) =>
      query === 'tea'
        ? ['https://a.example/', 'https://b.example/', 'https://c.example/']
        : ['https://b.example/'];
    const { status, body } = await post('/api/web-search/search-lite', {
      queries: ['tea', 'milk'],
      max_results: 2,
    });
    expect([status, body]).toEqual([
      200,
      {
        results: ['https://b.example/', 'https://a.example/'].map((url, index) => ({
          document_citation_number: index + 1,
          unique_identifier_to_strip_away: null,
          type: 'web_search',
          url,
          title: 'A firm',
          snippet: 'A firm',
        })),
        provider_type: 'searxng',
      },
    ]);
  });

  it('without results returns an empty list', async () => {
    engine.script = () => [];
    const { status, body } = await post('/web-search/search', { queries: ['tea'] });
    expect([status, body]).toEqual([
      200,
      {
        search_provider_type: 'searxng',
        content_provider_type: null,
        search_results: [],
        full_content_results: [],
      },
    ]);
  });

  it('with pages numbers each page like its search result', async () => {
    engine.script = () => [`${site.url}/milk`, `${site.url}/gone`, `${site.url}/tea`];
    const { body } = await post('/web-search/search', { queries: ['drinks'] });
    expect(body.search_results.map((one: { url: string }) => one.url)).toEqual([
      `${site.url}/milk`,
      `${site.url}/gone`,
      `${site.url}/tea`,
    ]);
    expect(body.full_content_results).toMatchObject([
      { document_citation_number: 1, content: 'Milk is cold.', error: null },
      { document_citation_number: 2, error: expect.stringMatching(/answered 404\.$/) },
      { document_citation_number: 3, content: 'Tea is hot.', error: null },
    ]);
  });
});

describe('pages', () => {
  it('are read, and an unreadable one gives the reason', async () => {
    const urls = [`${site.url}/tea`, 'https://nowhere.example/'];
    const { status, body } = await post('/web-search/open-urls', { urls });
    expect([status, body.provider_type]).toEqual([200, null]);
    expect(body.results).toEqual([
      {
        document_citation_number: 1,
        unique_identifier_to_strip_away: null,
        type: 'open_url',
        url: `${site.url}/tea`,
        content: 'Tea is hot.',
        error: null,
      },
      expect.objectContaining({
        document_citation_number: 2,
        content: expect.stringMatching(/^The page could not be read: nowhere\.example could not/),
        error: expect.stringMatching(/^nowhere\.example could not be found/),
      }),
    ]);
  });

  it('on internal networks are never read, not even through a redirect', async () => {
    await using inner = await startTripwire([0]);
    const secret = `http://${inner.address}:${inner.ports[0]}/`;
    site.pages['/away'] = (_, response) => void response.writeHead(302, { location: secret }).end();
    const { status, body } = await post('/web-search/open-urls', {
      urls: [secret, `${site.url}/away`],
    });
    expect(status).toBe(200);
    for (const { error } of body.results) expect(error).toMatch(/cannot be reached from here/);
    expect(inner.connections).toBe(0);
  });
});
