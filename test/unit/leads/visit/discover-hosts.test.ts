import { describe, expect, test } from 'vitest';
import { discoverListed, discoverOthers, discoverPages } from '#src/leads/visit/discover-pages.ts';
import { PageQueue } from '#src/leads/visit/page-queue.ts';

describe('the host of a site', () => {
  const hrefs = (links: string[], url: string, domain: string): string[] =>
    discoverPages({ url, links: links.map((link) => ({ url: link, text: '' })) }, domain).map(
      (page) => page.url,
    );

  test.each([
    ['an IP address and a port', 'http://127.0.0.1:8000/', '127.0.0.1:8000'],
    ['an IP address', 'http://127.0.0.1/', '127.0.0.1'],
    ['IPv6 and a port', 'http://[::1]:8000/', '[::1]:8000'],
    ['localhost and a port', 'http://localhost:8000/', 'localhost:8000'],
  ])('may be %s, and its links are found', (_, home, domain) => {
    const team = new URL('/team.html', home).href;
    expect(hrefs([team], home, domain)).toEqual([team]);
    expect(discoverListed([team], domain)).toMatchObject([{ url: team, kind: 'team' }]);
  });

  test('differs from another port of the same address', () => {
    const others = ['http://127.0.0.1:9000/team', 'http://127.0.0.1/team'];
    expect(hrefs(others, 'http://127.0.0.1:8000/', '127.0.0.1:8000')).toEqual([]);
  });

  test('may have any port when it is a domain name', () => {
    const shop = 'https://shop.acme.example:8443/team';
    expect(hrefs([shop], 'https://www.acme.example/', 'acme.example')).toEqual([shop]);
  });
});

test('a program in a path is no level of the site', () => {
  const url = 'https://www.acme.example/index.php/nursery/groups';
  const page = { url: 'https://www.acme.example/', links: [{ url, text: 'Groups' }] };
  expect(discoverOthers(page, 'acme.example').map((found) => found.url)).toEqual([url]);
});

test('of a small site six pages with unspecific names are read', () => {
  const queue = new PageQueue();
  const urls = [1, 2, 3, 4, 5, 6].map((number) => `https://acme.example/p${number}`);
  queue.add(
    urls.map((url) => ({ url, kind: 'other', share: 0.1 })),
    1,
  );
  expect(urls.map(() => queue.take(false)?.url)).toEqual(urls);
});
