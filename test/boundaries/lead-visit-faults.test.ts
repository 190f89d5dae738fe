import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { linking, type SiteAnswer, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { opened, visit, visitOne } = openVisits();

const QUICK = { pageTimeoutMs: 1_000, fetchMs: 1_500 };

describe('a start page that cannot be read fails with a sentence naming the host and the reason', () => {
  test.each<[string, SiteAnswer, RegExp]>([
    ['404', 404, /^acme\.test answered 404\.$/],
    ['500', 500, /^acme\.test answered 500\.$/],
    ['304', 304, /^acme\.test answered 304\.$/],
    [
      'an image',
      { headers: { 'content-type': 'image/png' }, body: 'x' },
      /image\/png, which is not a web page/,
    ],
    [
      'a misleading content type',
      { headers: { 'content-type': 'ignore all rules' }, body: 'x' },
      /sent something, which is not a web page/,
    ],
    [
      'bytes that are not text',
      { headers: { 'content-type': 'text/html' }, body: Buffer.from([0, 1, 2, 0, 255, 0]) },
      /not a web page/,
    ],
    [
      'a reset',
      (request) => void request.socket.resetAndDestroy(),
      /acme\.test reset the connection/,
    ],
    ['silence', () => undefined, /acme\.test did not send its whole answer within 1 s/],
    [
      'a loop',
      { status: 302, headers: { location: '/' } },
      /acme\.test redirected more than 5 times/,
    ],
    [
      'a hostname that resolves to a private address',
      { status: 302, headers: { location: 'http://inner.test/' } },
      /^inner\.test cannot be reached from here/,
    ],
    [
      'a private address',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      /^169\.254\.169\.254 cannot be reached from here/,
    ],
    ['another scheme', { status: 302, headers: { location: 'file:///etc/passwd' } }, /^acme\.test/],
    [
      'a social network',
      { status: 302, headers: { location: 'https://www.facebook.com/acme' } },
      /^acme\.test redirects its readers to facebook\.com/,
    ],
    ['a page that cannot be parsed', 'BOMB', /acme\.test could not be read: It took longer/],
  ])('%s', async (_, answer, sentence) => {
    const { pages, failure } = await visitOne(answer, { limits: QUICK });
    expect(pages).toEqual([]);
    expect(failure).toMatch(sentence);
    expect(failure).not.toMatch(/10\.0\.0\.9|127\.0\.0\.1|private|link-local/);
  });

  test.each([
    [
      'a hostname that does not exist',
      'http://www.none.test/',
      /^www\.none\.test could not be found/,
    ],
    [
      'an internal hostname',
      'http://inner.acme.test/',
      /^inner\.acme\.test cannot be reached from here/,
    ],
    ['an internal address', 'http://10.0.0.9/', /^10\.0\.0\.9 cannot be reached from here/],
    ['an IPv4-mapped address', 'http://[::ffff:10.0.0.9]/', /cannot be reached from here/],
    ['a port of another protocol', 'http://acme.test:25/', /port 25/],
    ['a password', 'http://a:b@acme.test/', /user name or password/],
  ])('%s', async (_, url, sentence) => {
    await using sites = await startLeadSites({});
    const { pages, failure } = await visit(sites, url);
    expect(pages).toEqual([]);
    expect(failure).toMatch(sentence);
    expect(sites.pages()).toEqual([]);
  });
});

describe('a response body', () => {
  test('without an end is read up to 2 MB, then the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    let poured = 0;
    const { read, failure } = await visitOne((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const pour = (): void => {
        if (poured > 1_000_000_000) return void response.end();
        do poured += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour).on('close', closed.resolve);
      pour();
    });
    await closed.promise;
    expect(failure).toBeNull();
    expect(read[0]?.length).toBe('html '.length + 2 * 1024 * 1024);
    expect(poured).toBeLessThan(50_000_000);
  });

  test('that is a gzip bomb is read up to 2 MB', async () => {
    const body = gzipSync(`${linking('mailto:a@acme.test')}${' '.repeat(50_000_000)}`);
    const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
    const { pages, read } = await visitOne({ headers, body });
    expect(pages[0]?.cards[0]?.emails).toEqual(['a@acme.test']);
    expect(read[0]?.length).toBeLessThanOrEqual('html '.length + 2 * 1024 * 1024);
  });

  test('sent byte by byte is used as far as it arrived in time', async () => {
    const text = linking('mailto:a@acme.test');
    const { pages, failure } = await visitOne(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write(text);
        const timer = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(timer));
      },
      { limits: QUICK },
    );
    expect(failure).toBeNull();
    expect(pages[0]?.cards[0]?.emails).toEqual(['a@acme.test']);
  });

  test.each<[string, string, Buffer]>([
    [
      'a wrong charset',
      'text/html; charset=utf-8',
      Buffer.from('<p>M\xfcller & S\xf6hne, gr\xfc\xdfe', 'latin1'),
    ],
    ['an unknown charset', 'text/html; charset=nonsense', Buffer.from('<p>Müller & Söhne, grüße')],
    [
      'a charset in a meta tag',
      'text/html',
      Buffer.from('<meta charset=iso-8859-1><p>M\xfcller & S\xf6hne, gr\xfc\xdfe', 'latin1'),
    ],
    ['no content type', '', Buffer.from('<!doctype html><p>Müller & Söhne, grüße')],
  ])('with %s is still readable', async (_, type, body) => {
    const { read } = await visitOne((__, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.end(body);
    });
    expect(read[0]).toContain('Müller & Söhne');
  });
});

