// @module-tag database
// @module-tag queues
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { firmPages, type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let site: LeadSite;

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
  });
  site = await startLeadSite(firmPages('Hartley Coffee', 'hartley.example'));
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const scrape = (body: object, headers: Record<string, string> = {}) =>
  millrace.call('POST', '/tools/lead-scraper', body, { headers });
const scrapeUrl = (query: string, more: object = {}, headers: Record<string, string> = {}) =>
  scrape({ mode: 'scrape_url', query, ...more }, headers);
const statusOf = async (id: string) =>
  (await millrace.call('GET', `/tools/lead-scraper/${id}`)).body;
const startAsync = async (body: object): Promise<string> => {
  const { status, body: answer } = await scrape(body, { Prefer: 'respond-async' });
  expect(status).toBe(202);
  return answer.scrape_id;
};

describe('an invalid request', () => {
  it.each([
    ['no mode', { query: 'x' }, 'body.mode'],
    ['an unknown mode', { mode: 'guess', query: 'x' }, 'body.mode'],
    ['no query', { mode: 'keyword_search' }, 'body.query'],
    ['a blank query', { mode: 'keyword_search', query: '  \0 ' }, 'body.query'],
    ['no results', { mode: 'keyword_search', query: 'x', max_results: 0 }, 'body.max_results'],
    ['51 results', { mode: 'keyword_search', query: 'x', max_results: 51 }, 'body.max_results'],
    [
      'a fractional result count',
      { mode: 'keyword_search', query: 'x', max_results: 1.5 },
      'body.max_results',
    ],
    [
      'an unknown enrichment',
      { mode: 'keyword_search', query: 'x', enrichment: ['age'] },
      'body.enrichment',
    ],
    ['text instead of a URL', { mode: 'scrape_url', query: 'coffee in Berlin' }, 'body.query'],
    ['another scheme', { mode: 'scrape_url', query: 'file:///etc/passwd' }, 'body.query'],
    ['a password', { mode: 'scrape_url', query: 'https://a:b@example.com/' }, 'body.query'],
    ['a mail port', { mode: 'scrape_url', query: 'https://example.com:25/' }, 'body.query'],
    ['a private address', { mode: 'scrape_url', query: 'http://10.0.0.1/' }, 'body.query'],
    [
      'the cloud metadata address',
      { mode: 'scrape_url', query: 'http://169.254.169.254/' },
      'body.query',
    ],
  ])('%s is refused with the field and nothing is stored', async (_, body, field) => {
    const { status, body: answer } = await scrape(body);
    expect([status, answer.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.detail).toContain(field);
    expect((await millrace.call('GET', '/tools/lead-scraper')).body.scrapes).toEqual([]);
  });
});

describe('a site', () => {
  it('yields its organisation and its people, each with the page where it was found', async () => {
    const { status, body, headers } = await scrapeUrl(site.url);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['leads', 'processing_time_ms', 'total_results']);
    expect(body.total_results).toBe(4);
    const byName = new Map(body.leads.map((lead: { name: string }) => [lead.name, lead]));
    expect(byName.get('Ada Hartley')).toMatchObject({
      title: 'Managing Director',
      company: 'Hartley Coffee',
      email: 'ada.hartley@hartley.example',
      phone: '',
      socials: { linkedin: 'https://www.linkedin.com/in/ada-hartley', twitter: '' },
    });
    expect(byName.get('Hartley Coffee')).toMatchObject({
      email: 'info@hartley.example',
      phone: '+442079460958',
      title: '',
    });
    for (const lead of body.leads) {
      expect(lead.confidence_score).toBeGreaterThan(0);
      expect(lead.confidence_score).toBeLessThanOrEqual(1);
    }
    const id = headers.get('Content-Location')?.split('/').at(-1) ?? '';
    const details = await statusOf(id);
    expect(details).toMatchObject({ status: 'completed', total_results: 4, error: null });
    const ada = details.leads.find((lead: { name: string }) => lead.name === 'Ada Hartley');
    expect(ada.kind).toBe('person');
    expect(ada.evidence.email[0]).toMatchObject({ value: 'ada.hartley@hartley.example' });
    expect(ada.evidence.email[0].sources[0].url).toBe(`${site.url}/team`);
  });

  it('is not fetched again for an identical request within the hour, except with no-cache', async () => {
    const before = site.requests.length;
    const again = await scrapeUrl(` ${site.url} `, { max_results: 25 });
    expect(again.body.total_results).toBe(4);
    expect(site.requests.length).toBe(before);
    const fresh = await scrapeUrl(site.url, {}, { 'Cache-Control': 'no-cache' });
    expect(fresh.body.total_results).toBe(4);
    expect(site.requests.length).toBeGreaterThan(before);
    expect(fresh.headers.get('Content-Location')).not.toBe(again.headers.get('Content-Location'));
  });

  it('is read once for fifty identical concurrent requests', async () => {
    await using other = await startLeadSite(firmPages('Once Ltd', 'once.example'));
    const answers = await Promise.all(Array.from({ length: 50 }, () => scrapeUrl(other.url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.get('Content-Location'))).size).toBe(1);
    expect(other.requests.filter((path) => path === '/')).toHaveLength(1);
  });

  it('yields no more than requested, and only requested fields', async () => {
    const two = await scrapeUrl(site.url, { max_results: 2, enrichment: ['phone'] });
    expect(two.body.leads).toHaveLength(2);
    for (const lead of two.body.leads) {
      expect([lead.email, lead.socials]).toEqual(['', { linkedin: '', twitter: '' }]);
    }
    const { text } = await millrace.call('GET', two.headers.get('Content-Location') ?? '');
    expect(text).not.toContain('@hartley.example');
  });

  it('named without a scheme is found over http too', async () => {
    await using plain = await startLeadSite(firmPages('Plain', 'plain.example'));
    const { status, body } = await scrapeUrl(`${plain.url.slice('http://'.length)}/team`);
    expect([status, body.total_results]).toEqual([200, 4]);
  });

  it('without leads yields an empty list', async () => {
    await using empty = await startLeadSite({ '/': '<p>Nothing to see.</p>' });
    const { status, body } = await scrapeUrl(empty.url, { enrichment: ['email'] });
    expect([status, body.leads.filter((lead: { email: string }) => lead.email)]).toEqual([200, []]);
  });

  it.each([
    ['answers 500', (_: unknown, response: ServerResponse) => response.writeHead(500).end(), '500'],
    ['hangs up', (request: IncomingMessage) => request.socket.destroy(), ''],
  ] as const)('that %s is a 502 and named', async (_, page, word) => {
    await using broken = await startLeadSite({ '/': page, '/robots.txt': '' });
    const { status, body } = await scrapeUrl(broken.url);
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain(broken.host);
    expect(body.detail).toContain(word);
  });

  it('excluded by robots.txt is not read', async () => {
    await using closed = await startLeadSite({
      ...firmPages('Closed', 'closed.example'),
      '/robots.txt': 'User-agent: *\nDisallow: /\n',
    });
    const { status, body } = await scrapeUrl(closed.url);
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain('robots.txt');
    expect(closed.requests).toEqual(['/robots.txt']);
  });
});

