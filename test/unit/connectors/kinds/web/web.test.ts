import { describe, expect, test } from 'vitest';
import { web } from '#src/connectors/kinds/web/web.ts';
import { startFixture } from '#test/fixtures/connectors/web.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { startFakeSource } from '#test/support/fake-source.ts';
import { crawl, html, page, poll, startSite } from './web-harness.ts';

describe('a second run', () => {
  test('costs one conditional request per page, and continues from unchanged pages', async () => {
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

  test('recognizes a page without validators by its content', async () => {
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

  test('lists the ids with conditional requests, and none at all when an unread page fails', async () => {
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
    site.put('attic', 'Never seen.', new Date());
    server.fault = ({ url }) =>
      url.pathname.endsWith('/attic') ? { kind: 'status', status: 500 } : null;
    const listing = (async () => {
      for await (const ids of web.listIds(settings, {}, test.context)) listed.push(...ids);
    })();
    await expect(listing).rejects.toThrow(/incomplete/);
  });
});

describe('checkpoints', () => {
  test('let a crawl resume with every page once', async () => {
    await using site = await startFixture();
    site.fill(60, new Date('2026-01-06T00:00:00Z'));
    await using whole = openTestContext();
    const steps = await collectPages(poll(whole, site.settings));
    expect(steps.length).toBeGreaterThan(3);
    for (const cut of steps.keys()) {
      await using test = openTestContext();
      for (const { memory } of steps.slice(0, cut + 1)) {
        for (const entry of memory) test.memory.set(entry.key, entry);
      }
      // As read back from the database.
      const saved: unknown = JSON.parse(JSON.stringify(steps[cut]?.checkpoint));
      const rest = await collectPages(poll(test, site.settings, web.checkpoint.parse(saved)), test);
      const seen = [...steps.slice(0, cut + 1), ...rest].flatMap(({ documents }) => documents);
      expect(seen.map(({ id }) => id).toSorted()).toEqual(site.ids().toSorted());
    }
  });

  test('stay small, and each save costs only what a step discovered', async () => {
    await using site = await startFixture();
    site.fill(200, new Date('2026-01-06T00:00:00Z'));
    await using test = openTestContext();
    let largest = 0;
    for await (const step of poll(test, site.settings)) {
      for (const entry of step.memory) test.memory.set(entry.key, entry);
      largest = Math.max(largest, JSON.stringify(step.checkpoint).length);
    }
    expect(largest).toBeLessThan(500);
    const logged = [...test.memory.values()].filter(({ key }) => key.startsWith('frontier:'));
    // Each address is written when found and each id when reported, but never the whole queue.
    expect(JSON.stringify(logged).length).toBeLessThan(site.ids().length * 200);
  });

  test('of other settings are discarded', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const steps = await collectPages(poll(test, site.settings), test);
    const other = { ...site.settings, max_depth: 1 };
    const again = await collectPages(poll(test, other, steps.at(-1)?.checkpoint), test);
    expect(again.flatMap(({ documents, unchanged }) => [...documents, ...unchanged])).toHaveLength(
      5,
    );
  });
});

describe('settings and check', () => {
  test('read a base URL without a scheme as https, and refuse nonsense by name', () => {
    expect(web.settings.safeParse({ base_url: 'docs.example.com/guide' }).success).toBe(true);
    expect(
      web.settings.safeParse({ base_url: 'ftp://docs.example.com' }).error?.issues[0]?.path,
    ).toEqual(['base_url']);
    expect(
      web.settings.safeParse({ base_url: 'a.example', colour: 1 }).error?.issues[0]?.message,
    ).toContain('colour');
  });

  test('query the source and include its answer in the error', async () => {
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
