import { describe, expect, test } from 'vitest';
import { readFeed } from '#src/connectors/kinds/rss/read-feed.ts';
import { rss } from '#src/connectors/kinds/rss/rss.ts';
import { startFixture } from '#test/fixtures/connectors/rss.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { type FakeAnswer, startFakeSource } from '#test/support/fake-source.ts';

const DAY = new Date('2026-02-01T00:00:00Z');

async function poll(
  test: TestContext,
  settings: Record<string, unknown>,
  checkpoint: unknown = null,
) {
  const pages = await collectPages(
    rss.poll(rss.settings.parse(settings), {}, checkpoint, test.context),
    test,
  );
  return {
    pages,
    documents: pages.flatMap(({ documents }) => documents),
    unchanged: pages.flatMap(({ unchanged }) => unchanged),
    skipped: pages.flatMap(({ skipped }) => skipped),
    failures: pages.flatMap(({ failures }) => failures),
    removed: pages.flatMap(({ removed }) => removed),
  };
}

async function listIds(test: TestContext, settings: Record<string, unknown>): Promise<string[]> {
  const listed: string[] = [];
  for await (const ids of rss.listIds(rss.settings.parse(settings), {}, test.context))
    listed.push(...ids);
  return listed.toSorted();
}

const rssFeed = (items: string): string =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title><link>https://n.example</link><description>d</description>${items}</channel></rss>`;

describe('a broken feed', () => {
  test('with a failed item gets that item read again, although the feed is unchanged', async () => {
    await using site = await startFakeSource(({ url, headers }): FakeAnswer => {
      if (url.pathname === '/robots.txt') return { status: 404 };
      if (url.pathname === '/a') {
        return {
          headers: { 'content-type': 'text/html' },
          body: '<main><p>The whole long article.</p></main>',
        };
      }
      if (headers['if-none-match'] === '"1"') return { status: 304 };
      return {
        headers: { etag: '"1"' },
        body: rssFeed(
          '<item><title>A</title><link>/a</link><description>Short</description></item>',
        ),
      };
    });
    site.fault = ({ url }) => (url.pathname === '/a' ? { kind: 'status', status: 500 } : null);
    await using test = openTestContext();
    const settings = { feed_url: `${site.url}/feed`, fetch_full_articles: true };
    expect((await poll(test, settings)).failures).toMatchObject([
      { documentId: `${site.url}/a`, reason: expect.stringContaining('500') },
    ]);
    site.fault = () => null;
    const second = await poll(test, settings);
    expect(second.documents[0]?.sections).toEqual([
      { text: 'The whole long article.', link: `${site.url}/a` },
    ]);
    expect((await poll(test, settings)).unchanged).toEqual([`${site.url}/a`]);
  });

  test('that is invalid or truncated does not count as empty', async () => {
    let body = '<html>Gateway</html>';
    await using site = await startFakeSource(() => ({ body }));
    await using test = openTestContext();
    const settings = { feed_url: site.url };
    await expect(poll(test, settings)).rejects.toMatchObject({ name: 'SourceUnavailable' });
    body = rssFeed('<item><title>A</title></item>').slice(0, -20);
    await expect(poll(test, settings)).rejects.toThrow('cut off');
    await expect(listIds(test, settings)).rejects.toThrow('cut off');
    await expect(rss.check(rss.settings.parse(settings), {}, test.context)).rejects.toMatchObject({
      name: 'SourceRefused',
    });
  });

  test('that links back to itself comes to an end', async () => {
    await using site = await startFakeSource(() => ({
      body: `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>u</id><updated>2026-01-01T00:00:00Z</updated><link rel="next" href="/feed"/><entry><id>urn:1</id><title>One</title><updated>2026-01-01T00:00:00Z</updated><summary>Words</summary></entry></feed>`,
    }));
    await using test = openTestContext();
    expect((await poll(test, { feed_url: `${site.url}/feed` })).documents).toHaveLength(1);
  });
});

