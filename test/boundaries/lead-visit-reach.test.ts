import { describe, expect, test } from 'vitest';
import { fakeExtractor, linking, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { visit } = openVisits();

const VCARD = {
  headers: { 'content-type': 'text/vcard' },
  body: 'BEGIN:VCARD\nFN:Jane\nEND:VCARD',
};

test('people are followed to their vCards: home, people, profile, card, and no further', async () => {
  await using sites = await startLeadSites({
    'acme.test/': linking('/people'),
    'acme.test/people': linking('/people/jane-doe'),
    'acme.test/people/jane-doe': linking('/jane.vcf', '/contact'),
    'acme.test/jane.vcf': VCARD,
    'acme.test/contact': 'Three links away, and not about people',
  });
  const { paths, read } = await visit(sites, 'acme.test/');
  expect(paths.slice(1)).toEqual([
    'acme.test/people',
    'acme.test/people/jane-doe',
    'acme.test/jane.vcf',
  ]);
  expect(read).toContain(`vcard ${VCARD.body}`);
});

test('the country that a page shows is told to the extraction of the pages after it', async () => {
  await using sites = await startLeadSites({
    'acme.test/': linking('/contact', '/team'),
    'acme.test/contact': 'Contact',
    'acme.test/team': 'Team',
  });
  const regions: (string | null | undefined)[] = [];
  const fake = fakeExtractor();
  const leadExtractor = {
    ...fake,
    extract: async (page: Parameters<typeof fake.extract>[0]) => {
      regions.push(page.region);
      const extracted = await fake.extract(page);
      return { ...extracted, region: ['DK', 'SE'][regions.length - 1] ?? null };
    },
  };
  await visit(sites, 'acme.test/', { services: { leadExtractor } });
  expect(regions).toEqual([null, 'DK', 'DK']);
});

test('on a small site, pages with unspecific names and its list of news are read, but no single news and not its shop', async () => {
  await using sites = await startLeadSites({
    'acme.test/': linking('/haus-am-see', '/blog', '/shop/hat', '/login'),
    'acme.test/haus-am-see': 'House',
    'acme.test/blog': linking('/blog/summer-feast'),
    'acme.test/blog/summer-feast': 'News',
    'acme.test/shop/hat': 'Hat',
  });
  const { paths, problems } = await visit(sites, 'acme.test/');
  expect(paths).toEqual(['acme.test/', 'acme.test/haus-am-see', 'acme.test/blog']);
  expect(problems).toEqual([]);
  expect(sites.requests).not.toContain('acme.test/blog/summer-feast');
  expect(sites.requests).not.toContain('acme.test/shop/hat');
});

const EVERYTHING_FOUND =
  '<a href="mailto:info@acme.test"></a><a href="tel:+493012345678"></a>' +
  '<a href="https://www.linkedin.com/company/acme"></a>';

test('pages about the organisation and a few others are read, although everything is found', async () => {
  await using sites = await startLeadSites({
    'acme.test/': EVERYTHING_FOUND + linking('/about', '/workshop', '/en'),
    'acme.test/about': 'People',
    'acme.test/workshop': 'A department',
    'acme.test/en': linking('/en/contact'),
    'acme.test/en/contact': 'For other countries',
  });
  const { paths } = await visit(sites, 'acme.test/', { wants: ['email', 'phone'] });
  expect(paths).toEqual([
    'acme.test/',
    'acme.test/about',
    'acme.test/workshop',
    'acme.test/en',
    'acme.test/en/contact',
  ]);
});

test('on a site with many pages of unspecific names, none of them is read when everything is found', async () => {
  const products = Array.from({ length: 9 }, (_, at) => `/hat-${at}`);
  await using sites = await startLeadSites({
    'acme.test/': EVERYTHING_FOUND + linking('/a/team', '/b/team', '/c/team', '/team', ...products),
  });
  const { paths } = await visit(sites, 'acme.test/', { wants: ['email', 'phone'] });
  expect(paths).toEqual(['acme.test/']);
  expect(sites.requests.filter((path) => path.includes('hat'))).toEqual([]);
});

test('the page of a member is read as such', async () => {
  await using sites = await startLeadSites({
    'acme.test/': linking('/members'),
    'acme.test/members': linking('/members/harbor-coffee'),
    'acme.test/members/harbor-coffee': 'Coffee',
  });
  expect((await visit(sites, 'acme.test/')).read).toContain('member html Coffee');
});

describe('cookies', () => {
  test('set by a redirect are sent back, so the page behind it is read', async () => {
    await using sites = await startLeadSites({
      'acme.test/': (request, response) => {
        const isKnown = request.headers.cookie === 'consent=yes; lang=en';
        if (isKnown) response.writeHead(200, { 'content-type': 'text/html' }).end(linking('/team'));
        else {
          const cookies = ['consent=yes; Path=/', 'lang=en; Path=/'];
          response.writeHead(302, { location: '/', 'set-cookie': cookies }).end();
        }
      },
      'acme.test/team': 'Team',
    });
    expect((await visit(sites, 'acme.test/')).paths).toEqual(['acme.test/', 'acme.test/team']);
  });

  test('stay on their host and end with the visit', async () => {
    const seen: (string | undefined)[] = [];
    await using sites = await startLeadSites({
      'acme.test/': (request, response) => {
        seen.push(request.headers.cookie);
        const location = `http://other.test:${sites.port}/`;
        response.writeHead(302, { location, 'set-cookie': 'id=1; Path=/' }).end();
      },
      'other.test/': (request, response) => {
        seen.push(request.headers.cookie);
        response.writeHead(200, { 'content-type': 'text/html' }).end('Home');
      },
    });
    await visit(sites, 'acme.test/');
    await visit(sites, 'acme.test/');
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('frames', () => {
  test('count as part of their page, and so do their links', async () => {
    await using sites = await startLeadSites({
      'acme.test/': '<frameset><frame src="menu.html"><frame src="main.html"></frameset>',
      'acme.test/menu.html': linking('/team.html'),
      'acme.test/main.html': linking('mailto:info@acme.test'),
      'acme.test/team.html': linking('/team/jane-doe'),
      'acme.test/team/jane-doe': 'Jane',
    });
    const { paths, pages } = await visit(sites, 'acme.test/');
    expect(paths).toEqual(['acme.test/', 'acme.test/team.html', 'acme.test/team/jane-doe']);
    expect(pages[0]?.cards.flatMap(({ emails }) => emails)).toEqual(['info@acme.test']);
  });

  test('are not requested from other sites, nor more than three per page, nor inside other frames', async () => {
    const frames = ['http://maps.test/x', '/a', '/b', '/c', '/d'];
    await using sites = await startLeadSites({
      'acme.test/': frames.map((src) => `<iframe src="${src}"></iframe>`).join(''),
      'acme.test/a': '<iframe src="/deep"></iframe>',
      'acme.test/b': 404,
      'acme.test/c': 500,
      'acme.test/d': 'Fourth',
      'acme.test/deep': 'Deep',
    });
    const { problems } = await visit(sites, 'acme.test/');
    const asked = sites.pages().map((path) => path.replace('acme.test', ''));
    expect(asked.filter((path) => path.length <= 2)).toEqual(['/', '/a', '/b', '/c']);
    expect(problems.map(({ url }) => new URL(url).pathname)).toEqual(['/c']);
    expect(sites.requests.some((path) => path.startsWith('maps.test'))).toBe(false);
  });
});
