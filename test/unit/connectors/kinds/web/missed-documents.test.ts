import { describe, expect, test } from 'vitest';
import { readSitemap } from '#src/connectors/kinds/web/read-sitemap.ts';
import { web } from '#src/connectors/kinds/web/web.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { crawl, html, page, pathsOf, poll, startSite } from './web-harness.ts';

const canonical = (path: string): string => `<link rel="canonical" href="${path}">`;

describe('a page is not lost', () => {
  test('when its canonical address is dead, forbidden or not a document', async () => {
    const others = Array.from({ length: 70 }, (_, index) => `/other/${index}`);
    await using site = await startSite({
      ...Object.fromEntries(others.map((path) => [path, page(path)])),
      '/robots.txt': { body: 'User-agent: *\nDisallow: /secret' },
      '/': page('Home', ['/a?view=1', '/b?view=1', '/c?view=1', '/d?view=1', ...others]),
      '/a?view=1': page('A', [], canonical('/gone')),
      '/b?view=1': page('B', [], canonical('/secret')),
      '/c?view=1': page('C', [], canonical('/hidden')),
      '/hidden': page('Hidden', [], '<meta name="robots" content="noindex">'),
      '/d?view=1': page('D', [], canonical('/d')),
      '/d': page('D itself', [], canonical('/d')),
    });
    await using test = openTestContext();
    const first = await crawl(test, { base_url: site.url });
    const own = first.paths.filter((path) => !path.startsWith('/other/'));
    expect(own).toEqual(['/', '/a?view=1', '/b?view=1', '/c?view=1', '/d']);
    expect(first.reasons).toContain('a page with another canonical address');
    const second = await crawl(test, { base_url: site.url });
    expect(second.unchanged.length).toBe(5 + others.length);
    expect(first.pages.length).toBeGreaterThanOrEqual(3);
    for (const [index, { checkpoint }] of first.pages.entries()) {
      await using resumed = openTestContext();
      const before = first.pages.slice(0, index + 1);
      for (const entry of before.flatMap(({ memory }) => memory)) {
        if (entry.key.startsWith('frontier:')) resumed.memory.set(entry.key, entry);
      }
      const rest = await collectPages(poll(resumed, { base_url: site.url }, checkpoint), resumed);
      const counts = [...before, ...rest].map((one) => one.documents.length + one.skipped.length);
      expect(counts).toEqual(first.pages.map((one) => one.documents.length + one.skipped.length));
    }
  });

  test('when every page names the base URL as its canonical address', async () => {
    await using site = await startSite({
      '/docs/': page('Home', ['/docs/a', '/docs/b'], canonical('/docs/')),
      '/docs/a': page('A', [], canonical('/docs/')),
      '/docs/b': page('B', [], canonical('/docs')),
    });
    await using test = openTestContext();
    const { paths } = await crawl(test, { base_url: `${site.url}/docs/` });
    expect(paths).toEqual(['/docs/', '/docs/a', '/docs/b']);
  });

  test('when an old address of it disappears', async () => {
    const pages: Parameters<typeof startSite>[0] = {
      '/': page('Home', ['/old']),
      '/old': { status: 301, headers: { location: '/new' } },
      '/new': page('New'),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    expect((await crawl(test, { base_url: site.url })).paths).toEqual(['/', '/new']);
    pages['/'] = page('Home', ['/old', '/new']);
    delete pages['/old'];
    const { removed, paths } = await crawl(test, { base_url: site.url });
    expect(removed).toEqual([]);
    expect(paths).toEqual(['/new']);
  });

  test('when its address is written differently, and is not counted twice', async () => {
    await using site = await startSite({
      '/': page('Home', ['/%7Eann/?b=2&a=1', '/~ann/?a=1&b=2', '/caf%c3%a9', '/café']),
      '/%7Eann/?b=2&a=1': page('Ann'),
      '/~ann/?a=1&b=2': page('Ann'),
      '/caf%c3%a9': page('Café'),
      '/caf%C3%A9': page('Café'),
    });
    await using test = openTestContext();
    const { documents } = await crawl(test, { base_url: site.url });
    expect(documents.map(({ semanticIdentifier }) => semanticIdentifier).toSorted()).toEqual([
      'Ann',
      'Café',
      'Home',
    ]);
  });

  test('when it has more links than are followed', async () => {
    const links = Array.from({ length: 5_002 }, (_, index) => `/${index}`);
    await using site = await startSite({ '/': page('Home', links) });
    await using test = openTestContext();
    const { reasons } = await crawl(test, { base_url: site.url, max_depth: 0 });
    expect(reasons).toContain('more links than the limit for a page');
  });
});

describe('site metadata', () => {
  const sitemap = (lastmod: string): { body: string } => ({
    body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a?x=1&amp;y=2</loc><lastmod>${lastmod}</lastmod></url></urlset>\n<!-- made by a plugin -->\n`,
  });

  test('hides an edit for a week at most when a lastmod never changes', async () => {
    const pages: Parameters<typeof startSite>[0] = {
      '/sitemap.xml': sitemap('2020-01-01'),
      '/a?x=1&y=2': page('First'),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    const settings = { base_url: `${site.url}/sitemap.xml`, web_connector_type: 'sitemap' };
    expect((await crawl(test, settings)).documents).toHaveLength(1);
    pages['/a?x=1&y=2'] = page('Second');
    expect((await crawl(test, settings)).unchanged).toHaveLength(1);
    for (const entry of test.memory.values()) {
      const { value } = entry;
      if (typeof value === 'object' && value !== null && 'at' in value) {
        entry.value = { ...value, at: Date.now() - 8 * 86_400_000 };
      }
    }
    expect((await crawl(test, settings)).documents[0]?.title).toBe('Second');
  });

  test('excludes a page whose header now says noindex, although its bytes are the same', async () => {
    const pages: Parameters<typeof startSite>[0] = {
      '/': page('Home', ['/a']),
      '/a': html(page('A'), { etag: '"1"' }),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    await crawl(test, { base_url: site.url });
    pages['/a'] = { status: 304, headers: { etag: '"1"', 'x-robots-tag': 'noindex' } };
    expect((await crawl(test, { base_url: site.url })).reasons).toEqual(['noindex']);
  });

  test('excludes a page that only redirects, but not its target', async () => {
    const refresh = '<meta http-equiv="refresh" content="0; url=/guide/">';
    await using site = await startSite({
      '/': page('Redirecting', [], refresh),
      '/guide/': page('Guide'),
    });
    await using test = openTestContext();
    const { paths, reasons } = await crawl(test, { base_url: site.url });
    expect(paths).toEqual(['/guide/']);
    expect(reasons).toEqual(['redirects its readers to another page']);
  });
});

describe('a listing', () => {
  test('includes a page that was read before and fails now, with everything below it', async () => {
    const pages: Parameters<typeof startSite>[0] = {
      '/': page('Home', ['/a', '/b']),
      '/a': page('A', ['/a/1']),
      '/a/1': page('A1'),
      '/b': page('B'),
    };
    await using site = await startSite(pages);
    await using test = openTestContext();
    const settings = web.settings.parse({ base_url: site.url });
    await crawl(test, { base_url: site.url });
    pages['/a'] = { status: 403 };
    pages['/b'] = { status: 404 };
    const ids = (await Array.fromAsync(web.listIds(settings, {}, test.context))).flat();
    expect(ids.toSorted()).toEqual(['/', '/a', '/a/1'].map((path) => site.url + path));
  });
});

test('a sitemap may be long, end in comments, and use any XML escapes in its addresses', () => {
  const pages = Array.from({ length: 60_000 }, (_, index) => `<url><loc>/${index}</loc></url>`);
  const odd =
    '<url><loc>/?a=1&#038;b=2&#x26;c=3&amp;d=4</loc></url><url><loc><![CDATA[/?e=5&f=6]]></loc></url>';
  const xml = `<urlset>${odd}${pages.join('')}</urlset>\n<!-- made by -->\n<!-- a plugin -->`;
  const read = readSitemap(Buffer.from(xml), 'sitemap.xml')?.pages ?? [];
  expect(read).toHaveLength(60_002);
  expect(read.slice(0, 2).map(({ url }) => url)).toEqual(['/?a=1&b=2&c=3&d=4', '/?e=5&f=6']);
});

test('one broken sitemap of several is a failure, and the others are read', async () => {
  const urlset = '<urlset><url><loc>/a</loc></url></urlset>';
  await using site = await startSite({
    '/robots.txt': { body: 'Sitemap: /broken.xml\nSitemap: /good.xml' },
    '/good.xml': { body: urlset },
    '/a': page('A'),
  });
  await using test = openTestContext();
  const { paths, failures } = await crawl(test, {
    base_url: site.url,
    web_connector_type: 'sitemap',
  });
  expect(paths).toEqual(['/a']);
  expect(failures.map(({ entityId }) => entityId)).toEqual([`${site.url}/broken.xml`]);
});

test('a robots.txt that becomes unavailable during a crawl makes the run wait', async () => {
  const others = Array.from({ length: 40 }, (_, index) => `/other/${index}`);
  const pages: Parameters<typeof startSite>[0] = {
    ...Object.fromEntries(others.map((path) => [path, page(path)])),
    '/': page('Home', [...others, '/a']),
    '/a': page('A'),
  };
  await using site = await startSite(pages);
  await using first = openTestContext();
  const { pages: steps } = await crawl(first, { base_url: site.url });
  pages['/robots.txt'] = { status: 503 };
  await using second = openTestContext();
  for (const [key, entry] of first.memory) second.memory.set(key, entry);
  const settings = web.settings.parse({ base_url: site.url });
  const rest = web.poll(settings, {}, steps[0]?.checkpoint, second.context);
  await expect(Array.fromAsync(rest)).rejects.toThrow(/robots\.txt/);
  expect(pathsOf(site).filter((path) => path === '/a')).toHaveLength(1);
});