describe('the items of a feed', () => {
  test('come from all of its pages, and a second run costs one conditional request per page', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const first = await poll(test, site.settings);
    expect(first.documents.map(({ id }) => id)).toEqual(site.ids());
    expect(first.documents[0]).toMatchObject({
      title: 'About one',
      metadata: { feed: 'Stories', author: ['Ann'] },
      updatedAt: new Date('2026-01-05T08:00:00Z'),
      sections: [{ text: 'Story one.' }],
    });
    const { server } = site;
    if (!server) throw new Error('The fixture has a server.');
    server.requests.length = 0;
    const second = await poll(test, site.settings);
    expect(second.unchanged.toSorted()).toEqual(site.ids().toSorted());
    expect(second.documents).toEqual([]);
    expect(server.requests).toHaveLength(4);
    const edited = site.put('three', 'Another end.', DAY);
    const third = await poll(test, site.settings);
    expect(third.documents.map(({ id }) => id)).toEqual([edited]);
  });

  test('stay when they scroll off, and go when the feed says so', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    await poll(test, site.settings);
    const all = site.ids().toSorted();
    const { server } = site;
    if (!server) throw new Error('The fixture has a server.');
    // Only the newest page of the feed is left.
    const hidden = { kind: 'status', status: 200, body: rssFeed('') } as const;
    server.fault = () => hidden;
    expect(await listIds(test, site.settings)).toEqual(all);
    server.fault = () => null;
    site.remove('two');
    expect(await listIds(test, site.settings)).toEqual(site.ids().toSorted());
    const gone = await poll(test, site.settings);
    expect(gone.removed).toEqual([`${server.url}/stories/two`]);
    expect(await listIds(test, site.settings)).toEqual(site.ids().toSorted());
    site.put('two', 'Back again.', DAY);
    await poll(test, site.settings);
    expect(await listIds(test, site.settings)).toEqual(all);
  });

  test('are all read even if some disappear while the feed is read', async () => {
    await using site = await startFixture();
    await using test = openTestContext();
    const seen: string[] = [];
    for await (const step of rss.poll(rss.settings.parse(site.settings), {}, null, test.context)) {
      for (const entry of step.memory) test.memory.set(entry.key, entry);
      seen.push(...step.documents.map(({ id }) => id));
      for (const name of ['one', 'two', 'three']) site.remove(name);
    }
    expect(seen).toEqual(expect.arrayContaining(site.ids()));
    expect(seen).toHaveLength(new Set(seen).size);
  });

  test('resume from every checkpoint, each once', async () => {
    await using site = await startFixture();
    site.fill(120, DAY);
    await using whole = openTestContext();
    const { pages } = await poll(whole, site.settings);
    for (const cut of [0, 1, 2, 3, 40, pages.length - 1]) {
      await using test = openTestContext();
      for (const { memory } of pages.slice(0, cut + 1)) {
        for (const entry of memory) test.memory.set(entry.key, entry);
      }
      const saved: unknown = JSON.parse(JSON.stringify(pages[cut]?.checkpoint));
      const rest = await poll(test, site.settings, rss.checkpoint.parse(saved));
      const before = pages.slice(0, cut + 1).flatMap(({ documents }) => documents);
      const ids = [...before, ...rest.documents].map(({ id }) => id);
      expect(ids.toSorted()).toEqual(site.ids().toSorted());
      expect(rest.unchanged).toEqual([]);
    }
  });
});

describe('each format is read', () => {
  const url = 'https://n.example/feed';

  test('such as RSS 2.0, with ids from permalinks, links and names', () => {
    const feed = readFeed(
      rssFeed(`<item><title>A &amp;amp; B</title><link>/a?utm_source=rss</link><guid isPermaLink="false">https://n.example/?p=1</guid><pubDate>Mon, 05 Jan 2026 08:00:00 +0100</pubDate><category>x</category><content:encoded><![CDATA[<p>Long <a href="/b">text</a></p>]]></content:encoded><description>Short</description></item>
      <item><title>B</title><link>/b</link><guid>abc</guid><description>1 * 2 &lt; 3</description></item>
      <item><description>No title and no link, only words.</description></item>`),
      url,
    );
    expect(feed?.items).toMatchObject([
      {
        id: 'https://n.example/?p=1',
        link: 'https://n.example/a',
        title: 'A & B',
        text: 'Long text',
        categories: ['x'],
        updatedAt: new Date('2026-01-05T07:00:00Z'),
      },
      { id: 'https://n.example/b', text: '1 * 2 < 3', updatedAt: null },
      {
        id: expect.stringMatching(/^https:\/\/n\.example\/feed#.{22}$/),
        title: 'No title and no link, only words.',
      },
    ]);
  });

  test('such as RSS 0.91 and 1.0', () => {
    const old = `<rss version="0.91"><channel><title>Old</title><link>https://n.example</link><description>d</description><item><title>A</title><link>https://n.example/a</link></item></channel></rss>`;
    expect(readFeed(old, url)?.items).toMatchObject([{ id: 'https://n.example/a', text: 'A' }]);
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://n.example"><title>R</title><link>https://n.example</link><description>d</description></channel><item rdf:about="https://n.example/a"><title>A</title><link>https://n.example/a</link><description>Words</description><dc:creator>Ann</dc:creator><dc:date>2026-01-05T08:00:00Z</dc:date></item></rdf:RDF>`;
    expect(readFeed(rdf, url)?.items).toMatchObject([
      {
        id: 'https://n.example/a',
        text: 'Words',
        authors: [{ display_name: 'Ann' }],
        updatedAt: new Date('2026-01-05T08:00:00Z'),
      },
    ]);
  });

  test('such as Atom with XHTML content, and JSON Feed with paging', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>u</id><updated>2026-01-01T00:00:00Z</updated><entry><id>tag:a</id><title type="html">A &lt;b&gt;bold&lt;/b&gt; title</title><link href="a"/><updated>2026-01-02T00:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><h2>Head</h2><p>Words</p></div></content></entry></feed>`;
    expect(readFeed(atom, url)?.items).toMatchObject([
      { id: 'https://n.example/a', title: 'A bold title', text: '## Head\n\nWords' },
    ]);
    const json = {
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      next_url: '/feed?2',
      items: [{ id: '7', url: 'https://n.example/7', content_text: 'a <b> c', tags: ['t'] }],
    };
    expect(readFeed(JSON.stringify(json), url)).toMatchObject({
      next: 'https://n.example/feed?2',
      items: [{ id: 'https://n.example/7', text: 'a <b> c', title: 'a <b> c' }],
    });
  });

  test('and anything else is refused', () => {
    expect(readFeed('<html></html>', url)).toBeNull();
    expect(readFeed('{"items": 1', url)).toBeNull();
    expect(readFeed('', url)).toBeNull();
  });
});
