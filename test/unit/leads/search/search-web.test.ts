import { afterAll, describe, expect, it } from 'vitest';
import { groupSites } from '#src/leads/search/group-sites.ts';
import { openBrave } from '#src/leads/search/search-brave.ts';
import { type SearchProvider, SearchProviderFailed } from '#src/leads/search/search-provider.ts';
import { openSearxng } from '#src/leads/search/search-searxng.ts';
import { searchWeb } from '#src/leads/search/search-web.ts';
import type { Config } from '#src/platform/config.ts';
import { createOperatorFetch } from '#src/platform/http.ts';
import { createLog } from '#src/platform/log.ts';
import type { Services } from '#src/services.ts';
import { type FakeAnswer, startFakeService } from '#test/support/fake-service.ts';

const KEY = 'BSA-secret-key-0123456789';
const operatorFetch = createOperatorFetch();
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function serve(answer: (url: URL) => FakeAnswer) {
  return stack.use(
    await startFakeService(({ url }) => answer(new URL(url, 'http://provider.example'))),
  );
}

const result = (url: unknown, rest: object = {}) => ({ url, title: 'A', content: 'B', ...rest });
const page = (provider: SearchProvider, number = 1) =>
  provider.find('mills in kent', { page: number, signal: new AbortController().signal });

async function failureOf(asked: Promise<unknown>): Promise<SearchProviderFailed> {
  const failure = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof SearchProviderFailed))
    throw new Error(`It ended with ${String(failure)}`);
  return failure;
}

const SEARXNG_FAILURES: [string, FakeAnswer, RegExp, boolean][] = [
  ['403', { status: 403, text: '<h1>Forbidden</h1>' }, /add json to search\.formats/, false],
  ['429', { status: 429, headers: { 'retry-after': '90' } }, /pass_ip.*in 90 s/, true],
  ['401', { status: 401 }, /password.*SEARXNG_URL/, false],
  ['502', { status: 502, text: 'Bad gateway' }, /failed with 502/, true],
  ['a redirect', { status: 302, headers: { location: 'https://google.com/' } }, /redirects/, false],
  ['404', { status: 404 }, /answered 404.*SEARXNG_URL/, false],
  ['a page', { text: '<!doctype html><title>SearXNG</title>' }, /in JSON.*SEARXNG_URL/, false],
  ['JSON of another shape', { json: { hits: [] } }, /in JSON.*SEARXNG_URL/, false],
  ['null', { text: 'null' }, /in JSON/, false],
  ['more than 5 MB', { text: `{"results":["${'x'.repeat(6_000_000)}` }, /more than 5 MB/, false],
  ['a closed connection', { hangUp: true }, /could not be reached.*SEARXNG_URL/, false],
  [
    'nothing, because its engines are blocked',
    {
      json: {
        results: [],
        unresponsive_engines: [
          ['google', 'CAPTCHA'],
          ['bing', 'timeout'],
          'brave',
          7,
          ['x\u0000y'],
        ],
      },
    },
    /google \(CAPTCHA\), bing \(timeout\), brave, x y/,
    false,
  ],
];

describe('a SearXNG that answers', () => {
  it.each(SEARXNG_FAILURES)('%s fails with a remedy', async (_, answer, words, isTemporary) => {
    const { url } = await serve(() => answer);
    const failure = await failureOf(page(openSearxng({ baseUrl: url, fetch: operatorFetch })));
    expect(failure.message).toMatch(words);
    expect(failure.message).toContain(`SearXNG at ${new URL(url).host}`);
    expect(failure.message).not.toMatch(/\0/);
    expect(failure.isTemporary).toBe(isTemporary);
  });

  it('good and bad results yields the good ones', async () => {
    const results = [
      null,
      'text',
      result(5),
      result('ftp://files.example/'),
      result('https://user:pass@secret.example/'),
      result(`https://long.example/${'x'.repeat(2_000)}`),
      result('javascript:alert(1)'),
      result('https://mill.example/a#b', { title: null, content: 7 }),
    ];
    const { url } = await serve(() => ({ json: { results, unresponsive_engines: 'none' } }));
    expect(await page(openSearxng({ baseUrl: url, fetch: operatorFetch }))).toEqual([
      { url: 'https://mill.example/a#b', title: '', snippet: '' },
    ]);
  });

  it('nothing, while every engine works, is not a failure', async () => {
    const { url } = await serve(() => ({ json: { results: [] } }));
    expect(await page(openSearxng({ baseUrl: url, fetch: operatorFetch }))).toEqual([]);
  });
});

