import { describe, expect, test } from 'vitest';
import type { Services } from '#src/services.ts';
import { linking, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { visit } = openVisits();

describe('choice of pages', () => {
  test('reads home, then its links by rank, then their links, and counts each page', async () => {
    const counted: number[] = [];
    await using sites = await startLeadSites({
      'acme.test/': linking(
        '/privacy',
        '/about',
        '/team',
        '/contact',
        '/legal',
        '/prices',
        'http://other.test/team',
      ),
      'acme.test/contact': linking('/', '/jane.vcf'),
      'acme.test/team': linking('/team/jane-doe', '/team/ann-lee'),
      'acme.test/about': 'About',
      'acme.test/legal': 404,
      'acme.test/privacy': 'Privacy',
      'acme.test/team/jane-doe': linking('/team/jane-doe/contact'),
      'acme.test/team/ann-lee': 'Ann',
      'acme.test/team/jane-doe/contact': 'Too deep',
      'acme.test/jane.vcf': {
        headers: { 'content-type': 'text/x-vcard' },
        body: 'BEGIN:VCARD\nFN:Jane\nEND:VCARD',
      },
    });
    const { paths, read, failure } = await visit(sites, 'acme.test/', {
      onPage: (pages) => {
        counted.push(pages.length);
        return Promise.resolve();
      },
    });
    expect(failure).toBeNull();
    expect(paths.map((path) => path.replace('acme.test', ''))).toEqual([
      '/',
      '/contact',
      '/team',
      '/about',
      '/jane.vcf',
      '/team/jane-doe',
      '/team/ann-lee',
      '/privacy',
    ]);
    expect(read).toContain('vcard BEGIN:VCARD\nFN:Jane\nEND:VCARD');
    expect(counted).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(sites.requests.filter((request) => request.includes('other.test'))).toEqual([]);
  });

  test('reads the imprint of a German site first', async () => {
    await using sites = await startLeadSites({
      'acme.test/': `<html lang="de">${linking('/kontakt', '/impressum')}`,
      'acme.test/kontakt': 'Kontakt',
      'acme.test/impressum': 'Impressum',
    });
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toEqual(['acme.test/', 'acme.test/impressum', 'acme.test/kontakt']);
  });

  test('ends the visit once everything wanted is found and no page is left that usually adds more', async () => {
    const answers = {
      'acme.test/': linking(
        '/contact',
        '/team',
        '/privacy',
        'mailto:a@acme.test',
        'tel:+15551234567',
      ),
      'acme.test/contact': 'Contact',
      'acme.test/team': 'Team',
      'acme.test/privacy': 'Privacy',
    };
    await using sites = await startLeadSites(answers);
    const enough = await visit(sites, 'acme.test/');
    expect(enough.paths).toEqual(['acme.test/', 'acme.test/contact', 'acme.test/team']);
    const more = await visit(sites, 'acme.test/', { wants: ['email', 'socials'] });
    expect(more.paths).toHaveLength(4);
  });

  test('can start below home, reads home next, and survives a missing start page', async () => {
    await using sites = await startLeadSites({
      'acme.test/shop/item?id=1': 'Item',
      'acme.test/': linking('/contact', '/index.html'),
      'acme.test/contact': 'Contact',
    });
    const below = await visit(sites, 'acme.test/shop/item?id=1');
    expect(below.paths).toEqual(['acme.test/shop/item?id=1', 'acme.test/', 'acme.test/contact']);
    const gone = await visit(sites, 'acme.test/gone');
    expect(gone.paths).toEqual(['acme.test/', 'acme.test/contact']);
    expect(gone.failure).toBe('acme.test answered 404.');
  });

  test('reads a page with several addresses once and skips redirects to other sites', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/contact-us', '/team', '/about'),
      'acme.test/contact': { status: 302, headers: { location: '/' } },
      'acme.test/contact-us': 'Contact',
      'acme.test/team': { status: 302, headers: { location: 'http://{other.test}/team' } },
      'acme.test/about': { status: 302, headers: { location: 'http://{www.acme.test}/about' } },
      'www.acme.test/about': 'About',
      'other.test/team': 'Not ours',
    });
    const { paths, domain } = await visit(sites, 'acme.test/');
    expect(paths).toEqual(['acme.test/', 'acme.test/contact-us', 'www.acme.test/about']);
    expect(domain).toBe('acme.test');
    expect(sites.requests).not.toContain('other.test/team');
  });

  test('moves the visit to another site when the start page redirects there', async () => {
    await using sites = await startLeadSites({
      'old.test/': {
        body: '<meta http-equiv="refresh" content="0; url=http://{acme.test}/start">',
      },
      'acme.test/start': linking('/contact', 'http://old.test/team'),
      'acme.test/': 'Home',
      'acme.test/contact': 'Contact',
    });
    const { paths, domain, failure } = await visit(sites, 'old.test/');
    expect(failure).toBeNull();
    expect(domain).toBe('acme.test');
    expect(paths).toEqual(['acme.test/start', 'acme.test/', 'acme.test/contact']);
    expect(sites.requests).toContain('acme.test/robots.txt');
  });

  test('follows a meta refresh once', async () => {
    const refresh = (url: string): string => `<META content='0;URL="${url}"' http-equiv=Refresh>`;
    await using sites = await startLeadSites({
      'acme.test/': `<!-- ${refresh('/no')} --><noscript>${refresh('/no')}</noscript>${refresh('/a')}`,
      'acme.test/a': refresh('/b'),
      'acme.test/b': 'B',
      'slow.test/': '<meta http-equiv="refresh" content="600">',
    });
    expect((await visit(sites, 'acme.test/')).paths).toContain('acme.test/a');
    expect(sites.requests).not.toContain('acme.test/b');
    expect(sites.requests).not.toContain('acme.test/no');
    expect((await visit(sites, 'slow.test/')).paths).toEqual(['slow.test/']);
  });

  test('takes pages from the sitemap, and guesses paths when nothing lists any', async () => {
    const urlset = (...paths: string[]): string =>
      `<urlset>${paths.map((path) => `<url><loc>http://{acme.test}${path}</loc></url>`).join('')}</urlset>`;
    await using sites = await startLeadSites({
      'acme.test/robots.txt': 'Sitemap: /maps.xml',
      'acme.test/': linking('/prices'),
      'acme.test/maps.xml': `<sitemapindex><sitemap><loc>http://{acme.test}/posts.xml</loc></sitemap><sitemap><loc>http://{acme.test}/pages.xml</loc></sitemap></sitemapindex>`,
      'acme.test/pages.xml': urlset('/de/kontakt', '/prices', '/team'),
      'acme.test/posts.xml': urlset('/blog/contact-and-more-things'),
      'acme.test/de/kontakt': 'Kontakt',
      'acme.test/team': 'Team',
      'bare.test/': 'Home',
      'bare.test/about': 'About',
    });
    const named = await visit(sites, 'acme.test/');
    expect(named.paths).toEqual(['acme.test/', 'acme.test/de/kontakt', 'acme.test/team']);
    const bare = await visit(sites, 'bare.test/');
    expect(bare.paths).toEqual(['bare.test/', 'bare.test/about']);
    expect(sites.requests).toContain('bare.test/sitemap.xml');
  });

  test('loses only the page that cannot be parsed', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/team'),
      'acme.test/contact': 'BOMB',
      'acme.test/team': 'Team',
    });
    const { paths, failure } = await visit(sites, 'acme.test/');
    expect({ paths, failure }).toEqual({ paths: ['acme.test/', 'acme.test/team'], failure: null });
  });
});