describe('a search by words', () => {
  it('without results is an empty list', async () => {
    const { status, body } = await scrape({ mode: 'keyword_search', query: 'zzyzx' });
    expect([status, body.leads, body.total_results]).toEqual([200, [], 0]);
  });
});

describe('a scrape that takes long', () => {
  it('is answered with 202 and can be queried, watched and canceled', async () => {
    const release = Promise.withResolvers<void>();
    await using slow = await startLeadSite({
      '/robots.txt': '',
      '/': (_request, response) => void release.promise.then(() => response.end('<p>Late.</p>')),
    });
    const id = await startAsync({ mode: 'scrape_url', query: slow.url });
    await until(() => Promise.resolve(slow.requests.includes('/')));
    expect(await statusOf(id)).toMatchObject({ status: 'running', leads: [], finished_at: null });
    const canceled = await millrace.call('POST', `/tools/lead-scraper/${id}/cancel`);
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled']);
    const events = await millrace.call('GET', `/tools/lead-scraper/${id}/events`);
    expect(events.headers.get('Content-Type')).toBe('text/event-stream');
    expect(events.text).toContain('event: end\ndata: {"scrape_id"');
    release.resolve();
    const again = await millrace.call('POST', `/tools/lead-scraper/${id}/cancel`);
    expect(again.body.status).toBe('canceled');
    expect((await millrace.call('DELETE', `/tools/lead-scraper/${id}`)).status).toBe(200);
    expect((await millrace.call('GET', `/tools/lead-scraper/${id}`)).status).toBe(404);
  });

  it('reports its progress as events, and its end with the leads', async () => {
    await using other = await startLeadSite(firmPages('Watched', 'watched.example'));
    const id = await startAsync({ mode: 'scrape_url', query: other.url });
    const { text } = await millrace.call('GET', `/tools/lead-scraper/${id}/events`);
    const frames = text.trim().split('\n\n');
    expect(frames.at(-1)).toMatch(/^id: \d+\nevent: end\ndata: /);
    const last = JSON.parse(frames.at(-1)?.split('data: ')[1] ?? '');
    expect(last).toMatchObject({ scrape_id: id, status: 'completed', total_results: 4 });
    expect(last.leads).toHaveLength(4);
    const done = await millrace.call('POST', `/tools/lead-scraper/${id}/cancel`);
    expect([done.status, done.body.error_code]).toEqual([409, 'CONFLICT']);
  });

  it('is finished by another worker when the first is lost, skipping finished sites', async () => {
    const { db } = millrace.services;
    await using other = await startLeadSite(firmPages('Twice', 'twice.example'));
    const id = await startAsync({ mode: 'scrape_url', query: other.url });
    await until(async () => (await statusOf(id)).status === 'completed');
    const asked = other.requests.length;
    // The state that a worker leaves when it dies after its last site.
    await sql`update lead_scrape set status = 'running', finished_at = null, claim_token = 'dead',
        claimed_until = now() - interval '1 second', queued_at = now() - interval '1 minute'
      where id = ${id}`.execute(db);
    await until(async () => (await statusOf(id)).status === 'completed');
    expect(other.requests.length).toBe(asked);
    expect((await statusOf(id)).leads).toHaveLength(4);
  });

  it('is given up after losing its worker repeatedly', async () => {
    const { db } = millrace.services;
    const id = await startAsync({ mode: 'keyword_search', query: 'given up' });
    await until(async () => (await statusOf(id)).finished_at !== null);
    await sql`update lead_scrape set status = 'running', finished_at = null, claim_token = 'dead',
        claimed_until = now() - interval '1 second', outages = 9,
        queued_at = now() - interval '1 minute' where id = ${id}`.execute(db);
    await until(async () => (await statusOf(id)).status === 'failed');
    expect((await statusOf(id)).error).toContain('its worker was lost');
  });
});
