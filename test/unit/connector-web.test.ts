import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ConnectorPage } from '#src/connectors/connector.ts';
import { web } from '#src/connectors/web.ts';
import { startFixture } from '#test/fixtures/connectors/web.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { type FakeAnswer, type FakeSource, startFakeSource } from '#test/support/fake-source.ts';

/** A site of fixed answers; a string is an HTML page. */
function startSite(pages: Record<string, string | FakeAnswer>): Promise<FakeSource> {
  return startFakeSource(({ url }) => {
    const page = pages[`${url.pathname}${url.search}`];
    if (page === undefined) return { status: 404, body: 'Not found' };
    return typeof page === 'string' ? html(page) : page;
  });
}

function html(body: string, headers: Record<string, string> = {}): FakeAnswer {
  return { body, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } };
}

function page(title: string, links: string[] = [], head = ''): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  return `<!doctype html><title>${title}</title>${head}<body><nav>${anchors}</nav><main><p>Text of ${title}.</p></main>`;
}

function poll(
  test: TestContext,
  settings: Record<string, unknown>,
  checkpoint: unknown = null,
): AsyncIterable<ConnectorPage<unknown>> {
  return web.poll(web.settings.parse(settings), {}, checkpoint, test.context);
}

async function crawl(test: TestContext, settings: Record<string, unknown>) {
  const pages = await collectPages(poll(test, settings), test);
  const [documents, unchanged, skipped, failures, removed] = [
    pages.flatMap((step) => step.documents),
    pages.flatMap((step) => step.unchanged),
    pages.flatMap((step) => step.skipped),
    pages.flatMap((step) => step.failures),
    pages.flatMap((step) => step.removed),
  ];
  return {
    pages,
    documents,
    unchanged,
    skipped,
    failures,
    removed,
    paths: documents.map(({ id }) => id.replace(/^https?:\/\/[^/]+/, '')).toSorted(),
    reasons: skipped.map(({ reason }) => reason).toSorted(),
  };
}

const pathsOf = (site: FakeSource): string[] =>
  site.requests.map(({ url }) => `${url.pathname}${url.search}`);

