import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { type FakeAnswer } from '#test/support/fake-source.ts';
import { crawl, page, pathsOf, poll, startSite } from './web-harness.ts';

describe('a crawl', () => {
  test('reports a page that keeps failing as one failure, and continues', async () => {
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

  test('waits when the site becomes unavailable, without listing failures', async () => {
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

  test('continues past a section of broken pages', async () => {
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

  test('ends with the reason when the base URL is missing or at a private address', async () => {
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

  test('treats an unreadable robots.txt as forbidding everything for now', async () => {
    await using site = await startSite({ '/': page('Home') });
    site.fault = ({ url }) =>
      url.pathname === '/robots.txt' ? { kind: 'status', status: 503 } : null;
    await using test = openTestContext();
    await expect(crawl(test, { base_url: site.url })).rejects.toMatchObject({
      name: 'SourceUnavailable',
    });
    expect(pathsOf(site).filter((path) => path !== '/robots.txt')).toEqual([]);
  });

  test('ends at once on an abort', async () => {
    await using site = await startSite({
      '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 10' },
      '/': page('Home', ['/a', '/b', '/c']),
    });
    const stop = new AbortController();
    await using test = openTestContext({ signal: stop.signal });
    const reading = collectPages(poll(test, { base_url: site.url }), test);
    const refused = expect(reading).rejects.toThrow(/stopped|aborted/);
    await expect.poll(() => pathsOf(site)).toContain('/');
    const startedMs = performance.now();
    stop.abort(new Error('stopped'));
    await refused;
    // The second page is not due for 10 s.
    expect(performance.now() - startedMs).toBeLessThan(8_000);
  });

  test('skips pages behind a sign-in, and reports one that was readable before', async () => {
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

describe('sitemaps', () => {
  const urlset = (entries: string): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;

  test('in an index, even compressed, are found through robots.txt and read completely', async () => {
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

  test('save the request for a page whose lastmod is before its last read', async () => {
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

  test('with a lastmod of today do not hide a change of this afternoon', async () => {
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

  test('remove a listed page that is gone, and end the run when truncated or invalid', async () => {
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
    await expect(crawl(test, settings)).rejects.toThrow(/is not a sitemap/);
  });
});
