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
      'that forbids all',
      'User-agent: *\nDisallow: /',
      /^acme\.test does not allow robots to read \/ \(robots\.txt\)/,
    ],
    ['of a server error', 500, /^acme\.test answered 500 for its robots\.txt/],
    [
      'that is not answered',
      (request) => void request.socket.destroy(),
      /^acme\.test closed the connection/,
    ],
    [
      'that leads round in circles',
      { status: 301, headers: { location: '/robots.txt' } },
      /^acme\.test redirected more than 5 times/,
    ],
    [
      'that leads to an inner address',
      { status: 301, headers: { location: 'http://inner.test/robots.txt' } },
      /^acme\.test may not be reached from here, or it leads to/,
    ],
    [
      'that asks to be left alone',
      { status: 503, headers: { 'retry-after': '900' } },
      /^acme\.test answered 503/,
    ],
  ])('%s: no page is asked for', async (_, robots, sentence) => {
    await using sites = await startLeadSites(site(robots));
    const { failure, pages } = await visit(sites, 'acme.test/');
    expect(failure).toMatch(sentence);
    expect(pages).toEqual([]);
    expect(sites.pages().filter((page) => !page.startsWith('inner'))).toEqual([]);
  });

  test.each<[string, SiteAnswer]>([
    ['that is not there', 404],
    ['behind a sign-in', 401],
    ['after five redirects', { status: 301, headers: { location: '/1' } }],
  ])('%s: the site is read', async (_, robots) => {
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

  test('is asked for once a host, and each page is held against it', async () => {
    await using sites = await startLeadSites(site('User-agent: Millrace\nDisallow: /team'));
    const first = await visit(sites, 'acme.test/');
    const second = await visit(sites, 'acme.test/');
    expect(first.paths).toEqual(['acme.test/', 'acme.test/contact']);
    expect(second.paths).toEqual(first.paths);
    expect(sites.requests.filter((request) => request.endsWith('robots.txt'))).toHaveLength(1);
    expect([...sites.userAgents]).toEqual(['Millrace/test (+https://millrace.example)']);
  });

  test('of the host that a page moves to is asked before it is read there', async () => {
    await using sites = await startLeadSites({
      'acme.test/': { status: 301, headers: { location: 'http://{www.acme.test}/' } },
      'www.acme.test/robots.txt': 'User-agent: *\nDisallow: /',
      'www.acme.test/': 'Home',
    });
    const { failure } = await visit(sites, 'acme.test/');
    expect(failure).toMatch(/^www\.acme\.test does not allow robots/);
    expect(sites.requests).not.toContain('www.acme.test/');
  });

  test('may ask for pauses between requests', async () => {
    await using sites = await startLeadSites(site('User-agent: *\nCrawl-delay: 3'));
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toHaveLength(3);
    // Nothing really waits here, so that each turn is as far away as all before it together.
    expect(opened().waits.map((ms) => Math.round(ms / 1_000))).toEqual([3, 6]);
  });
});

describe('pace', () => {
  const { signal } = new AbortController();

  test('fifty who ask at once get turns that are a gap apart', async () => {
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
    // Each wait counts from its own question.
    for (const [index, ms] of turns.entries()) {
      expect(ms).toBeGreaterThan(index * 1_000 - tookMs - 5);
      expect(ms).toBeLessThanOrEqual(index * 1_000);
    }
  });

  test('two visits at once keep the gap between all of their requests', async () => {
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
    // The first turn is at once; all others are a gap apart, however the two took turns.
    const turns = opened().waits.toSorted((a, b) => a - b);
    expect(turns.length).toBeGreaterThanOrEqual(sites.requests.length - 1);
    for (const [index, ms] of turns.entries()) {
      expect(ms).toBeGreaterThan((index + 1) * 1_000 - tookMs - 5);
    }
  });

  test('a site that takes longer than the gap has its pause after its answer', async () => {
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
    // The turn that came 500 ms after the first page's own had long been there.
    expect(opened().waits).toHaveLength(before + 1);
  });

  test('a turn that is too far away is refused, and nobody waits longer for it', async () => {
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

  test('a pause is an hour at most, and a shorter one takes nothing from a longer', async () => {
    const { db } = opened().services;
    await pauseSite(db, 'acme.test', 1e15);
    await pauseSite(db, 'acme.test', 1_000);
    const wait = await reserveSlot(db, { domain: 'acme.test', gapMs: 0, leftMs: 4_000_000 });
    expect(wait).toBeGreaterThan(3_590_000);
    expect(wait).toBeLessThanOrEqual(3_600_000);
  });

  test('a site that asks for two seconds gets them, and then answers', async () => {
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

  test('a site that is busy twice is left alone', async () => {
    const { failure } = await visitOne({ status: 429 });
    expect(failure).toBe('acme.test answered 429: too busy for now.');
  });

  test('a site that asks for an hour is not asked by the next visit either', async () => {
    await using sites = await startLeadSites({
      'acme.test/': { status: 429, headers: { 'retry-after': '7200' } },
      'shop.acme.test/': 'Shop',
    });
    const first = await visit(sites, 'acme.test/');
    expect(first.failure).toMatch(/^acme\.test may be asked again only in 60 minutes/);
    const before = sites.requests.length;
    const second = await visit(sites, 'shop.acme.test/');
    expect(second.failure).toMatch(/^acme\.test may be asked again only in 60 minutes/);
    expect(sites.requests).toHaveLength(before);
    expect(opened().waits).toEqual([]);
  });

  test('a pause that is asked for later ends the visit with what there is', async () => {
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

  test('waiting ends with the signal', async () => {
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