describe('a SearXNG', () => {
  it('that is not running fails with the name of its setting', async () => {
    const service = await startFakeService(() => ({}));
    await service[Symbol.asyncDispose]();
    const failure = await failureOf(
      page(openSearxng({ baseUrl: service.url, fetch: operatorFetch })),
    );
    expect(failure.message).toMatch(/refused the connection.*SEARXNG_URL/);
  });

  it('that never answers times out as a temporary failure', async () => {
    const never: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const provider = openSearxng({ baseUrl: 'http://searx.example', fetch: never, timeoutMs: 20 });
    const failure = await failureOf(page(provider));
    expect(failure.message).toContain('did not answer within 0.02 s');
    expect(failure.isTemporary).toBe(true);
  });

  it('is canceled with the caller', async () => {
    const { url } = await serve(() => ({ json: { results: [] } }));
    const signal = AbortSignal.abort(new Error('canceled'));
    const provider = openSearxng({ baseUrl: url, fetch: operatorFetch });
    await expect(provider.find('x', { page: 1, signal })).rejects.toThrow('canceled');
  });

  it('is called below its base path, with its login, for the page and for JSON', async () => {
    const service = await serve(() => ({ json: { results: [] } }));
    const base = service.url.replace('//', '//me:p%40ss@');
    await page(openSearxng({ baseUrl: `${base}/searx/?x=1#y`, fetch: operatorFetch }), 2);
    const [request] = service.requests;
    const asked = new URL(request?.url ?? '', service.url);
    expect(asked.pathname).toBe('/searx/search');
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      q: 'mills in kent',
      format: 'json',
      pageno: '2',
    });
    expect(request?.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });
});

const BRAVE_FAILURES: [string, FakeAnswer, RegExp, boolean][] = [
  ['401', { status: 401 }, /BRAVE_API_KEY \(401\)/, false],
  ['403', { status: 403 }, /BRAVE_API_KEY/, false],
  [
    '422',
    { status: 422, json: { error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: KEY } } },
    /BRAVE_API_KEY \(SUBSCRIPTION_TOKEN_INVALID\)/,
    false,
  ],
  ['429', { status: 429, headers: { 'retry-after': '1' } }, /allows \(429\).*in 1 s/, true],
  ['500', { status: 500, text: KEY }, /failed with 500/, true],
  ['a page', { text: '<html>' }, /in JSON.*BRAVE_API_URL/, false],
  ['a closed connection', { hangUp: true }, /could not be reached.*BRAVE_API_URL/, false],
];

describe('Brave', () => {
  it.each(BRAVE_FAILURES)(
    'that answers %s fails without revealing the key',
    async (_, answer, words, isTemporary) => {
      const { url } = await serve(() => answer);
      const provider = openBrave({ baseUrl: url, apiKey: KEY, fetch: operatorFetch });
      const failure = await failureOf(page(provider));
      expect(failure.message).toMatch(words);
      expect(failure.isTemporary).toBe(isTemporary);
      expect(`${failure.stack} ${JSON.stringify(failure.cause)}`).not.toContain(KEY);
    },
  );

  it.each([`${KEY}\n`, `${KEY}\u2013`, `${KEY} x`])(
    'is not called with an invalid key, which is not revealed',
    async (apiKey) => {
      const provider = openBrave({ baseUrl: 'http://127.0.0.1:9', apiKey, fetch: operatorFetch });
      const failure = await failureOf(page(provider));
      expect(failure.message).toContain('BRAVE_API_KEY');
      expect(`${failure.message} ${String(failure.cause)}`).not.toContain('secret');
    },
  );

  it('receives the key as a header, and pages from 0 to 9', async () => {
    const asked: { url: URL; token: string | null }[] = [];
    const fake: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      asked.push({
        url: new URL(new Request(input).url),
        token: headers.get('x-subscription-token'),
      });
      return Response.json({ web: { results: [{ url: 'https://mill.example' }, { url: null }] } });
    };
    const provider = openBrave({ baseUrl: 'https://brave.example', apiKey: KEY, fetch: fake });
    expect(await page(provider, 10)).toEqual([
      { url: 'https://mill.example/', title: '', snippet: '' },
    ]);
    expect(await page(provider, 11)).toEqual([]);
    const signal = new AbortController().signal;
    await provider.find(`${'word '.repeat(60)}${'x'.repeat(500)}`, { page: 1, signal });
    expect(asked.map(({ url }) => url.searchParams.get('offset'))).toEqual(['9', '0']);
    expect(asked[0]?.token).toBe(KEY);
    expect(asked[0]?.url.href).not.toContain(KEY);
    expect(asked[1]?.url.searchParams.get('q')?.split(' ')).toHaveLength(50);
  });

  it('finds nothing when the response has no web results', async () => {
    const fake: typeof fetch = async () => Response.json({ type: 'search', query: null });
    expect(
      await page(openBrave({ baseUrl: 'https://b.example', apiKey: KEY, fetch: fake })),
    ).toEqual([]);
  });
});

