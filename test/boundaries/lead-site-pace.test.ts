import { describe, expect, test } from 'vitest';
import { pauseSite, reserveSlot, SlotTooFar } from '#src/leads/visit/site-pace.ts';
import { linking, type SiteAnswer, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { opened, visit, visitOne } = openVisits();

describe('robots.txt', () => {
  const site = (robots: SiteAnswer): Record<string, SiteAnswer> => ({
    'acme.test/robots.txt': robots,
    'acme.test/': linking('/team', '/contact'),
    'acme.test/team': 'Team',
    'acme.test/contact': 'Contact',
  });

  test.each<[string, SiteAnswer, RegExp]>([
    [
      'that forbids everything',
      'User-agent: *\nDisallow: /',
      /^acme\.test does not allow robots to read \/ \(robots\.txt\)/,
    ],
    ['that answers with a server error', 500, /^acme\.test answered 500 for its robots\.txt/],
    [
      'that gets no answer',
      (request) => void request.socket.destroy(),
      /^acme\.test closed the connection/,
    ],
    [
      'that redirects in a loop',
      { status: 301, headers: { location: '/robots.txt' } },
      /^acme\.test redirected more than 5 times/,
    ],
    [
      'that redirects to an internal address',
      { status: 301, headers: { location: 'http://inner.test/robots.txt' } },
      /^acme\.test cannot be reached from here, or it leads to/,
    ],
    [
      'that asks for a pause',
      { status: 503, headers: { 'retry-after': '900' } },
      /^acme\.test answered 503/,
    ],
  ])('%s stops the visit before the first page', async (_, robots, sentence) => {
    await using sites = await startLeadSites(site(robots));
    const { failure, pages } = await visit(sites, 'acme.test/');
    expect(failure).toMatch(sentence);
    expect(pages).toEqual([]);
    expect(sites.pages().filter((page) => !page.startsWith('inner'))).toEqual([]);
  });

  test.each<[string, SiteAnswer]>([
    ['that does not exist', 404],
    ['that requires a sign-in', 401],
    ['reached after five redirects', { status: 301, headers: { location: '/1' } }],
  ])('%s does not stop the visit', async (_, robots) => {
    const hops = [1, 2, 3, 4].map((hop): [string, SiteAnswer] => [
      `acme.test/${hop}`,
      { status: 301, headers: { location: `/${hop + 1}` } },
    ]);
    await using sites = await startLeadSites({
      ...site(robots),
      ...Object.fromEntries(hops),
      'acme.test/5': 'User-agent: nobody\nDisallow: /',
    });
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toEqual(['acme.test/', 'acme.test/contact', 'acme.test/team']);
  });

  test('is fetched once per host and applied to each page', async () => {
    await using sites = await startLeadSites(site('User-agent: Millrace\nDisallow: /team'));
    const first = await visit(sites, 'acme.test/');
    const second = await visit(sites, 'acme.test/');
    expect(first.paths).toEqual(['acme.test/', 'acme.test/contact']);
    expect(second.paths).toEqual(first.paths);
    expect(sites.requests.filter((request) => request.endsWith('robots.txt'))).toHaveLength(1);
    expect([...sites.userAgents]).toEqual(['Millrace/test (+https://millrace.example)']);
  });

  test('is checked on the redirect target before a page is read there', async () => {
    await using sites = await startLeadSites({
      'acme.test/': { status: 301, headers: { location: 'http://{www.acme.test}/' } },
      'www.acme.test/robots.txt': 'User-agent: *\nDisallow: /',
      'www.acme.test/': 'Home',
    });
    const { failure } = await visit(sites, 'acme.test/');
    expect(failure).toMatch(/^www\.acme\.test does not allow robots/);
    expect(sites.requests).not.toContain('www.acme.test/');
  });

  test('can ask for pauses between requests', async () => {
    await using sites = await startLeadSites(site('User-agent: *\nCrawl-delay: 3'));
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toHaveLength(3);
    // The test never really waits, so each wait includes all the waits before it.
    expect(opened().waits.map((ms) => Math.round(ms / 1_000))).toEqual([3, 6]);
  });
});

describe('site pacing', () => {
  const { signal } = new AbortController();

  test('gives fifty concurrent requests slots one gap apart', async () => {
    const { db } = opened().services;
    const startedMs = performance.now();
    const waits = await Promise.all(
      Array.from({ length: 50 }, () =>
        reserveSlot(db, { domain: 'acme.test', gapMs: 1_000, leftMs: 60_000 }),
      ),
    );
    const tookMs = performance.now() - startedMs;
    const turns = waits.toSorted((a, b) => a - b);
    expect(turns[0]).toBe(0);
    // Each wait is measured from its own call.
    for (const [index, ms] of turns.entries()) {
      expect(ms).toBeGreaterThan(index * 1_000 - tookMs - 5);
      expect(ms).toBeLessThanOrEqual(index * 1_000);
    }
  });

  test('keeps the gap between all requests of two concurrent visits', async () => {
    const slow = { ...opened().services.config, LEAD_REQUEST_GAP_MS: 1_000 };
    const answers = {
      'acme.test/': linking('/contact', '/team'),
      'acme.test/contact': 'a',
      'acme.test/team': 'b',
    };
    await using sites = await startLeadSites(answers);
    const startedMs = performance.now();
    const both = await Promise.all(
      [1, 2].map(() => visit(sites, 'acme.test/', { services: { config: slow } })),
    );
    const tookMs = performance.now() - startedMs;
    expect(both.map(({ paths }) => paths.length)).toEqual([3, 3]);
    // The first slot is immediate; the others are one gap apart, whichever visit gets them.
    const turns = opened().waits.toSorted((a, b) => a - b);
    expect(turns.length).toBeGreaterThanOrEqual(sites.requests.length - 1);
    for (const [index, ms] of turns.entries()) {
      expect(ms).toBeGreaterThan((index + 1) * 1_000 - tookMs - 5);
    }
  });

  test('pauses after the answer of a site that takes longer than the gap', async () => {
    const config = { ...opened().services.config, LEAD_REQUEST_GAP_MS: 500 };
    let before = 0;
    await using sites = await startLeadSites({
      'acme.test/': (_, response) => {
        before = opened().waits.length;
        const answer = (): void => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end(linking('/contact'));
        };
        setTimeout(answer, 700);
      },
      'acme.test/contact': linking('mailto:a@acme.test'),
    });
    const { paths } = await visit(sites, 'acme.test/', { wants: ['email'], services: { config } });
    expect(paths).toHaveLength(2);
    // The slot due 500 ms after the page request had already passed.
    expect(opened().waits).toHaveLength(before + 1);
  });

  test('refuses a slot too far in the future, and the refusal causes no delay', async () => {
    const { db } = opened().services;
    await pauseSite(db, 'acme.test', 50_000);
    for (let time = 0; time < 3; time += 1) {
      const slot = reserveSlot(db, { domain: 'acme.test', gapMs: 20_000, leftMs: 45_000 });
      await expect(slot).rejects.toThrow(SlotTooFar);
    }
    const wait = await reserveSlot(db, { domain: 'acme.test', gapMs: 0, leftMs: 60_000 });
    expect(wait).toBeGreaterThan(40_000);
    expect(wait).toBeLessThanOrEqual(50_000);
  });

  test('caps a pause at one hour, and a shorter pause does not shorten a longer one', async () => {
    const { db } = opened().services;
    await pauseSite(db, 'acme.test', 1e15);
    await pauseSite(db, 'acme.test', 1_000);
    const wait = await reserveSlot(db, { domain: 'acme.test', gapMs: 0, leftMs: 4_000_000 });
    expect(wait).toBeGreaterThan(3_590_000);
    expect(wait).toBeLessThanOrEqual(3_600_000);
  });

  test('waits two seconds for a site that asks for them, then gets its answer', async () => {
    let asked = 0;
    const { paths, failure } = await visitOne((_, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(503, { 'retry-after': '2' }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('Home');
    });
    expect(failure).toBeNull();
    expect(paths[0]).toBe('acme.test/');
    expect(opened().waits[0]).toBeGreaterThan(1_500);
    expect(opened().waits[0]).toBeLessThanOrEqual(2_000);
  });

  test('gives up on a site that is busy twice', async () => {
    const { failure } = await visitOne({ status: 429 });
    expect(failure).toBe('acme.test answered 429: too busy for now.');
  });

  test('does not contact a site on the next visit either when it asked for an hour', async () => {
    await using sites = await startLeadSites({
      'acme.test/': { status: 429, headers: { 'retry-after': '7200' } },
      'shop.acme.test/': 'Shop',
    });
    const first = await visit(sites, 'acme.test/');
    expect(first.failure).toMatch(/^acme\.test accepts requests again only in 60 minutes/);
    const before = sites.requests.length;
    const second = await visit(sites, 'shop.acme.test/');
    expect(second.failure).toMatch(/^acme\.test accepts requests again only in 60 minutes/);
    expect(sites.requests).toHaveLength(before);
    expect(opened().waits).toEqual([]);
  });

  test('ends the visit with the pages read so far when a later page asks for a long pause', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/team'),
      'acme.test/contact': {
        status: 503,
        headers: { 'retry-after': 'Wed, 01 Jan 2121 00:00:00 GMT' },
      },
      'acme.test/team': 'Team',
    });
    const { paths, failure } = await visit(sites, 'acme.test/');
    expect({ paths, failure }).toEqual({ paths: ['acme.test/'], failure: null });
  });

  test('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    await pauseSite(opened().services.db, 'acme.test', 30_000);
    const wait = (_: number, waiting: AbortSignal): Promise<void> => {
      stop.abort(new Error('canceled'));
      return Promise.reject(waiting.reason as Error);
    };
    await using sites = await startLeadSites({ 'acme.test/': 'Home' });
    const visiting = visit(sites, 'acme.test/', { signal: stop.signal, services: { wait } });
    await expect(visiting).rejects.toThrow('canceled');
    expect(sites.requests).toEqual([]);
    expect(signal.aborted).toBe(false);
  });
});
