import { describe, expect, test } from 'vitest';
import { linking, type SiteAnswer, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { visit } = openVisits();
const pathsOf = (problems: readonly { url: string }[]): string[] =>
  problems.map(({ url }) => new URL(url).pathname);

describe('a visit says which pages of the site it could not read', () => {
  test('those that fail, and those that robots.txt forbids', async () => {
    await using sites = await startLeadSites({
      'acme.test/robots.txt': 'User-agent: *\nDisallow: /team',
      'acme.test/': linking('/contact', '/team', '/about'),
      'acme.test/contact': 500,
      'acme.test/about': 'About',
    });
    const { failure, problems, paths } = await visit(sites, 'acme.test/');
    expect([failure, paths]).toEqual([null, ['acme.test/', 'acme.test/about']]);
    expect(problems).toEqual([
      { url: sites.url('acme.test/contact'), reason: 'acme.test answered 500.' },
      {
        url: sites.url('acme.test/team'),
        reason: 'acme.test does not allow robots to read /team (robots.txt).',
      },
    ]);
  });

  test('not links that lead to nothing, and not addresses that were only guessed', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact'),
      'other.test/': 'Nothing is linked here.',
      'other.test/contact': 500,
    });
    expect((await visit(sites, 'acme.test/')).problems).toEqual([]);
    expect((await visit(sites, 'other.test/')).problems).toEqual([]);
    expect(sites.requests).toContain('other.test/contact');
  });

  test('those that its budget did not reach', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/team', '/about'),
      'acme.test/contact': 'Contact',
      'acme.test/team': 'Team',
    });
    const limits = { requests: 3 };
    const { problems, paths } = await visit(sites, 'acme.test/', { limits });
    expect(paths).toEqual(['acme.test/', 'acme.test/contact']);
    expect(pathsOf(problems)).toEqual(['/team', '/about']);
    expect(problems[0]?.reason).toContain('ended before this page was read');
  });
});

describe('a connection that breaks', () => {
  const breaking = (times: number): SiteAnswer => {
    let asked = 0;
    return (request, response) => {
      asked += 1;
      if (asked <= times) request.socket.resetAndDestroy();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('Home');
    };
  };

  test('is requested a second time', async () => {
    await using sites = await startLeadSites({ 'acme.test/': breaking(1) });
    expect(await visit(sites, 'acme.test/')).toMatchObject({
      failure: null,
      paths: ['acme.test/'],
    });
  });

  test('is not tried again and again', async () => {
    await using sites = await startLeadSites({ 'acme.test/': breaking(100) });
    expect((await visit(sites, 'acme.test/')).failure).toMatch(/reset the connection/);
    expect(sites.pages()).toEqual(['acme.test/', 'acme.test/']);
  });
});

test('no request follows once the visit must end', async () => {
  await using sites = await startLeadSites({
    'acme.test/': linking('/contact', '/team'),
    'acme.test/contact': 'Contact',
    'acme.test/team': 'Team',
  });
  const visiting = visit(sites, 'acme.test/', {
    beforeRequest: () =>
      sites.pages().length < 2 ? Promise.resolve() : Promise.reject(new Error('canceled')),
  });
  await expect(visiting).rejects.toThrow('canceled');
  expect(sites.pages()).toEqual(['acme.test/', 'acme.test/contact']);
});

test('each hop of a redirect takes a turn of the site', async () => {
  await using sites = await startLeadSites({
    'acme.test/': { status: 302, headers: { location: '/en/' } },
    'acme.test/en/': { status: 302, headers: { location: '/en/home' } },
    'acme.test/en/home': 'Home',
  });
  let turns = 0;
  await visit(sites, 'acme.test/', {
    limits: { pages: 1 },
    beforeRequest() {
      turns += 1;
      return Promise.resolve();
    },
  });
  // robots.txt, and three pages.
  expect(turns).toBe(4);
});
