import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contactCard, type ContactCard } from '#src/leads/extract/contact-card.ts';
import {
  discoverListed,
  discoverOthers,
  discoverPages,
  guessPages,
  isGermanSite,
} from '#src/leads/visit/discover-pages.ts';
import { OtherPages } from '#src/leads/visit/other-pages.ts';
import { pageKey, plainAddress } from '#src/leads/visit/page-key.ts';
import { PageQueue } from '#src/leads/visit/page-queue.ts';
import { readSitemapLinks } from '#src/leads/visit/read-sitemap-links.ts';
import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const HOME = 'https://www.acme.example/';

function discover(links: (string | [url: string, text: string])[], url: string = HOME) {
  const written = links.map((link) => (typeof link === 'string' ? { url: link, text: '' } : link));
  return discoverPages(
    {
      url,
      links: written.map((link) => ('url' in link ? link : { url: link[0], text: link[1] })),
    },
    'acme.example',
  );
}

const kindsOf = (links: (string | [string, string])[]): [string, string][] =>
  discover(links).map(({ url, kind }) => [new URL(url).pathname, kind]);

describe('page discovery', () => {
  test.each([
    ['another host', 'https://other.example/contact'],
    ['a host whose name ends the same', 'https://notacme.example/contact'],
    ['a mail address', 'mailto:contact@acme.example'],
    ['a script', 'javascript:contact()'],
    ['an address with a password', 'https://a:b@acme.example/contact'],
    ['an image', 'https://acme.example/team.jpg'],
    ['a brochure', 'https://acme.example/contact.pdf'],
    ['the page itself', 'https://acme.example/#contact'],
    ['an endless address', `https://acme.example/contact?x=${'a'.repeat(3_000)}`],
    ['a keyword inside a word', 'https://acme.example/contactless-payment-terminals-for-shops'],
    ['news with keywords', 'https://acme.example/blog/meet-our-team-of-the-year-at-the-fair'],
    ['an invalid percent code', 'https://acme.example/%E0%A4%A'],
  ])('ignores %s', (_, url) => {
    expect(discover([url])).toEqual([]);
  });

  test('ignores a sentence that contains a keyword', () => {
    expect(
      discover([
        ['https://acme.example/x', 'Read how our team has won the award for the best apple pie'],
        ['https://acme.example/y', 'Impressive work about everything you may ever want to know'],
        ['https://acme.example/z', `contact ${'x'.repeat(5_000)}`],
      ]),
    ).toEqual([]);
  });

  test('reads a page with 100,000 links quickly', () => {
    const links = Array.from({ length: 100_000 }, (_, index): [string, string] => [
      `https://acme.example/a/b-${index}/c`,
      `one two three four five six seven ${index}`,
    ]);
    expect(cpuMsOf(() => discover(links))).toBeLessThan(2_000);
  });

  test('survives any text', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 });
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        discover([[`https://acme.example/${text}`, text]]);
      }),
    );
  });
});

