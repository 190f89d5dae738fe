import { expect, test } from 'vitest';
import { readFeed } from '#src/connectors/kinds/rss/read-feed.ts';
import { rss } from '#src/connectors/kinds/rss/rss.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { startFakeSource } from '#test/support/fake-source.ts';

const URL = 'https://n.example/feed';
const feedOf = (items: string): string =>
  `<rss version="2.0"><channel><title>Changes</title><link>https://n.example</link><description>d</description>${items}</channel></rss>`;
const item = (title: string, link: string, guid = ''): string =>
  `<item><title>${title}</title><link>${link}</link>${guid && `<guid isPermaLink="false">${guid}</guid>`}<description>About ${title}.</description></item>`;
const idsOf = (items: string): string[] =>
  readFeed(feedOf(items), URL)?.items.map(({ id }) => id.replace('https://n.example', '')) ?? [];

test('changelog entries that link to one page stay separate documents', () => {
  const log = 'https://n.example/log';
  expect(idsOf(item('A', `${log}#v1`) + item('B', `${log}#v2`))).toEqual(['/log#v1', '/log#v2']);
  expect(idsOf(item('A', log, `${log}#v1`) + item('B', log, `${log}#v2`))).toEqual([
    '/log#v1',
    '/log#v2',
  ]);
  expect(idsOf(item('A', log, 'v1') + item('B', log, 'v2'))).toEqual(['/log#v1', '/log#v2']);
  expect(new Set(idsOf(item('A', log) + item('B', log))).size).toBe(2);
});

test('entries that all use the id of the feed are distinguished by their links', () => {
  const items = item('A', '/a', 'feed') + item('B', '/b', 'feed');
  expect(idsOf(items)).toEqual(['/a', '/b']);
  expect(new Set(readFeed(feedOf(items), URL)?.items.map(({ key }) => key)).size).toBe(2);
});

test('an entry shown twice, or in two versions, is one document', () => {
  const keys = (items: string): Set<string> =>
    new Set(readFeed(feedOf(items), URL)?.items.map(({ key }) => key));
  expect(keys(item('A', '/a') + item('A', '/a')).size).toBe(1);
  expect(keys(item('A', '/a', '1') + item('A, corrected', '/a', '1')).size).toBe(1);
});

test('a document keeps its id when another entry starts to share its link', async () => {
  let items = item('A', '/log', 'v1');
  await using site = await startFakeSource(() => ({ body: feedOf(items) }));
  await using test = openTestContext();
  const settings = rss.settings.parse({ feed_url: site.url });
  const poll = async () => collectPages(rss.poll(settings, {}, null, test.context), test);
  const documents = (pages: Awaited<ReturnType<typeof poll>>): string[] =>
    pages.flatMap((page) => page.documents.map(({ id }) => id.replace(site.url, '')));
  expect(documents(await poll())).toEqual(['/log']);
  items = item('B', '/log', 'v2') + item('A', '/log', 'v1');
  const second = await poll();
  expect(documents(second)).toEqual(['/log#v2']);
  expect(second.flatMap(({ unchanged }) => unchanged)).toEqual([`${site.url}/log`]);
  items = item('B', '/log', 'v2');
  expect(documents(await poll())).toEqual([]);
  const listed = (await Array.fromAsync(rss.listIds(settings, {}, test.context))).flat();
  expect([...new Set(listed)].toSorted()).toEqual([`${site.url}/log`, `${site.url}/log#v2`]);
});

test('a video has the text of its description', () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><title>T</title><id>u</id><updated>2026-01-01T00:00:00Z</updated><entry><id>yt:video:1</id><title>Film</title><link rel="alternate" href="https://n.example/watch?v=1"/><updated>2026-01-02T00:00:00Z</updated><media:group><media:title>Film</media:title><media:description>What is seen in it.</media:description></media:group></entry></feed>`;
  expect(readFeed(atom, URL)?.items).toMatchObject([
    { id: 'https://n.example/watch?v=1', text: 'What is seen in it.' },
  ]);
});
