import { afterAll, beforeAll, expect, it } from 'vitest';
import { firmPages, startLeadSite } from '#test/support/lead-site.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

it('a list of addresses is one scrape with a row per site, and two addresses of a site are one visit', async () => {
  await using one = await startLeadSite({
    ...firmPages('One', 'one.example'),
    '/hidden': '<title>Hidden</title><p><a href="mailto:hidden@one.example">Write</a>',
  });
  await using other = await startLeadSite(firmPages('Other', 'other.example'));
  const body = {
    mode: 'scrape_url',
    urls: [`${one.url}/`, `${other.url}/`, `${one.url}/hidden`, `${one.url}/#again`],
    max_results: 50,
  };
  const answer = await millrace.call('POST', '/tools/lead-scraper', body);
  expect(answer.status).toBe(200);
  const { body: scrape } = await millrace.call('GET', answer.headers.get('Content-Location') ?? '');
  expect(JSON.stringify(scrape.leads)).toContain('hidden@one.example');
  expect(scrape.query).toBe(`${one.url}/ and 2 more`);
  expect(scrape.urls).toEqual([`${one.url}/`, `${other.url}/`, `${one.url}/hidden`]);
  expect(
    scrape.sites.map(({ url, status }: { url: string; status: string }) => [url, status]),
  ).toEqual([
    [`${one.url}/`, 'done'],
    [`${other.url}/`, 'done'],
  ]);
  expect(one.requests.filter((path) => path === '/' || path === '/hidden')).toEqual([
    '/',
    '/hidden',
  ]);
});

it('a site that cannot be read does not affect the others', async () => {
  await using one = await startLeadSite(firmPages('Whole', 'whole.example'));
  await using broken = await startLeadSite({
    '/': (_request, response) => void response.writeHead(500).end(),
  });
  const body = { mode: 'scrape_url', urls: [broken.url, one.url] };
  const answer = await millrace.call('POST', '/tools/lead-scraper', body);
  expect(answer.body.total_results).toBe(4);
  expect(answer.body.warnings).toEqual([
    `${broken.url.slice(7)} could not be read. ${broken.host} answered 500.`,
  ]);
});

it('one bad address refuses the request, which names its position', async () => {
  const body = { mode: 'scrape_url', urls: ['https://example.com/', 'http://10.0.0.1/'] };
  const answer = await millrace.call('POST', '/tools/lead-scraper', body);
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'BAD_REQUEST' } });
  expect(answer.body.detail).toMatch(/^body\.urls\[1\]: 10\.0\.0\.1 cannot be reached/);
});
