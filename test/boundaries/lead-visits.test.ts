import { describe, expect, test } from 'vitest';
import type { Services } from '#src/services.ts';
import { linking, startLeadSites } from '#test/support/named-sites.ts';
import { openVisits } from '#test/support/visit-sites.ts';

const { visit } = openVisits();

describe('which pages', () => {
  test('home, then what it links to by its worth, then what that links to; each is counted', async () => {
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
      onPage: (pagesRead) => {
        counted.push(pagesRead);
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

  test('a German site shows its imprint first', async () => {
    await using sites = await startLeadSites({
      'acme.test/': `<html lang="de">${linking('/kontakt', '/impressum')}`,
      'acme.test/kontakt': 'Kontakt',
      'acme.test/impressum': 'Impressum',
    });
    const { paths } = await visit(sites, 'acme.test/');
    expect(paths).toEqual(['acme.test/', 'acme.test/impressum', 'acme.test/kontakt']);
  });

  test('a visit ends when all was found and nobody is left to meet', async () => {
    const answers = {
      'acme.test/': linking(
        '/contact',
        '/team',
        '/about',
        'mailto:a@acme.test',
        'tel:+15551234567',
      ),
      'acme.test/contact': 'Contact',
      'acme.test/team': 'Team',
      'acme.test/about': 'About',
    };
    await using sites = await startLeadSites(answers);
    const enough = await visit(sites, 'acme.test/');
    expect(enough.paths).toEqual(['acme.test/', 'acme.test/contact', 'acme.test/team']);
    const more = await visit(sites, 'acme.test/', { wants: ['email', 'socials'] });
    expect(more.paths).toHaveLength(4);
  });

  test('a visit may begin below home, which is read next; a page that is gone does not end it', async () => {
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

  test('one page behind several addresses is read as one, and links that lead away are none', async () => {
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

  test('a start page that has moved to another site moves the visit there', async () => {
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

  test('a page that sends its readers on is followed once', async () => {
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

  test('a sitemap names what no link does; what nothing names is guessed', async () => {
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

  test('a page that cannot be taken apart is lost alone', async () => {
    await using sites = await startLeadSites({
      'acme.test/': linking('/contact', '/team'),
      'acme.test/contact': 'BOMB',
      'acme.test/team': 'Team',
    });
    const { paths, failure } = await visit(sites, 'acme.test/');
    expect({ paths, failure }).toEqual({ paths: ['acme.test/', 'acme.test/team'], failure: null });
  });
});

describe('pages that are empty without their scripts', () => {
  const answers = {
    'acme.test/': `EMPTY ${linking('/contact')}`,
    'acme.test/contact': 'EMPTY',
    'acme.test/team': 'EMPTY',
    'acme.test/about': 'EMPTY',
  };

  test('are rendered, three of a site', async () => {
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
      'it is sent elsewhere',
      () =>
        Promise.resolve({ status: 200, url: 'http://x.test/', html: linking('mailto:x@x.test') }),
    ],
    [
      'it is shown an error',
      () =>
        Promise.resolve({
          status: 500,
          url: 'http://acme.test/',
          html: linking('mailto:x@x.test'),
        }),
    ],
    [
      'it is shown nothing',
      () => Promise.resolve({ status: 200, url: 'http://acme.test/', html: '' }),
    ],
    [
      'it is shown what cannot be read',
      () => Promise.resolve({ status: 200, url: 'http://acme.test/', html: 'BOMB' }),
    ],
  ])('count as they were sent when %s', async (_, render) => {
    await using sites = await startLeadSites(answers);
    const { pages, failure } = await visit(sites, 'acme.test/', {
      services: { renderer: { render } },
    });
    expect(failure).toBeNull();
    expect(pages.map((page) => page.cards[0]?.emails)).toEqual([[], []]);
  });
});