async function search(baseUrl: string, wanted: number) {
  const config = { LEAD_SEARCH_PROVIDER: 'searxng', SEARXNG_URL: baseUrl } as Config; // all that is read
  const services = { config, operatorFetch, log: createLog('silent') } as Services; // nor are other services used
  const { sites } = await searchWeb(services, {
    workspaceId: 'w' as never,
    userId: 'u' as never,
    query: 'mills',
    wanted,
    signal: new AbortController().signal,
  });
  return sites;
}

describe('a web search', () => {
  it('reads pages until there are enough sites, each once, without directories', async () => {
    const pages = [
      ['https://www.mill-a.co.uk/flour/list.pdf', 'https://de.linkedin.com/company/mill-a'],
      ['https://shop.mill-a.co.uk/', 'http://mill-b.example:8080/x?y', 'https://www.yelp.fr/biz/m'],
      ['https://mill-c.example/', 'https://mill-d.example/'],
    ];
    const service = await serve((url) => ({
      json: {
        results: (pages[Number(url.searchParams.get('pageno')) - 1] ?? []).map((one) =>
          result(one),
        ),
      },
    }));
    expect(await search(service.url, 3)).toEqual([
      { url: 'https://www.mill-a.co.uk/', domain: 'mill-a.co.uk', documentIds: [] },
      { url: 'http://mill-b.example:8080/', domain: 'mill-b.example', documentIds: [] },
      { url: 'https://mill-c.example/', domain: 'mill-c.example', documentIds: [] },
    ]);
    expect(service.requests).toHaveLength(3);
  });

  it('makes no more requests than necessary, and stops when results repeat', async () => {
    const service = await serve(() => ({ json: { results: [result('https://mill-a.example/')] } }));
    expect(await search(service.url, 1)).toHaveLength(1);
    expect(service.requests).toHaveLength(1);
    expect(await search(service.url, 50)).toHaveLength(1);
    expect(service.requests).toHaveLength(3);
  });

  it('keeps its results when a later page fails, and fails when it has none', async () => {
    const service = await serve((url) =>
      url.searchParams.get('pageno') === '1'
        ? { json: { results: [result('https://mill-a.example/')] } }
        : { status: 429 },
    );
    expect(await search(service.url, 5)).toHaveLength(1);
    const directories = await serve((url) =>
      url.searchParams.get('pageno') === '1'
        ? { json: { results: [result('https://www.facebook.com/mill')] } }
        : { status: 429 },
    );
    expect((await failureOf(search(directories.url, 5))).isTemporary).toBe(true);
  });
});

describe('search result pages', () => {
  it('are grouped by site in order of appearance; under a shared suffix each name is a site', () => {
    const urls = [
      'https://b.test/1',
      'https://a.github.io/',
      'https://x.b.test/',
      'http://127.0.0.1:9/',
    ];
    const sites = groupSites(urls.map((url) => ({ url })));
    expect([...sites.keys()]).toEqual(['b.test', 'a.github.io', '127.0.0.1:9']);
    expect(sites.get('b.test')).toHaveLength(2);
  });

  it.each([
    'https://x.com/mill',
    'https://en.wikipedia.org/',
    'https://www.gelbeseiten.de/',
    'https://maps.google.it/',
    'https://medium.com/@m',
    'https://amazon.co.uk/',
  ])('from %s belong to no site', (url) => {
    expect(groupSites([{ url }]).size).toBe(0);
  });
});