describe('discovery by page names', () => {
  test.each([
    ['English', 'Contact us', 'contact'],
    ['English', 'Meet the team', 'team'],
    ['English', 'About', 'about'],
    ['English', 'Legal notice', 'imprint'],
    ['German', 'Impressum', 'imprint'],
    ['German', 'Über uns', 'about'],
    ['German', 'Ansprechpartner', 'team'],
    ['German', 'Datenschutzerklärung', 'privacy'],
    ['French', 'Mentions légales', 'imprint'],
    ['French', 'Nous contacter', 'contact'],
    ['French', 'L’équipe', 'team'],
    ['French', 'À propos', 'about'],
    ['Spanish', 'Quiénes somos', 'about'],
    ['Spanish', 'Aviso legal', 'imprint'],
    ['Spanish', 'Contáctenos', 'contact'],
    ['Italian', 'Chi siamo', 'about'],
    ['Italian', 'Contatti', 'contact'],
    ['Portuguese', 'Fale conosco', 'contact'],
    ['Portuguese', 'Quem somos', 'about'],
    ['Portuguese', 'Executivo', 'team'],
    ['Portuguese', 'Assembleia de Freguesia', 'team'],
    ['Italian', 'Specialisti', 'team'],
    ['Swedish', 'Kyrkorådet', 'team'],
    ['Croatian', 'Nadzorni odbor', 'team'],
    ['Dutch', 'Over ons', 'about'],
    ['Dutch', 'Medewerkers', 'team'],
    ['Polish', 'Zespół', 'team'],
    ['Polish', 'O nas', 'about'],
    ['Swedish', 'Kontakta oss', 'contact'],
    ['Swedish', 'Vårt team', 'team'],
    ['Danish', 'Medarbejdere', 'team'],
    ['Norwegian', 'Kontakt oss', 'contact'],
    ['Finnish', 'Yhteystiedot', 'contact'],
    ['Czech', 'Náš tým', 'team'],
    ['Hungarian', 'Kapcsolat', 'contact'],
    ['Romanian', 'Despre noi', 'about'],
    ['Turkish', 'İletişim', 'contact'],
    ['Turkish', 'Hakkımızda', 'about'],
    ['Russian', 'Контакты', 'contact'],
    ['Russian', 'О компании', 'about'],
    ['Ukrainian', 'Про нас', 'about'],
    ['Greek', 'Επικοινωνία', 'contact'],
    ['Hebrew', 'צור קשר', 'contact'],
    ['Arabic', 'اتصل بنا', 'contact'],
    ['Japanese', 'お問い合わせはこちら', 'contact'],
    ['Japanese', '特定商取引法に基づく表記', 'imprint'],
    ['Chinese', '联系我们', 'contact'],
    ['Chinese', '關於我們', 'about'],
    ['Korean', '회사소개', 'about'],
  ])('reads %s: %s as %s, in text and in a path', (_, text, kind) => {
    expect(kindOfName(text)?.kind).toBe(kind);
    expect(discover([['https://acme.example/p/17', text]])).toMatchObject([{ kind }]);
    const path = text.toLowerCase().replaceAll(/[\s’]+/g, '-');
    expect(discover([new URL(`/site/${path}.html`, HOME).href])).toMatchObject([{ kind }]);
  });

  test('uses the better name of path and text, and also reads a path in a parameter', () => {
    expect(
      kindsOf([
        ['https://acme.example/team', 'More about our work'],
        ['https://acme.example/page/12', 'Imprint & privacy'],
        'https://acme.example/aboutUs.aspx',
        'https://acme.example/index.php?page=kontakt',
        'https://acme.example/support/contact',
        'https://acme.example/news/contact',
      ]),
    ).toEqual([
      ['/team', 'team'],
      ['/page/12', 'imprint'],
      ['/aboutUs.aspx', 'about'],
      ['/index.php', 'contact'],
      ['/support/contact', 'contact'],
      ['/news/contact', 'contact'],
    ]);
  });

  test('treats pages below the team as people, vCard files as cards, and subdomains as part of the site', () => {
    expect(
      discover([
        'https://acme.example/team/jane-doe',
        'https://acme.example/team/page/2',
        'https://acme.example/about/history',
        'https://acme.example/files/jane.VCF?v=1',
        'https://jobs.acme.example/kontakt',
      ]).map(({ url, kind }) => [url, kind]),
    ).toEqual([
      ['https://acme.example/team/jane-doe', 'person'],
      ['https://acme.example/about/history', 'about'],
      ['https://acme.example/files/jane.VCF?v=1', 'vcard'],
      ['https://jobs.acme.example/kontakt', 'contact'],
    ]);
  });

  test('goes on with the further pages of a list', () => {
    const url = 'https://acme.example/empresas/';
    const links = ['page/2/', '3', 'pagina-4', 'acme-tools', '../page/9/'].map((path) => ({
      url: new URL(path, url).href,
      text: 'More',
    }));
    const kinds = (cards: ContactCard[]): string[] =>
      discoverPages({ url, links, cards }, 'acme.example').map(
        (page) => `${page.kind} ${new URL(page.url).pathname}`,
      );
    const member = contactCard({
      technique: 'member-card',
      kind: 'organization',
      entity: 'member',
    });
    expect(kinds([member])).toEqual([
      'members /empresas/page/2/',
      'members /empresas/3',
      'members /empresas/pagina-4',
    ]);
    const person = contactCard({ technique: 'team-card', kind: 'person' });
    expect(kinds([person, person])[0]).toBe('team /empresas/page/2/');
    expect(kinds([])).toEqual([]);
  });

  test('recognizes the page of a listed member by its name', () => {
    const url = 'https://acme.example/find-a-roofer';
    const links = [
      { url: `${url}/colinet-sons`, text: 'Colinet & Sons Ltd' },
      { url: `${url}/guide`, text: 'How to choose' },
    ];
    const member = contactCard({
      technique: 'member-card',
      kind: 'organization',
      entity: 'member',
      name: 'Colinet & Sons',
    });
    const pages = discoverPages({ url, links, cards: [member] }, 'acme.example');
    expect(pages.map((page) => [page.url, page.kind])).toEqual([[`${url}/colinet-sons`, 'member']]);
  });

  test('recognizes lists of members and the pages below them', () => {
    expect(
      kindsOf([
        'https://acme.example/mitglieder/',
        ['https://acme.example/p/9', 'Our members'],
        'https://acme.example/annuaire/atelier-du-pont',
        'https://acme.example/support/forgotten-password',
      ]),
    ).toEqual([
      ['/mitglieder/', 'members'],
      ['/p/9', 'members'],
      ['/annuaire/atelier-du-pont', 'member'],
    ]);
  });

  test('recognizes vCards by URL, link text and type, and frames by their element', () => {
    const page = {
      url: HOME,
      links: [
        { url: `${HOME}people/jane/vcard`, text: '' },
        { url: `${HOME}download.php?id=7`, text: 'Save vCard' },
        { url: `${HOME}file/8`, text: 'Jane', role: 'vcard' as const },
        { url: `${HOME}main.html`, text: '', role: 'frame' as const },
        { url: 'https://other.example/map', text: '', role: 'frame' as const },
        { url: `${HOME}discard-policy`, text: 'vcardigan' },
      ],
    };
    expect(discoverPages(page, 'acme.example').map(({ kind }) => kind)).toEqual([
      'vcard',
      'vcard',
      'vcard',
      'frame',
    ]);
  });

  test('takes pages with unspecific names only from the top of a site', () => {
    const links = ['about-the-river', 'blog', 'shop/hats', 'a/b/c', 'login', 'x.pdf', 'p?a=1&b=2'];
    const page = { url: HOME, links: links.map((path) => ({ url: HOME + path, text: '' })) };
    expect(discoverOthers(page, 'acme.example').map(({ url }) => url)).toEqual([
      `${HOME}about-the-river`,
      `${HOME}blog`,
    ]);
  });

  test('takes the page for applications, but no vacancy below it', () => {
    const links = ['careers', 'careers/engineer', 'jobs.html', 'news'];
    const page = { url: HOME, links: links.map((path) => ({ url: HOME + path, text: '' })) };
    expect(discoverOthers(page, 'acme.example').map(({ url }) => url)).toEqual([
      `${HOME}careers`,
      `${HOME}jobs.html`,
      `${HOME}news`,
    ]);
  });

  test('finds a page once, however its address is spelled', () => {
    expect(
      discover([
        ['https://acme.example/contact', 'write'],
        ['https://ACME.example:443/contact/', 'Contact'],
        ['http://www.acme.example/contact#form', 'Contact'],
        ['https://acme.example/contact?utm_source=nav&gclid=1', 'Contact'],
      ]),
    ).toEqual([{ url: 'https://acme.example/contact', kind: 'contact', share: 1 }]);
  });
});

