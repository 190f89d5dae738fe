import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentDns } from '#test/support/email-stage.ts';
import { type LeadFirm, startFirm } from '#test/support/lead-firms.ts';
import { startLeadSite } from '#test/support/lead-site.ts';
import { type SearchEngine, startBrave, startSearxng } from '#test/support/search-engine.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const FIRMS = 3;
const API_KEY = 'BSA-secret-key-0123456789';
const SETTINGS = { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', LEAD_REQUEST_GAP_MS: '0' };

let firms: LeadFirm[];
beforeAll(async () => {
  firms = await Promise.all(Array.from({ length: FIRMS }, (_, n) => startFirm(n)));
});
afterAll(async () => {
  for (const firm of firms) await firm[Symbol.asyncDispose]();
});

const homes = (): string[] => firms.map(({ site }) => `${site.url}/`);
const people = (some = firms): string[] => some.flatMap(({ names }) => names).toSorted();
const onFirstPage = (urls: readonly string[]) => (_query: string, page: number) =>
  page === 1 ? urls : [];

async function startWith(
  engine: SearchEngine,
  settings: Record<string, string>,
): Promise<TestMillrace> {
  engine.script = onFirstPage([]);
  const millrace = await startTestMillrace({ ...SETTINGS, ...settings });
  Object.assign(millrace.services, { dns: silentDns });
  return millrace;
}

let words = 0;
/** Every search is different, so that none reuses an earlier result. */
const searchIn = (millrace: TestMillrace, more: object = {}) => {
  words += 1;
  const query = `coffee roasters ${words}`;
  return millrace.call('POST', '/tools/lead-scraper', { mode: 'keyword_search', query, ...more });
};

/** Leaves out the firms themselves. */
const namesIn = (leads: { name: string }[]): string[] =>
  leads.flatMap(({ name }) => (/^$| Coffee$/.test(name) ? [] : [name])).toSorted();

describe('a search by SearXNG', () => {
  let engine: SearchEngine;
  let millrace: TestMillrace;
  beforeAll(async () => {
    engine = await startSearxng(() => []);
    millrace = await startWith(engine, {
      LEAD_SEARCH_PROVIDER: 'searxng',
      SEARXNG_URL: engine.url,
    });
  });
  afterAll(async () => {
    await millrace[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    engine.searches.length = 0;
  });
  const search = (more: object = {}) => searchIn(millrace, more);

  it('reads each of the sites found once and returns their people', async () => {
    const asked = firms.map(({ site }) => site.requests.length);
    engine.script = (_query, page) =>
      page === 1
        ? [...homes(), `${firms[0]?.site.url}/team`, 'https://www.linkedin.com/company/abbott']
        : homes();
    const { status, body, headers } = await search();
    expect([status, namesIn(body.leads)]).toEqual([200, people()]);
    expect([body.total_results, body.leads.length]).toEqual([4 * FIRMS, 4 * FIRMS]);
    // The second page brings nothing new, so no third one is fetched.
    expect(engine.searches.map(([, page]) => page)).toEqual([1, 2]);
    firms.forEach(({ site }, n) => {
      const paths = site.requests.slice(asked[n]);
      expect(paths.filter((path) => path === '/team')).toHaveLength(1);
    });
    const { body: details } = await millrace.call('GET', headers.get('Content-Location') ?? '');
    expect([details.status, details.provider, details.error]).toEqual([
      'completed',
      'searxng',
      null,
    ]);
    expect(details.sites.map(({ url }: { url: string }) => url)).toEqual(homes());
  });

  it('without results is an empty list', async () => {
    engine.script = onFirstPage([]);
    const { status, body } = await search();
    expect([status, body.leads, body.total_results]).toEqual([200, [], 0]);
    expect(engine.searches).toHaveLength(1);
  });

  it('refused with 403 is a 502 that names the setting to change, and is not repeated', async () => {
    engine.script = () => ({ status: 403, text: '<h1>Forbidden</h1>' });
    const { status, body } = await search();
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toMatch(/^SearXNG at 127\.0\.0\.1:\d+ .*json.*search\.formats/);
    expect(engine.searches).toHaveLength(1);
  });

  it('whose engines did not answer is a 502 that names them', async () => {
    engine.script = () => ({
      json: {
        results: [],
        unresponsive_engines: [
          ['google', 'CAPTCHA'],
          ['bing', 'timeout'],
        ],
      },
    });
    const { status, body } = await search();
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain('google (CAPTCHA), bing (timeout)');
  });

  it('that only some engines answered continues with their results', async () => {
    const [first = ''] = homes();
    engine.script = (_query, page) => ({
      json: {
        results: page === 1 ? [{ url: first }] : [],
        unresponsive_engines: page === 1 ? [['google', 'CAPTCHA']] : [],
      },
    });
    const { status, body } = await search();
    expect([status, namesIn(body.leads)]).toEqual([200, people(firms.slice(0, 1))]);
  });

  it('that fails briefly is repeated, and the waiting request is answered', async () => {
    let failures = 2;
    engine.script = (_query, page) => {
      if (failures === 0) return page === 1 ? homes() : [];
      failures -= 1;
      return { status: 503, text: 'Busy' };
    };
    const { status, body } = await search();
    expect([status, namesIn(body.leads)]).toEqual([200, people()]);
    expect(engine.searches.map(([, page]) => page)).toEqual([1, 1, 1, 2]);
  });

  it('that keeps failing is a 502 with the reason', async () => {
    engine.script = () => ({ status: 503, text: 'Busy' });
    const { status, body } = await search();
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain('failed with 503');
    expect(engine.searches).toHaveLength(3);
  });

  it('with a dead site among good ones succeeds and reports it', async () => {
    await using dead = await startLeadSite({
      '/robots.txt': (_request, response) => response.end(''),
      '/': (request) => request.socket.destroy(),
    });
    engine.script = onFirstPage([`${dead.url}/`, ...homes()]);
    const { status, body, headers } = await search();
    expect([status, namesIn(body.leads)]).toEqual([200, people()]);
    const { body: details } = await millrace.call('GET', headers.get('Content-Location') ?? '');
    const [site, ...others] = details.sites;
    expect([site.status, site.pages]).toEqual(['failed', 0]);
    expect(site.error).toContain(dead.host);
    expect(others.map((one: { status: string }) => one.status)).toEqual(['done', 'done', 'done']);
  });

  it('with only dead sites is a 502 that names the first', async () => {
    await using first = await startLeadSite({ '/': (request) => request.socket.destroy() });
    await using second = await startLeadSite({
      '/': (_, response) => response.writeHead(500).end(),
    });
    engine.script = onFirstPage([first.url, second.url]);
    const { status, body } = await search();
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain('None of the 2 sites');
    expect(body.detail).toContain(first.host);
  });

  it('reads no site at a forbidden address, whatever the engine says', async () => {
    engine.script = onFirstPage(['http://10.0.0.1/', 'http://169.254.169.254/', ...homes()]);
    const { status, body, headers } = await search();
    expect([status, namesIn(body.leads)]).toEqual([200, people()]);
    const { body: details } = await millrace.call('GET', headers.get('Content-Location') ?? '');
    const states = details.sites.map((site: { status: string }) => site.status);
    expect(states).toEqual(['failed', 'failed', 'done', 'done', 'done']);
  });
});

describe('a search by Brave', () => {
  let engine: SearchEngine;
  let millrace: TestMillrace;
  beforeAll(async () => {
    engine = await startBrave(() => []);
    millrace = await startWith(engine, {
      LEAD_SEARCH_PROVIDER: 'brave',
      BRAVE_API_URL: engine.url,
      BRAVE_API_KEY: API_KEY,
    });
  });
  afterAll(async () => {
    await millrace[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    engine.searches.length = 0;
  });
  const search = (more: object = {}) => searchIn(millrace, more);

  it('reads the sites found and returns no more people than requested', async () => {
    engine.script = onFirstPage(homes());
    const whole = await search();
    expect([whole.status, namesIn(whole.body.leads)]).toEqual([200, people()]);
    const two = await search({ max_results: 2 });
    expect([two.status, two.body.leads.length]).toEqual([200, 2]);
    const { body } = await millrace.call('GET', whole.headers.get('Content-Location') ?? '');
    expect(body.provider).toBe('brave');
  });

  it('without results is an empty list', async () => {
    engine.script = () => ({ json: { type: 'search', query: {} } });
    const { status, body } = await search();
    expect([status, body.leads]).toEqual([200, []]);
  });

  it.each([
    [401, { error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } }, 'SUBSCRIPTION_TOKEN_INVALID', 1],
    [422, { error: { code: 'VALIDATION' } }, 'BRAVE_API_KEY', 1],
    [429, {}, 'plan of BRAVE_API_KEY', 3],
    [500, {}, 'failed with 500', 3],
  ])(
    'refused with %i is a 502 with the remedy, without the key',
    async (code, json, words, times) => {
      engine.script = () => ({ status: code, json });
      const { status, body, text } = await search();
      expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
      expect(body.detail).toContain(words);
      expect(text).not.toContain(API_KEY);
      expect(engine.searches).toHaveLength(times);
    },
  );
});
