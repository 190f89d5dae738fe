import { afterEach, describe, expect, test, vi } from 'vitest';
import { readFeed } from '#src/connectors/kinds/rss/read-feed.ts';

describe('an item without its own text', () => {
  const itemsOf = (items: string): (string | undefined)[] => {
    const spaces = [
      'dc="http://purl.org/dc/elements/1.1/"',
      'media="http://search.yahoo.com/mrss/"',
      'itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"',
    ];
    const xml = `<rss version="2.0" ${spaces.map((one) => `xmlns:${one}`).join(' ')}><channel><title>T</title>${items}</channel></rss>`;
    return (
      readFeed(xml, 'https://n.example/feed')?.items.flatMap(({ title, text }) => [title, text]) ??
      []
    );
  };

  test.each([
    ['its title', '', 'Ships'],
    [
      'dc:description',
      '<dc:description>About &lt;b&gt;ships&lt;/b&gt;.</dc:description>',
      'About **ships**.',
    ],
    ['itunes:summary', '<itunes:summary>An hour on ships.</itunes:summary>', 'An hour on ships.'],
    [
      'media:description',
      '<media:description>A film of ships.</media:description>',
      'A film of ships.',
    ],
    [
      'a media group',
      '<media:group><media:title>X</media:title><media:description>Two films.</media:description></media:group>',
      'Two films.',
    ],
    [
      'a video in a media group',
      '<media:group><media:content url="https://n.example/f.mp4"><media:description>One film.</media:description></media:content></media:group>',
      'One film.',
    ],
  ])('has %s', (_, element, text) => {
    expect(
      itemsOf(`<item><title>Ships</title><link>https://n.example/1</link>${element}</item>`),
    ).toEqual(['Ships', text]);
  });

  test('and without a title has that of its video', () => {
    expect(
      itemsOf(
        '<item><guid>1</guid><media:group><media:title>Harbour</media:title></media:group></item>',
      ),
    ).toEqual(['Harbour', 'Harbour']);
  });
});

describe('a date without a time zone', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each([
    ['Fri, 02 Jan 2026 10:20:30', '2026-01-02T10:20:30.000Z'],
    ['Fri, 02 Jan 2026', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T10:20:30', '2026-01-02T10:20:30.000Z'],
    ['2026-01-02 10:20', '2026-01-02T10:20:00.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['Fri, 02 Jan 2026 10:20:30 EST', '2026-01-02T15:20:30.000Z'],
    ['Fri, 02 Jan 2026 10:20:30 +0200', '2026-01-02T08:20:30.000Z'],
    ['2026-01-02T10:20:30+02:00', '2026-01-02T08:20:30.000Z'],
    ['2026-01-02T10:20:30Z', '2026-01-02T10:20:30.000Z'],
  ])('is UTC wherever the service runs: %s', (written, time) => {
    vi.stubEnv('TZ', 'America/New_York');
    const xml = `<rss version="2.0"><channel><title>T</title><item><title>A</title><pubDate>${written}</pubDate></item></channel></rss>`;
    const feed = readFeed(xml, 'https://n.example/');
    expect(feed?.items[0]?.updatedAt?.toISOString()).toBe(time);
  });
});