test('a page key keeps what distinguishes pages', () => {
  const keyOf = (url: string): string => {
    const address = plainAddress(url);
    return address ? pageKey(address) : '';
  };
  expect(keyOf('https://a.example/x?id=1')).not.toBe(keyOf('https://a.example/x?id=2'));
  expect(keyOf('https://a.example/x')).not.toBe(keyOf('https://b.example/x'));
  expect(keyOf('https://a.example/X')).not.toBe(keyOf('https://a.example/x'));
  expect(keyOf('https://a.example:8443/x')).not.toBe(keyOf('https://a.example/x'));
  expect(keyOf('https://a.example/de/index.html')).toBe(keyOf('http://www.a.example//de/'));
  expect(plainAddress('ftp://a.example/')).toBeNull();
});

test('a page that is named like a list of organisations is one of members', () => {
  expect(kindsOf([[`${HOME}p8`, 'Unsere Innungen']])).toEqual([['/p8', 'members']]);
});

test('on a larger site, the few pages at its top are read, not the entries of its lists', () => {
  const others = new OtherPages();
  const queue = new PageQueue();
  const page = (path: string) => ({ url: HOME + path, kind: 'other' as const, share: 0.1 });
  others.note(['bond', ...Array.from({ length: 9 }, (_, at) => `node/${at}`)].map(page), 1, queue);
  expect(others.areWanted(9)).toBe(true);
  others.moveTo(queue);
  expect([queue.take(false)?.url, queue.take(false)]).toEqual([`${HOME}bond`, null]);
});