describe('pages that are empty without scripts', () => {
  const answers = {
    'acme.test/': `EMPTY ${linking('/contact')}`,
    'acme.test/contact': 'EMPTY',
    'acme.test/team': 'EMPTY',
    'acme.test/about': 'EMPTY',
  };

  test('are rendered, three per site', async () => {
    const rendered: string[] = [];
    const renderer: Services['renderer'] = {
      render(url) {
        rendered.push(new URL(url).pathname);
        const html = linking('/contact', '/team', '/about', `mailto:${rendered.length}@acme.test`);
        return Promise.resolve({ status: 200, url, html });
      },
    };
    await using sites = await startLeadSites(answers);
    const { pages } = await visit(sites, 'acme.test/', { services: { renderer } });
    expect(rendered).toEqual(['/', '/contact', '/team']);
    expect(pages.map((page) => page.cards[0]?.emails.length)).toEqual([1, 1, 1, 0]);
  });

  test.each<[string, () => Promise<{ status: number; url: string; html: string }>]>([
    ['the browser fails', () => Promise.reject(new Error('Chromium did not start.'))],
    [
      'the rendered page is on another site',
      () =>
        Promise.resolve({ status: 200, url: 'http://x.test/', html: linking('mailto:x@x.test') }),
    ],
    [
      'the rendered page is an error',
      () =>
        Promise.resolve({
          status: 500,
          url: 'http://acme.test/',
          html: linking('mailto:x@x.test'),
        }),
    ],
    [
      'the rendered page is empty',
      () => Promise.resolve({ status: 200, url: 'http://acme.test/', html: '' }),
    ],
    [
      'the rendered page cannot be read',
      () => Promise.resolve({ status: 200, url: 'http://acme.test/', html: 'BOMB' }),
    ],
  ])('are used as the server sent them when %s', async (_, render) => {
    await using sites = await startLeadSites(answers);
    const { pages, failure } = await visit(sites, 'acme.test/', {
      services: { renderer: { render } },
    });
    expect(failure).toBeNull();
    expect(pages.map((page) => page.cards[0]?.emails)).toEqual([[], []]);
  });
});