describe('what is in the way of a crawl', () => {
  test('a page that keeps failing is its own failure, and the crawl goes on', async () => {
    await using site = await startSite({
      '/': page('Home', ['/bad', '/good']),
      '/bad': { status: 500, body: 'Oops' },
      '/good': page('Good'),
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.paths).toEqual(['/', '/good']);
    expect(result.failures).toMatchObject([
      {
        documentId: `${site.url}/bad`,
        link: `${site.url}/bad`,
        reason: expect.stringMatching(/500.*Oops/),
      },
    ]);
  });

  test('a site that goes away is no list of failures: the run waits', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `/p${index}`);
    await using site = await startSite({ '/': page('Home', names) });
    let isUp = true;
    site.fault = ({ url }) => {
      if (url.pathname.startsWith('/p')) isUp = false;
      return isUp ? null : { kind: 'status', status: 502 };
    };
    await using test = openTestContext();
    const pages: ConnectorPage<unknown>[] = [];
    const reading = (async () => {
      for await (const step of poll(test, { base_url: site.url })) pages.push(step);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'SourceUnavailable' });
    expect(pages.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test('a section of broken pages does not stop the crawl of a site that is there', async () => {
    const broken = Array.from({ length: 20 }, (_, index) => `/bad${index}`);
    await using site = await startSite({
      '/': page('Home', [...broken, '/good']),
      '/good': page('Good'),
    });
    site.fault = ({ url }) =>
      url.pathname.startsWith('/bad') ? { kind: 'status', status: 500 } : null;
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.failures).toHaveLength(20);
    expect(result.paths).toEqual(['/', '/good']);
  });

  test('a base URL that is not there, or leads to a private address, ends the run with the reason', async () => {
    await using site = await startSite({});
    await using test = openTestContext();
    await expect(crawl(test, { base_url: `${site.url}/none` })).rejects.toMatchObject({
      name: 'SourceRefused',
      message: expect.stringContaining('/none'),
    });
    site.fault = ({ url }) =>
      url.pathname === '/robots.txt' ? null : { kind: 'redirect', location: 'http://10.0.0.1/' };
    await expect(crawl(test, { base_url: site.url })).rejects.toMatchObject({
      name: 'SourceRefused',
    });
  });

  test('robots.txt that cannot be read forbids everything for the time being', async () => {
    await using site = await startSite({ '/': page('Home') });
    site.fault = ({ url }) =>
      url.pathname === '/robots.txt' ? { kind: 'status', status: 503 } : null;
    await using test = openTestContext();
    await expect(crawl(test, { base_url: site.url })).rejects.toMatchObject({
      name: 'SourceUnavailable',
    });
    expect(pathsOf(site).filter((path) => path !== '/robots.txt')).toEqual([]);
  });

  test('a crawl that is stopped ends at once', async () => {
    await using site = await startSite({
      '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 9' },
      '/': page('Home', ['/a', '/b', '/c']),
    });
    const stop = new AbortController();
    await using test = openTestContext({ signal: stop.signal });
    const startedMs = performance.now();
    const reading = collectPages(poll(test, { base_url: site.url }), test);
    void sleep(50).then(() => stop.abort(new Error('stopped')));
    await expect(reading).rejects.toThrow(/stopped|aborted/);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  test('pages behind a sign-in are skipped, and a page that was read before and is not any more fails', async () => {
    const pages: Record<string, string | FakeAnswer> = {
      '/': page('Home', ['/secret', '/open']),
      '/secret': { status: 401 },
      '/open': page('Open'),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    const first = await crawl(test, { base_url: site.url });
    expect(first.reasons).toEqual(['the site asks for a sign-in']);
    pages['/open'] = { status: 403 };
    const second = await crawl(test, { base_url: site.url });
    expect(second.failures).toMatchObject([{ documentId: `${site.url}/open` }]);
  });
});

describe('what belongs to a crawl', () => {
  test('links below the base path on the same host, each page once', async () => {
    await using site = await startSite({
      '/docs/': page('Docs', [
        '/docs/a',
        'a/#part',
        '/docs/a?utm_source=x',
        '/docs-old/',
        '/',
        'http://elsewhere.example/docs/',
        'mailto:x@y.example',
        'photo.jpg',
      ]),
      '/docs/a': page('A', ['./b?tab=1', '/docs']),
      '/docs/b?tab=1': page('B'),
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: `${site.url}/docs/` });
    expect(result.paths).toEqual(['/docs/', '/docs/a', '/docs/b?tab=1']);
    expect(result.skipped).toEqual([]);
    expect(pathsOf(site)).toEqual(['/robots.txt', '/docs/', '/docs/a', '/docs/b?tab=1']);
  });

  test('a base URL that moved takes the crawl along; a page that leaves is skipped; redirects meet once', async () => {
    await using site = await startSite({
      '/start': { status: 301, headers: { location: '/guide/' } },
      '/guide/': page('Guide', ['one', 'uno', 'away']),
      '/guide/one': page('One'),
      '/guide/uno': { status: 302, headers: { location: '/guide/one' } },
      '/guide/away': { status: 302, headers: { location: '/shop' } },
      '/shop': page('Shop'),
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: `${site.url}/start` });
    expect(result.paths).toEqual(['/guide/', '/guide/one']);
    expect(result.reasons).toEqual([
      'redirects to a page outside of the base URL',
      'the same page as another one',
    ]);
  });

  test('a canonical address is the id, in whichever order the pages come', async () => {
    const canonical = '<link rel="canonical" href="/item">';
    await using site = await startSite({
      '/': page('Home', ['/item?sort=up', '/item', '/deep?x=1']),
      '/item': page('Item', [], canonical),
      '/item?sort=up': page('Item sorted', [], canonical),
      '/deep?x=1': page('Deep', [], '<link rel="canonical" href="/">'),
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.documents.map(({ id, title }) => [id.replace(site.url, ''), title])).toEqual([
      ['/', 'Home'],
      ['/item', 'Item'],
      // A canonical address that is the home page on every page is a mistake.
      ['/deep?x=1', 'Deep'],
    ]);
    expect(result.reasons).toEqual(['a page with another canonical address']);
  });

  test('pages that name each other as canonical are indexed once', async () => {
    await using site = await startSite({
      '/': page('Home', ['/a', '/b']),
      '/a': page('A', [], '<link rel="canonical" href="/b">'),
      '/b': page('B', [], '<link rel="canonical" href="/a">'),
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.paths).toHaveLength(2);
    expect(result.skipped).toHaveLength(1);
  });

  test('robots.txt, noindex and nofollow are heeded, in tags and headers, unless that is turned off', async () => {
    const pages = {
      '/robots.txt': {
        body: 'User-agent: millrace\nDisallow: /private/\n\nUser-agent: *\nDisallow: /',
      },
      '/': page('Home', ['/private/x', '/hidden', '/header', '/dead-end', '/other-robot']),
      '/private/x': page('Private'),
      '/hidden': page('Hidden', ['/behind'], '<meta name="robots" content="noindex">'),
      '/behind': page('Behind'),
      '/header': html(page('Header'), { 'x-robots-tag': 'noindex' }),
      '/dead-end': page(
        'Dead end',
        ['/never'],
        '<meta name="ROBOTS" content="NoFollow, max-snippet:5">',
      ),
      '/never': page('Never'),
      '/other-robot': html(page('Other'), { 'x-robots-tag': 'otherbot: noindex, nofollow' }),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.paths).toEqual(['/', '/behind', '/dead-end', '/other-robot']);
    expect(result.reasons).toEqual(['noindex', 'noindex', 'robots.txt does not allow it']);
    await using rude = openTestContext();
    const all = await crawl(rude, { base_url: site.url, respect_robots_txt: false });
    expect(all.paths).toHaveLength(8);
  });

  test('texts and files are read, what is no text is skipped', async () => {
    await using site = await startSite({
      '/': page('Home', ['/notes.md', '/plain', '/broken.pdf', '/movie', '/gateway']),
      '/notes.md': { body: '# Notes\n\nWords.', headers: { 'content-type': 'text/plain' } },
      '/plain': { body: 'Just words.', headers: { 'content-type': 'text/plain; charset=utf-8' } },
      '/broken.pdf': { body: 'no pdf', headers: { 'content-type': 'application/pdf' } },
      '/movie': { body: 'xx', headers: { 'content-type': 'video/mp4' } },
      '/gateway': { body: '<html>Gateway', headers: { 'content-type': 'application/json' } },
    });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url });
    expect(result.documents.map(({ title }) => title)).toEqual(['Home', 'Notes', 'plain.txt']);
    expect(result.reasons).toEqual(['not a readable type']);
    expect(result.failures.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('broken.pdf'),
      expect.stringContaining('is not what its content type'),
    ]);
  });

  test('page and depth limits hold, and say so', async () => {
    await using site = await startSite({
      '/': page('0', ['/1', '/x', '/y']),
      '/1': page('1', ['/2']),
      '/2': page('2', ['/3']),
      '/x': page('x'),
      '/y': page('y'),
    });
    await using test = openTestContext();
    const shallow = await crawl(test, { base_url: site.url, max_depth: 1 });
    expect(shallow.paths).toEqual(['/', '/1', '/x', '/y']);
    await using other = openTestContext();
    const few = await crawl(other, { base_url: site.url, max_pages: 3 });
    expect(few.paths).toEqual(['/', '/1', '/x']);
    expect(few.reasons).toEqual(['further pages: max_pages is reached']);
  });

  test('one page alone', async () => {
    await using site = await startSite({ '/a': page('A', ['/b']), '/b': page('B') });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: `${site.url}/a`, web_connector_type: 'single' });
    expect(result.paths).toEqual(['/a']);
  });

  test('the addresses of an uploaded file', async () => {
    await using site = await startSite({ '/a': page('A', ['/c']), '/b': page('B') });
    const id = '6f0c1c5e-7f5c-4f0b-9a54-0d5f0f6b8a11';
    const bytes = Buffer.from(`# ours\n${site.url}/a\r\n\n${site.url}/b\n`);
    await using test = openTestContext({
      files: {
        read: (asked) =>
          Promise.resolve(asked === id ? { name: 'urls.txt', bytes, metadata: {} } : null),
      },
    });
    const result = await crawl(test, { base_url: id, web_connector_type: 'upload' });
    expect(result.paths).toEqual(['/a', '/b']);
    await expect(crawl(test, { base_url: 'nope', web_connector_type: 'upload' })).rejects.toThrow(
      'There is no uploaded file with the id nope',
    );
  });
});