describe('the queue', () => {
  const order = (isGerman: boolean): string[] => {
    const queue = new PageQueue();
    const names = ['privacy', 'jane', 'about', 'legal', 'team', 'contact', 'home'];
    const kinds = ['privacy', 'person', 'about', 'imprint', 'team', 'contact', 'home'] as const;
    for (const [index, kind] of kinds.entries()) {
      queue.add([{ url: `${HOME}${names[index]}`, kind, share: 1 }], 1);
    }
    return kinds.map(() => queue.take(isGerman)?.kind ?? 'none');
  };

  test('puts the imprint first where the law requires one, and privacy last', () => {
    const rest = ['contact', 'team', 'about'];
    expect(order(true)).toEqual(['home', 'imprint', ...rest, 'person', 'privacy']);
    expect(order(false)).toEqual(['home', ...rest, 'imprint', 'person', 'privacy']);
    expect(isGermanSite('https://acme.at/', '')).toBe(true);
    expect(isGermanSite('https://acme.com/', 'de')).toBe(true);
    expect(isGermanSite('https://acme.com/', 'en')).toBe(false);
  });

  test('returns no page twice, and only a few of each kind', () => {
    const queue = new PageQueue();
    const cards = Array.from({ length: 9 }, (_, index) => `${HOME}${index}.vcf`);
    for (let time = 0; time < 2; time += 1) {
      queue.add(
        cards.map((url) => ({ url, kind: 'vcard', share: 1 })),
        1,
      );
    }
    queue.mark(`${HOME}contact/`);
    queue.add([{ url: `${HOME}contact`, kind: 'contact', share: 1 }], 1);
    const taken = cards.map(() => queue.take(false)?.url);
    expect(taken.filter((url) => url !== undefined)).toEqual(cards.slice(0, 6));
    expect(queue.has('vcard', 'contact')).toBe(false);
  });
});

test('guesses depend on the language and stay on the host', () => {
  const urls = (isGerman: boolean): string[] =>
    guessPages('https://acme.example/', isGerman).map(({ url }) => url);
  expect(urls(true)).toContain('https://acme.example/impressum');
  expect(urls(true)[0]).toBe('https://acme.example/impressum');
  expect(urls(false)[0]).toBe('https://acme.example/contact');
});

describe('sitemaps', () => {
  const urlset = (urls: string[]): string =>
    `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc> ${url} </loc></url>`).join('')}</urlset>`;

  test('are read even if truncated, compressed, quoted or prefixed', () => {
    const text = urlset([`${HOME}a?x=1&amp;y=2`, `<![CDATA[${HOME}b]]>`, `${HOME}c`]);
    const pages = [`${HOME}a?x=1&y=2`, `${HOME}b`, `${HOME}c`];
    expect(readSitemapLinks(Buffer.from(text)).pages).toEqual(pages);
    expect(readSitemapLinks(gzipSync(text)).pages).toEqual(pages);
    expect(readSitemapLinks(Buffer.from(text.slice(0, -17))).pages).toEqual(pages);
    // A truncated address is dropped.
    const half = Buffer.from(text.slice(0, -30));
    expect(readSitemapLinks(half).pages).toEqual(pages.slice(0, 2));
    expect(readSitemapLinks(Buffer.from(text.replaceAll('loc>', 'sm:loc>'))).pages).toEqual(pages);
  });

  test('that are invalid or bombs yield nothing', () => {
    const none = { pages: [], sitemaps: [] };
    expect(readSitemapLinks(Buffer.from('<html>loc</html>'))).toEqual(none);
    expect(readSitemapLinks(gzipSync('<loc>https://a.example/</loc>').subarray(0, 20))).toEqual(
      none,
    );
    const bomb = gzipSync(`<urlset><loc>${HOME}</loc>${' '.repeat(50_000_000)}</urlset>`);
    expect(readSitemapLinks(bomb)).toEqual(none);
    const cpuMs = cpuMsOf(() => {
      readSitemapLinks(Buffer.from('<loc>'.repeat(400_000)));
      readSitemapLinks(Buffer.from(`<loc>${' '.repeat(2_000_000)}`));
    });
    expect(cpuMs).toBeLessThan(2_000);
  });

  test('of pages come before those of posts, and their pages are classified by path', () => {
    const index = `<sitemapindex>${['post', 'page'].map((name) => `<sitemap><loc>${HOME}${name}-sitemap.xml</loc></sitemap>`).join('')}</sitemapindex>`;
    expect(readSitemapLinks(Buffer.from(index)).sitemaps).toEqual([
      `${HOME}page-sitemap.xml`,
      `${HOME}post-sitemap.xml`,
    ]);
    expect(
      discoverListed([`${HOME}kontakt`, `${HOME}prices`, 'https://b.example/team'], 'acme.example'),
    ).toMatchObject([{ kind: 'contact' }]);
    expect(discoverListed([`${HOME}klinik/sprechstunden`], 'acme.example')).toMatchObject([
      { kind: 'contact' },
    ]);
  });
});