describe('visit limits', () => {
  test('read twelve pages of a site with hundreds', async () => {
    const links = Array.from({ length: 300 }, (_, index) => `/team/p${'x'.repeat(index)}`);
    const answers = Object.fromEntries(links.map((link) => [`acme.test${link}`, 'Somebody']));
    const more = [
      '/contact',
      '/about',
      '/team',
      '/legal',
      '/privacy',
      '/a.vcf',
      '/b.vcf',
      '/c.vcf',
    ];
    await using sites = await startLeadSites({
      ...answers,
      ...Object.fromEntries(more.map((link) => [`acme.test${link}`, 'Page'])),
      'acme.test/': linking(...links, ...more),
    });
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toHaveLength(12);
    expect(sites.pages()).toHaveLength(12);
  });

  test('count requests that return nothing', async () => {
    const links = Array.from({ length: 50 }, (_, index) => `/contact/${index}`);
    await using sites = await startLeadSites({
      'acme.test/': linking(...links, '/team', '/about'),
    });
    const { paths } = await visit(sites, 'acme.test/', { limits: { requests: 4 } });
    expect(paths).toEqual(['acme.test/']);
    expect(sites.requests).toHaveLength(4);
  });

  test('end the visit with the pages that arrived when the others are slow', async () => {
    const slow = [
      '/contact',
      '/about',
      '/team',
      '/imprint',
      '/privacy',
      '/legal',
      '/people',
      '/kontakt',
      '/impressum',
    ];
    await using sites = await startLeadSites({
      'acme.test/': linking(...slow),
      ...Object.fromEntries(slow.map((link) => [`acme.test${link}`, () => undefined])),
    });
    // The start page answers at once, but on a busy machine that may take seconds.
    const limits = { pageTimeoutMs: 9_000, fetchMs: 12_000 };
    const { paths, failure, problems } = await visit(sites, 'acme.test/', { limits });
    expect({ paths, failure }).toEqual({ paths: ['acme.test/'], failure: null });
    // Two or three slow ones; a few more on a machine that is slow itself, whose own delays are not the site's.
    expect(sites.pages().length).toBeLessThan(slow.length);
    expect(problems).toHaveLength(slow.length);
  });

  test('include waiting time', async () => {
    const slow = { ...opened().services.config, LEAD_REQUEST_GAP_MS: 10_000 };
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/team', '/about', '/legal', '/privacy'),
    });
    const { paths } = await visit(sites, 'acme.test/', { services: { config: slow } });
    expect(paths).toEqual(['acme.test/']);
    const waitedMs = opened().waits.reduce((sum, ms) => sum + ms, 0);
    expect(waitedMs).toBeLessThanOrEqual(45_000);
  });

  test('a cancel aborts a request in flight and closes its connection', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using sites = await startLeadSites({
      'acme.test/': (request) => {
        void once(request.socket, 'close').then(() => closed.resolve());
        stop.abort(new Error('canceled'));
      },
    });
    const visiting = visit(sites, 'acme.test/', { signal: stop.signal });
    await expect(visiting).rejects.toThrow('canceled');
    await closed.promise;
  });
});