describe('sitemaps', () => {
  const urlset = (entries: string): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;

  test('an index of compressed sitemaps is found through robots.txt and read to its end', async () => {
    const pages: Record<string, string | FakeAnswer> = {};
    await using site = await startSite(pages);
    const listed = (path: string): string => `<url><loc>${site.url}${path}</loc></url>`;
    pages['/robots.txt'] = { body: `Sitemap: ${site.url}/map-index` };
    pages['/map-index'] = {
      body: `<sitemapindex><sitemap><loc>${site.url}/1.xml.gz</loc></sitemap><sitemap><loc>${site.url}/2.xml</loc></sitemap></sitemapindex>`,
    };
    pages['/1.xml.gz'] = {
      body: gzipSync(urlset(listed('/a?x=1&amp;y=2'))),
      headers: { 'content-type': 'application/x-gzip' },
    };
    pages['/2.xml'] = {
      body: gzipSync(urlset(listed('/b') + listed('/a?x=1&amp;y=2'))),
      headers: { 'content-encoding': 'gzip', 'content-type': 'text/xml' },
    };
    pages['/a?x=1&y=2'] = page('A', ['/linked']);
    pages['/b'] = page('B');
    await using test = openTestContext();
    const result = await crawl(test, { base_url: site.url, web_connector_type: 'sitemap' });
    expect(result.paths).toEqual(['/a?x=1&y=2', '/b']);
    expect(result.pages.at(-1)?.estimatedTotal).toBe(2);
  });

  test('a page whose lastmod lies before it was read costs no request at all', async () => {
    const pages: Record<string, string | FakeAnswer> = {};
    await using site = await startSite(pages);
    const map = (lastmod: string): FakeAnswer => ({
      body: urlset(`<url><loc>${site.url}/a</loc><lastmod>${lastmod}</lastmod></url>`),
    });
    pages['/sitemap.xml'] = map('2026-01-02');
    pages['/a'] = page('A');
    await using test = openTestContext();
    const settings = { base_url: `${site.url}/sitemap.xml`, web_connector_type: 'sitemap' };
    const first = await crawl(test, settings);
    expect(first.documents[0]?.updatedAt).toEqual(new Date('2026-01-02'));
    site.requests.length = 0;
    const second = await crawl(test, settings);
    expect(second.unchanged).toEqual([`${site.url}/a`]);
    expect(pathsOf(site)).not.toContain('/a');
    pages['/sitemap.xml'] = map('2026-01-03');
    await crawl(test, settings);
    expect(pathsOf(site)).toContain('/a');
  });

  test('a lastmod of today does not hide a change of this afternoon', async () => {
    const pages: Record<string, string | FakeAnswer> = {};
    await using site = await startSite(pages);
    const today = new Date().toISOString().slice(0, 10);
    pages['/sitemap.xml'] = {
      body: urlset(`<url><loc>${site.url}/a</loc><lastmod>${today}</lastmod></url>`),
    };
    pages['/a'] = page('Morning');
    await using test = openTestContext();
    const settings = { base_url: `${site.url}/sitemap.xml`, web_connector_type: 'sitemap' };
    await crawl(test, settings);
    pages['/a'] = page('Afternoon');
    const second = await crawl(test, settings);
    expect(second.documents.map(({ title }) => title)).toEqual(['Afternoon']);
  });

  test('a listed page that is gone is removed; a sitemap that is cut off or no sitemap ends the run', async () => {
    const pages: Record<string, string | FakeAnswer> = {};
    await using site = await startSite(pages);
    pages['/sitemap.xml'] = { body: urlset(`<url><loc>${site.url}/a</loc></url>`) };
    pages['/a'] = page('A');
    await using test = openTestContext();
    const settings = { base_url: `${site.url}/sitemap.xml`, web_connector_type: 'sitemap' };
    await crawl(test, settings);
    delete pages['/a'];
    expect((await crawl(test, settings)).removed).toEqual([`${site.url}/a`]);
    pages['/sitemap.xml'] = { body: '<urlset><url><loc>http://x' };
    await expect(crawl(test, settings)).rejects.toThrow(/cut off/);
    pages['/sitemap.xml'] = page('Not a sitemap');
    await expect(crawl(test, settings)).rejects.toThrow(/is no sitemap/);
  });
});

