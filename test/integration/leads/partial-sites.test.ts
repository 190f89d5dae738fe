import { afterAll, beforeAll, expect, it } from 'vitest';
import { leadScrape } from '#queues/lead-scrape.ts';
import { firmPages, startLeadSite } from '#test/support/lead-site.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  millrace.call(method, path, body, { ...(headers && { headers }) });

it('a site with pages that could not be read is partial, and the answer warns', async () => {
  await using site = await startLeadSite({
    ...firmPages('Half', 'half.example'),
    '/contact': (_request, response) => void response.writeHead(500).end(),
  });
  const body = { mode: 'scrape_url', query: site.url };
  const answer = await call('POST', '/tools/lead-scraper', body);
  expect(answer.body).toMatchObject({
    total_results: 3,
    warnings: [
      `${site.url.slice(7)} was read in part: 1 page could not be read, so contacts may be missing. /contact: ${site.host} answered 500.`,
    ],
  });
  expect(answer.body).not.toHaveProperty('provider');
  const scrape = await call('GET', answer.headers.get('Content-Location') ?? '');
  expect(scrape.body).toMatchObject({ status: 'completed', warnings: answer.body.warnings });
  expect(scrape.body.sites).toEqual([
    {
      url: `${site.url}/`,
      domain: site.url.slice(7),
      status: 'partial',
      pages: 2,
      error: null,
      problems: [{ url: `${site.url}/contact`, reason: `${site.host} answered 500.` }],
    },
  ]);
});

it('a whole site warns of nothing', async () => {
  await using site = await startLeadSite(firmPages('Whole', 'whole.example'));
  const { body } = await call('POST', '/tools/lead-scraper', {
    mode: 'scrape_url',
    query: site.url,
  });
  expect(Object.keys(body)).toEqual(['leads', 'total_results', 'processing_time_ms']);
});

it('an empty result of the index names its provider and says how to search the web', async () => {
  const body = { mode: 'keyword_search', query: 'zzyzx plumbers' };
  const answer = await call('POST', '/tools/lead-scraper', body);
  expect(answer.body).toMatchObject({
    leads: [],
    provider: 'index',
    warnings: [expect.stringContaining('set LEAD_SEARCH_PROVIDER to searxng or brave')],
  });
});

it('what was found before a cancel stays, and no request follows it', async () => {
  const gate = Promise.withResolvers<void>();
  const pages = firmPages('Stopped', 'stopped.example');
  await using site = await startLeadSite({
    ...pages,
    '/robots.txt': '',
    '/about': 'About',
    '/': pages['/']?.replace('</nav>', '<a href="/about">About</a></nav>') ?? '',
    '/team': (_request, response) => {
      void gate.promise.then(() =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(pages['/team']),
      );
    },
  });
  const started = await call(
    'POST',
    '/tools/lead-scraper',
    { mode: 'scrape_url', query: site.url },
    { Prefer: 'respond-async' },
  );
  const path = started.body.status_url;
  await until(() => Promise.resolve(site.requests.includes('/team')));
  const canceled = await call('POST', `${path}/cancel`);
  expect(canceled.body).toMatchObject({ status: 'canceled', total_results: 1 });
  gate.resolve();
  const { producer } = millrace.services;
  await until(async () => (await producer.counts(leadScrape))['active'] === 0);
  expect(site.requests).toEqual(['/robots.txt', '/', '/contact', '/team']);
  const { body } = await call('GET', path);
  expect(body.leads).toMatchObject([{ company: 'Stopped', email: 'info@stopped.example' }]);
});

it('two equal requests for a site without leads share one scrape', async () => {
  await using site = await startLeadSite({ '/': 'Nothing is here.' });
  const ask = () => call('POST', '/tools/lead-scraper', { mode: 'scrape_url', query: site.url });
  const places = [await ask(), await ask()].map(({ headers }) => headers.get('Content-Location'));
  expect(new Set(places).size).toBe(1);
});
