import { describe, expect, test } from 'vitest';
import { isBetterAddress } from '#src/connectors/kinds/web/page-twins.ts';
import { web } from '#src/connectors/kinds/web/web.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { crawl, html, page, poll, startSite } from './web-harness.ts';

type Pages = Parameters<typeof startSite>[0];
const home = page('Home', ['/', '/index.html', '/a']);
const withTwin = (): Pages => ({ '/': home, '/index.html': home, '/a': page('A') });

test.each([
  ['https://e.example/', 'https://e.example/index.html'],
  ['https://e.example/guide/index.html', 'https://e.example/guide/?view=print'],
  ['https://e.example/a', 'https://e.example/longer'],
  ['https://e.example/a', 'https://e.example/b'],
])('%s is a better address than %s', (better, worse) => {
  expect(isBetterAddress(better, worse)).toBe(true);
  expect(isBetterAddress(worse, better)).toBe(false);
});

describe('equal text at two addresses is one document', () => {
  test.each(['/', '/index.html'])('wherever the crawl starts: %s', async (base) => {
    await using site = await startSite(withTwin());
    await using test = openTestContext();
    const settings = { base_url: site.url + base };
    const first = await crawl(test, settings);
    expect(first.paths).toEqual(['/', '/a']);
    expect(first.reasons).toEqual(['the same text as another page']);
    const second = await crawl(test, settings);
    expect(second.documents).toEqual([]);
    expect(second.removed).toEqual([]);
    expect(second.unchanged.toSorted()).toEqual([`${site.url}/`, `${site.url}/a`]);
    expect(second.reasons).toEqual(['the same text as another page']);
  });

  test('at the canonical address if the pages name one', async () => {
    const canonical = '<link rel="canonical" href="/guide/print">';
    await using site = await startSite({
      '/': page('Home', ['/guide', '/guide/print']),
      '/guide': page('Guide', [], canonical),
      '/guide/print': page('Guide', [], canonical),
    });
    await using test = openTestContext();
    expect((await crawl(test, { base_url: site.url })).paths).toEqual(['/', '/guide/print']);
  });

  test('that moves to a better address found in a later step', async () => {
    const others = Array.from({ length: 40 }, (_, index) => `/other/${index}`);
    const pages: Pages = Object.fromEntries(others.map((path) => [path, page(path)]));
    pages['/'] = page('Home', ['/copy.html', ...others, '/copy']);
    pages['/copy.html'] = page('Copy');
    pages['/copy'] = page('Copy');
    await using site = await startSite(pages);
    await using test = openTestContext();
    const { removed, pages: steps, paths } = await crawl(test, { base_url: site.url });
    expect(steps.length).toBeGreaterThan(1);
    expect(paths).toContain('/copy');
    expect(removed).toEqual([`${site.url}/copy.html`]);
    const again = await crawl(test, { base_url: site.url });
    expect([...again.documents, ...again.removed]).toEqual([]);
    expect(again.unchanged).not.toContain(`${site.url}/copy.html`);
  });

  test('even when the run is interrupted between the two', async () => {
    const others = Array.from({ length: 40 }, (_, index) => `/other/${index}`);
    const pages: Pages = Object.fromEntries(others.map((path) => [path, page(path)]));
    pages['/'] = page('Home', ['/copy', ...others, '/copy/print.html']);
    pages['/copy'] = page('Copy');
    pages['/copy/print.html'] = page('Copy');
    await using site = await startSite(pages);
    await using whole = openTestContext();
    const [step] = await collectPages(poll(whole, { base_url: site.url }));
    await using resumed = openTestContext();
    for (const entry of step?.memory ?? []) resumed.memory.set(entry.key, entry);
    const rest = await collectPages(
      poll(resumed, { base_url: site.url }, step?.checkpoint),
      resumed,
    );
    expect(rest.flatMap(({ documents }) => documents.map(({ id }) => id))).not.toContain(
      `${site.url}/copy/print.html`,
    );
    expect(rest.flatMap(({ skipped }) => skipped)).toContainEqual({
      documentId: null,
      reason: 'the same text as another page',
    });
  });
});

describe('a change to one of two addresses', () => {
  test('that removes it keeps the text at the other', async () => {
    const pages = withTwin();
    await using site = await startSite(pages);
    await using test = openTestContext();
    const settings = { base_url: `${site.url}/a` };
    pages['/a'] = page('A', ['/a/', '/a/index.html', '/a/x']);
    pages['/a/index.html'] = page('Inner');
    pages['/a/x'] = page('Inner');
    expect((await crawl(test, settings)).paths).toEqual(['/a', '/a/x']);
    pages['/a/x'] = { status: 404 };
    const after = await crawl(test, settings);
    expect(after.removed).toEqual([`${site.url}/a/x`]);
    expect(after.paths).toEqual(['/a/index.html']);
    expect((await crawl(test, settings)).unchanged).toContain(`${site.url}/a/index.html`);
  });

  test.each([
    ['after', ['/x', '/x/index.html']],
    ['before', ['/x/index.html', '/x']],
  ])('makes documents of both, even when visited %s the other', async (_, links) => {
    const pages: Pages = {
      '/': page('Home', links),
      '/x': page('Same'),
      '/x/index.html': html(page('Same'), { etag: '"1"' }),
    };
    await using site = await startSite(pages);
    site.fault = ({ headers, url }) =>
      url.pathname === '/x/index.html' && headers['if-none-match'] === '"1"'
        ? { kind: 'status', status: 304 }
        : null;
    await using test = openTestContext();
    expect((await crawl(test, { base_url: site.url })).paths).toEqual(['/', '/x']);
    expect((await crawl(test, { base_url: site.url })).documents).toEqual([]);
    pages['/x'] = page('Other');
    const changed = await crawl(test, { base_url: site.url });
    expect(changed.paths).toEqual(['/x', '/x/index.html']);
  });

  test('that adds a link to the worse one does not move the document', async () => {
    const pages = withTwin();
    pages['/'] = page('Top', ['/x/index.html', '/x']);
    pages['/x'] = page('Same');
    pages['/x/index.html'] = page('Same');
    await using site = await startSite(pages);
    await using test = openTestContext();
    expect((await crawl(test, { base_url: site.url })).paths).toEqual(['/', '/x']);
    pages['/'] = page('Top', ['/x/index.html']);
    const after = await crawl(test, { base_url: site.url });
    expect([...after.documents, ...after.removed]).toEqual([]);
    expect(after.unchanged).toContain(`${site.url}/x`);
  });

  test('leaves pruning with the indexed one', async () => {
    await using site = await startSite(withTwin());
    await using test = openTestContext();
    await crawl(test, { base_url: `${site.url}/index.html` });
    const settings = web.settings.parse({ base_url: `${site.url}/index.html` });
    const ids = (await Array.fromAsync(web.listIds(settings, {}, test.context))).flat();
    expect(ids.toSorted()).toEqual([`${site.url}/`, `${site.url}/a`]);
  });
});

test('links deeper than max_depth are counted once each', async () => {
  await using site = await startSite({
    '/': page('Home', ['/a', '/b']),
    '/a': page('A', ['/', '/deep/1', '/deep/2']),
    '/b': page('B', ['/a', '/deep/2', '/deep/3']),
  });
  await using test = openTestContext();
  const { paths, reasons } = await crawl(test, { base_url: site.url, max_depth: 1 });
  expect(paths).toEqual(['/', '/a', '/b']);
  expect(reasons).toEqual(Array.from({ length: 3 }, () => 'deeper than max_depth'));
});