describe('a second run', () => {
  test('costs one conditional request a page, and goes on from pages that did not change', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const first = await crawl(test, site.settings);
    expect(first.documents.map(({ id }) => id).toSorted()).toEqual(site.ids().toSorted());
    expect(first.pages.length).toBeGreaterThanOrEqual(3);
    const edited = site.put('roses', 'Cut them in spring.', new Date('2026-02-01T00:00:00Z'));
    const { server } = site;
    if (!server) throw new Error('The fixture has a server.');
    server.requests.length = 0;
    const second = await crawl(test, site.settings);
    expect(second.documents.map(({ id }) => id)).toEqual([edited]);
    expect(second.unchanged.toSorted()).toEqual(
      site
        .ids()
        .filter((id) => id !== edited)
        .toSorted(),
    );
    const asked = server.requests.filter(({ url }) => url.pathname !== '/robots.txt');
    expect(asked).toHaveLength(site.ids().length);
    expect(asked.every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(true);
  });

  test('knows a page without validators by its content', async () => {
    let visits = 0;
    await using site = await startFakeSource(({ url }) => {
      visits += 1;
      if (url.pathname !== '/') return { status: 404 };
      return html(page('Home', [], `<meta name="csrf" content="${visits}">`));
    });
    await using test = openTestContext();
    await crawl(test, { base_url: site.url });
    expect((await crawl(test, { base_url: site.url })).unchanged).toEqual([`${site.url}/`]);
  });

  test('lists the ids with conditional requests, and no list at all when a page fails', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const settings = web.settings.parse(site.settings);
    await crawl(test, site.settings);
    site.remove('oven');
    const listed: string[] = [];
    for await (const ids of web.listIds(settings, {}, test.context)) listed.push(...ids);
    expect(listed.toSorted()).toEqual(site.ids().toSorted());
    const { server } = site;
    if (!server) throw new Error('The fixture has a server.');
    server.fault = ({ url }) =>
      url.pathname.endsWith('/desk') ? { kind: 'status', status: 500 } : null;
    const listing = (async () => {
      for await (const ids of web.listIds(settings, {}, test.context)) listed.push(...ids);
    })();
    await expect(listing).rejects.toThrow(/incomplete/);
  });
});

