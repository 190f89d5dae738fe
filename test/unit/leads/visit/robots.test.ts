import { describe, expect, test } from 'vitest';
import { createRobotsCache, type OriginRobots } from '#src/leads/visit/robots.ts';
import { type HttpClient, OutboundError } from '#src/platform/http.ts';
import { readRobotsFile } from '#src/platform/robots-file.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const ORIGIN = 'https://acme.example';
const robotsOf = (text: string) => readRobotsFile(`${ORIGIN}/robots.txt`, Buffer.from(text));
const allows = (text: string, path: string): boolean =>
  robotsOf(text).isAllowed(`${ORIGIN}${path}`);

interface Answer {
  status?: number;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** The address after redirects. */
  url?: string;
  isCut?: boolean;
}

/** A client that gives these answers in order and repeats the last. */
function answering(...answers: (Answer | Error)[]) {
  const asked: string[] = [];
  const http: HttpClient = {
    guard: { addressesOf: () => Promise.resolve([]) },
    send({ url }) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(url);
      if (answer instanceof Error) return Promise.reject(answer);
      const bytes = Buffer.from(answer?.body ?? '');
      return Promise.resolve({
        status: answer?.status ?? 200,
        url: answer?.url ?? url,
        headers: new Headers(answer?.headers),
        bytes,
        isCut: answer?.isCut ?? false,
        text: () => bytes.toString(),
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { http, asked };
}

const options = { signal: new AbortController().signal, timeoutMs: 10_000 };

function fetchOnce(answer: Answer | Error): Promise<OriginRobots> {
  return createRobotsCache(answering(answer).http).fetch(`${ORIGIN}/team`, options);
}

describe('an answer without a robots.txt file', () => {
  test.each([
    ['a server error', { status: 500 }],
    ['an overload', { status: 503 }],
    ['too many requests', { status: 429 }],
    ['a timeout of the server', { status: 408 }],
    ['a redirect without a target', { status: 302 }],
    ['a truncated file', { body: 'User-agent: *\nDisallow: /a', isCut: true }],
    ['no connection', new OutboundError('network', 'acme.example refused the connection.')],
    ['a loop', new OutboundError('too-many-redirects', 'acme.example redirected too often.')],
    ['silence', new OutboundError('timeout', 'acme.example did not answer.')],
  ])('such as %s forbids everything and names the host', async (_, answer) => {
    const robots = await fetchOnce(answer);
    expect(robots.isAllowed(`${ORIGIN}/`)).toBe(false);
    expect(robots.failure).toContain('acme.example');
  });

  test.each([400, 401, 403, 404, 410, 418])('with status %d forbids nothing', async (status) => {
    const robots = await fetchOnce({ status, body: 'User-agent: *\nDisallow: /' });
    expect(robots).toMatchObject({ failure: null, crawlDelayMs: 0, sitemaps: [] });
    expect(robots.isAllowed(`${ORIGIN}/team`)).toBe(true);
  });

  test('passes on how long the site asks for a pause', async () => {
    const robots = await fetchOnce({ status: 503, headers: { 'retry-after': '120' } });
    expect(robots.pauseMs).toBe(120_000);
  });

  test('reveals no internal address and no library message', async () => {
    const refused = new OutboundError('refused', 'acme.example resolves to a private address.');
    const odd = new OutboundError('network', 'acme.example could not be called: EACCES 10.0.0.9', {
      code: 'EACCES',
    });
    expect((await fetchOnce(refused)).failure).not.toMatch(/private/);
    expect((await fetchOnce(odd)).failure).toBe('acme.example could not be called (EACCES).');
  });

  test('is not made of an abort, and unexpected errors are not swallowed', async () => {
    const { http } = answering(new TypeError('broken'));
    const stop = new AbortController();
    const cache = createRobotsCache(http);
    await expect(cache.fetch(ORIGIN, options)).rejects.toThrow('broken');
    stop.abort(new Error('stopped'));
    await expect(cache.fetch(ORIGIN, { ...options, signal: stop.signal })).rejects.toThrow(
      'stopped',
    );
    expect(cache.known(ORIGIN)).toBeNull();
  });
});

describe('rules', () => {
  test.each([
    [
      'the longest rule wins',
      'User-agent: *\nDisallow: /team\nAllow: /team/open',
      '/team/open/1',
      true,
    ],
    ['of equal rules, the one that allows', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    [
      'a group for us excludes the others',
      'User-agent: *\nDisallow: /\n\nUser-agent: millrace\nDisallow: /x',
      '/team',
      true,
    ],
    [
      'names match in any case, with a version',
      'User-agent: MILLRACE/2.0\nDisallow: /',
      '/',
      false,
    ],
    [
      'names end where more is written after them',
      'User-agent: Millrace bot\nDisallow: /',
      '/',
      false,
    ],
    [
      'a longer robot name that starts like ours is not ours',
      'User-agent: MillraceImages\nDisallow: /',
      '/',
      true,
    ],
    [
      'groups of one robot are merged',
      'User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: *\nDisallow: /b',
      '/b',
      false,
    ],
    ['robots in a row share a group', 'User-agent: x\nUser-agent: *\nDisallow: /', '/', false],
    [
      'a sitemap between them does not separate them',
      'User-agent: *\nSitemap: /s.xml\nUser-agent: x\nDisallow: /',
      '/',
      false,
    ],
    [
      'nor does an unknown record',
      'User-agent: *\nNoise: 1\nUser-agent: x\nDisallow: /',
      '/',
      false,
    ],
    ['rules before any group are ignored', 'Disallow: /\nUser-agent: x\nDisallow: /', '/', true],
    ['an empty rule forbids nothing', 'User-agent: *\nDisallow:', '/', true],
    ['a star and an end', 'User-agent: *\nDisallow: /*.php$', '/a/b.php', false],
    ['an end that does not match', 'User-agent: *\nDisallow: /*.php$', '/a/b.php5', true],
    ['percent codes in any case', 'User-agent: *\nDisallow: /%C3%BCber', '/%c3%bcber', false],
    ['unencoded characters', 'User-agent: *\nDisallow: /über', '/%C3%BCber', false],
    ['unnecessary codes', 'User-agent: *\nDisallow: /%74eam', '/te%61m', false],
    [
      'a byte order mark and old line endings',
      '\uFEFFUser-agent: *\rDisallow: /a\r\nDisallow: /b',
      '/a',
      false,
    ],
    ['comments', 'User-agent: * # all\nDisallow: /a # the team', '/a', false],
    ['a page sent in its place', '<!doctype html><a href="x:y">User-agent: *</a>', '/', true],
  ])('%s', (_, text, path, isAllowed) => {
    expect(allows(text, path)).toBe(isAllowed);
  });

  test('do not apply to other origins', () => {
    const robots = robotsOf('User-agent: *\nDisallow: /');
    expect(robots.isAllowed('http://acme.example/')).toBe(true);
    expect(robots.isAllowed('https://other.example/')).toBe(true);
  });

  test.each([
    ['2.5', 2_500],
    ['86400', 10_000],
    ['Infinity', 10_000],
    ['-5', 0],
    ['soon', 0],
  ])('of a crawl delay of %s cause %d ms', (delay, ms) => {
    expect(robotsOf(`User-agent: *\nCrawl-delay: ${delay}`).crawlDelayMs).toBe(ms);
  });

  test('are read up to 500 KiB, without a truncated last rule', async () => {
    const head = 'User-agent: *\nDisallow: /first\n';
    const filler = `${head}${'# filler\n'.repeat(60_000)}`;
    const early = `${filler.slice(0, 510_000)}\nDisallow: /within\n`;
    expect(allows(early, '/within')).toBe(false);
    const cut = `${filler.slice(0, 524_288 - 13)}\nDisallow: /a`;
    expect(Buffer.byteLength(cut)).toBe(524_288);
    const robots = await fetchOnce({ body: cut, isCut: true });
    expect(robots.failure).toBeNull();
    expect(robots.isAllowed(`${ORIGIN}/first`)).toBe(false);
    expect(robots.isAllowed(`${ORIGIN}/about`)).toBe(true);
  });

  test.each([
    ['wildcards', `User-agent: *\n${`Disallow: /${'*a'.repeat(30)}*b\n`.repeat(8_000)}`],
    ['one endless line', 'allow'.repeat(100_000)],
    ['colons', ':'.repeat(500_000)],
    ['line ends', '\r'.repeat(500_000)],
  ])('in %s are read quickly', (_, text) => {
    expect(cpuMsOf(() => allows(text, `/${'a'.repeat(1_900)}`))).toBeLessThan(5_000);
  });
});

describe('the cache', () => {
  test('asks each origin once in half a day', async () => {
    const { http, asked } = answering({ body: 'User-agent: *\nDisallow: /a' });
    let nowMs = 0;
    const cache = createRobotsCache(http, () => nowMs);
    expect(cache.known(`${ORIGIN}/a`)).toBeNull();
    await cache.fetch(`${ORIGIN}/a`, options);
    nowMs += 11 * 3_600_000;
    expect(cache.known(`${ORIGIN}/b`)?.isAllowed(`${ORIGIN}/a`)).toBe(false);
    expect(cache.known('http://acme.example/b')).toBeNull();
    nowMs += 2 * 3_600_000;
    expect(cache.known(`${ORIGIN}/b`)).toBeNull();
    expect(asked).toEqual([`${ORIGIN}/robots.txt`]);
  });

  test('forgets a failure soon, and immediately when our own deadline caused it', async () => {
    const { http } = answering(
      { status: 500 },
      new OutboundError('timeout', 'acme.example did not answer.'),
    );
    let nowMs = 0;
    const cache = createRobotsCache(http, () => nowMs);
    await cache.fetch(ORIGIN, options);
    nowMs += 50_000;
    expect(cache.known(ORIGIN)?.failure).toContain('500');
    nowMs += 20_000;
    expect(cache.known(ORIGIN)).toBeNull();
    await cache.fetch(ORIGIN, { ...options, timeoutMs: 300 });
    expect(cache.known(ORIGIN)).toBeNull();
    await cache.fetch(ORIGIN, options);
    expect(cache.known(ORIGIN)?.failure).toContain('did not answer');
  });

  test('also serves the origin that redirected to the file', async () => {
    const { http } = answering({
      url: 'https://www.acme.example/robots.txt',
      body: 'User-agent: *\nDisallow: /a',
    });
    const cache = createRobotsCache(http);
    await cache.fetch(ORIGIN, options);
    for (const origin of [ORIGIN, 'https://www.acme.example']) {
      expect(cache.known(origin)?.isAllowed(`${origin}/a`)).toBe(false);
    }
    const elsewhere = answering({ url: 'https://www.acme.example/rules', body: '' });
    const other = createRobotsCache(elsewhere.http);
    await other.fetch(ORIGIN, options);
    expect(other.known('https://www.acme.example')).toBeNull();
  });

  test('follows a redirect only after its turn, five at most', async () => {
    const moved = { status: 301, headers: { location: 'https://www.acme.example/robots.txt' } };
    const turns: string[] = [];
    const beforeHop = (url: string): Promise<void> => Promise.resolve(void turns.push(url));
    const { http, asked } = answering(moved, { body: 'User-agent: *\nDisallow: /a' });
    const robots = await createRobotsCache(http).fetch(ORIGIN, { ...options, beforeHop });
    expect(robots.isAllowed(`${ORIGIN}/a`)).toBe(false);
    expect(turns).toEqual(['https://www.acme.example/robots.txt']);
    expect(asked).toEqual([`${ORIGIN}/robots.txt`, ...turns]);
    const endless = answering(moved);
    const lost = await createRobotsCache(endless.http).fetch(ORIGIN, options);
    expect(lost.failure).toContain('redirected more than 5 times');
    expect(endless.asked).toHaveLength(6);
  });

  test('a cancel before a redirect is followed ends the request', async () => {
    const { http, asked } = answering({ status: 302, headers: { location: '/rules' } });
    const beforeHop = (): Promise<void> => Promise.reject(new Error('The scrape is canceled.'));
    const cache = createRobotsCache(http);
    await expect(cache.fetch(ORIGIN, { ...options, beforeHop })).rejects.toThrow('canceled');
    expect(asked).toHaveLength(1);
    expect(cache.known(ORIGIN)).toBeNull();
  });

  test('evicts the least recently used entry when it is full', async () => {
    const { http } = answering({ body: `# ${'x'.repeat(500_000)}` });
    const cache = createRobotsCache(http);
    for (let index = 0; index < 40; index += 1) {
      await cache.fetch(`https://s${index}.example/`, options);
      expect(cache.known('https://s0.example/')).not.toBeNull();
    }
    expect(cache.known('https://s1.example/')).toBeNull();
    expect(cache.known('https://s39.example/')).not.toBeNull();
  });
});
