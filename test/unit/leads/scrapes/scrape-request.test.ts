import { describe, expect, test } from 'vitest';
import {
  readScrapeRequest,
  scrapeRequestSchema,
  shareKeyOf,
} from '#src/leads/scrapes/scrape-request.ts';
import { OutboundError } from '#src/platform/outbound.ts';

const guard = {
  addressesOf: (host: string) =>
    host === '10.0.0.1'
      ? Promise.reject(new OutboundError('refused', `${host} is private.`))
      : Promise.resolve([{ address: '192.0.2.1', family: 4 as const }]),
};
const read = (body: object) =>
  readScrapeRequest(guard, scrapeRequestSchema.parse(body), new AbortController().signal);

describe('several addresses', () => {
  test('are one scrape, each page once, in the order of the request', async () => {
    const urls = [
      'b.example/team',
      'https://a.example',
      'https://www.a.example/#top',
      'a.example/x',
    ];
    expect(await read({ mode: 'scrape_url', urls })).toMatchObject({
      query: 'b.example/team and 2 more',
      urls: ['b.example/team', 'https://a.example/', 'a.example/x'],
    });
  });

  test('of one page are the same as a single address', async () => {
    const one = await read({ mode: 'scrape_url', query: 'https://a.example/' });
    const list = await read({
      mode: 'scrape_url',
      urls: ['https://a.example', 'https://a.example/'],
    });
    expect(list).toEqual(one);
    expect(shareKeyOf(list)).toBe(shareKeyOf(one));
  });

  test('have another key than other addresses with the same beginning', async () => {
    const [one, other] = await Promise.all(
      ['b.example', 'c.example'].map((url) =>
        read({ mode: 'scrape_url', urls: ['a.example', url] }),
      ),
    );
    if (!one || !other) throw new Error('There are two orders.');
    expect(one.query).toBe(other.query);
    expect(shareKeyOf(one)).not.toBe(shareKeyOf(other));
  });

  test.each([
    [['a.example', 'two words'], 'body.urls[1]: must be the URL'],
    [['a.example', 'b.example', 'http://10.0.0.1/'], 'body.urls[2]: 10.0.0.1 cannot be reached'],
    [['ftp://a.example/', 'b.example'], 'body.urls[0]: cannot be called'],
  ])('%j is refused with the position of the bad one', async (urls, message) => {
    await expect(read({ mode: 'scrape_url', urls })).rejects.toThrow(message);
  });
});

test.each([
  [{ mode: 'scrape_url' }, 'body.query: is missing'],
  [
    { mode: 'scrape_url', query: 'a.example', urls: ['b.example'] },
    'body.query: cannot be combined with',
  ],
  [{ mode: 'keyword_search', urls: ['b.example'] }, 'body.urls: needs mode scrape_url'],
])('%j names the field and the remedy', async (body, message) => {
  await expect(read(body)).rejects.toThrow(message);
});

test('fifty addresses are the limit, and an empty list is refused', () => {
  const listOf = (count: number) => ({
    mode: 'scrape_url',
    urls: Array.from({ length: count }, (_, at) => `a${at}.example`),
  });
  expect(scrapeRequestSchema.safeParse(listOf(50)).success).toBe(true);
  expect(scrapeRequestSchema.safeParse(listOf(51)).success).toBe(false);
  expect(scrapeRequestSchema.safeParse(listOf(0)).success).toBe(false);
});
