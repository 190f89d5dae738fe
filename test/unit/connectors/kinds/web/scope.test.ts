import { describe, expect, test } from 'vitest';
import { openTestContext } from '#test/support/connector-context.ts';
import { crawl, html, page, pathsOf, startSite } from './web-harness.ts';

describe('the scope of a crawl', () => {
  test('includes links below the base path on the same host, each page once', async () => {
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

  test('moves with the base URL, excludes a page that redirects outside, and merges redirects', async () => {
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

  test('uses the canonical address as the id, whatever the order of the pages', async () => {
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
      // The home page as the canonical address of another page is a mistake.
      ['/deep?x=1', 'Deep'],
    ]);
    expect(result.reasons).toEqual(['a page with another canonical address']);
  });

  test('includes pages that name each other as canonical only once', async () => {
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

  test('respects robots.txt, noindex and nofollow in tags and headers, unless disabled', async () => {
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

  test('includes text and files, and skips everything else', async () => {
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
      expect.stringContaining('does not match its content type'),
    ]);
  });

  test('is limited by page count and depth, and says so', async () => {
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

  test('can be a single page', async () => {
    await using site = await startSite({ '/a': page('A', ['/b']), '/b': page('B') });
    await using test = openTestContext();
    const result = await crawl(test, { base_url: `${site.url}/a`, web_connector_type: 'single' });
    expect(result.paths).toEqual(['/a']);
  });

  test('can be the addresses in an uploaded file', async () => {
    await using site = await startSite({ '/a': page('A', ['/c']), '/b': page('B') });
    const id = '6f0c1c5e-7f5c-4f0b-9a54-0d5f0f6b8a11';
    const bytes = Buffer.from(`# ours\n${site.url}/a\r\n\n${site.url}/b\n`);
    await using test = openTestContext({
      files: {
        exists: () => Promise.resolve(true),
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