describe('checkpoints', () => {
  test('a crawl goes on from each of them, with every page once', async () => {
    await using site = await startFixture();
    site.fill(150, new Date('2026-01-06T00:00:00Z'));
    await using whole = openTestContext();
    const steps = await collectPages(poll(whole, site.settings));
    expect(steps.length).toBeGreaterThan(8);
    for (const cut of steps.keys()) {
      await using test = openTestContext();
      for (const { memory } of steps.slice(0, cut + 1)) {
        for (const entry of memory) test.memory.set(entry.key, entry);
      }
      // As the database would give it back.
      const saved: unknown = JSON.parse(JSON.stringify(steps[cut]?.checkpoint));
      const rest = await collectPages(poll(test, site.settings, web.checkpoint.parse(saved)), test);
      const seen = [...steps.slice(0, cut + 1), ...rest].flatMap(({ documents }) => documents);
      expect(seen.map(({ id }) => id).toSorted()).toEqual(site.ids().toSorted());
    }
  });

  test('stay small, and saving costs what a step discovered', async () => {
    await using site = await startFixture();
    site.fill(2_000, new Date('2026-01-06T00:00:00Z'));
    await using test = openTestContext();
    let largest = 0;
    for await (const step of poll(test, site.settings)) {
      for (const entry of step.memory) test.memory.set(entry.key, entry);
      largest = Math.max(largest, JSON.stringify(step.checkpoint).length);
    }
    expect(largest).toBeLessThan(500);
    const logged = [...test.memory.values()].filter(({ key }) => key.startsWith('frontier:'));
    // Each address is written when it is found, and each id when it is reported: never the whole queue.
    expect(JSON.stringify(logged).length).toBeLessThan(site.ids().length * 200);
  });

  test('of other settings begin anew', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const steps = await collectPages(poll(test, site.settings), test);
    const other = { ...site.settings, max_depth: 1 };
    const again = await collectPages(poll(test, other, steps.at(-1)?.checkpoint), test);
    expect(again.flatMap(({ documents, unchanged }) => [...documents, ...unchanged])).toHaveLength(
      4,
    );
  });
});

describe('settings and check', () => {
  test('a base URL without a scheme is https, nonsense is refused by name', () => {
    expect(web.settings.safeParse({ base_url: 'docs.example.com/guide' }).success).toBe(true);
    expect(
      web.settings.safeParse({ base_url: 'ftp://docs.example.com' }).error?.issues[0]?.path,
    ).toEqual(['base_url']);
    expect(
      web.settings.safeParse({ base_url: 'a.example', colour: 1 }).error?.issues[0]?.message,
    ).toContain('colour');
  });

  test('the source is asked, and what it says is in the error', async () => {
    await using site = await startSite({
      '/': page('Home'),
      '/robots.txt': { body: 'User-agent: *\nDisallow: /no$' },
      '/no': page('No'),
    });
    await using test = openTestContext();
    const check = (settings: Record<string, unknown>): Promise<void> =>
      web.check(web.settings.parse(settings), {}, test.context);
    await check({ base_url: site.url });
    await expect(check({ base_url: `${site.url}/none` })).rejects.toThrow('There is no page at');
    await expect(check({ base_url: `${site.url}/no` })).rejects.toThrow(
      'robots.txt does not allow it',
    );
    await expect(check({ base_url: site.url, render_javascript: true })).rejects.toThrow(
      'CHROMIUM_PATH',
    );
    await expect(
      check({ base_url: site.url, web_connector_type: 'sitemap' }),
    ).rejects.toMatchObject({
      name: 'SourceRefused',
      message: expect.stringContaining('404'),
    });
  });
});
