import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { readPageMeta, siteNameOf } from '#src/leads/extract/page-meta.ts';
import type { PageSource } from '#src/leads/extract/page-source.ts';
import { regionOf } from '#src/leads/extract/region-of.ts';

function source(html: string, url = 'https://acme.test/'): PageSource {
  return { url, html, page: openPage(html), region: 'DE' };
}

test.each([
  '<title>Privacy Policy | Acme</title>',
  '<title>Acme – Head of Marketing Software</title>',
  '<title>Jane Doe | Acme</title>',
  '<meta name="author" content="Acme GmbH">',
  '<meta name="author" content="admin">',
  '<meta name="twitter:site" content="@">',
  '<meta property="article:author" content="https://www.facebook.com/acme">',
  '<meta property="og:email" content="you@example.com">',
])('%s names nobody', (html) => {
  expect(readPageMeta(source(html))).toEqual([]);
});

test.each([
  ['Jane Doe – Head of Sales | Acme GmbH', 'Jane Doe', 'Head of Sales', 'Acme GmbH'],
  ['Jane Doe - CEO - Acme', 'Jane Doe', 'CEO', 'Acme'],
  ['Jane Doe, Chief Executive Officer | Acme', 'Jane Doe', 'Chief Executive Officer', 'Acme'],
  ['Erika Müller | Geschäftsführerin | Acme', 'Erika Müller', 'Geschäftsführerin', 'Acme'],
])('the title %j belongs to a person', (title, name, role, company) => {
  expect(readPageMeta(source(`<title>${title}</title>`))).toMatchObject([
    { technique: 'page-title', kind: 'person', name, title: role, company },
  ]);
});

test('the organisation behind a title is no role, though a trade is its name', () => {
  const html = '<title>Om Rune | Baker Acme</title>';
  expect(readPageMeta(source(html, 'https://baker-acme.test/om'))).toEqual([]);
});

test('Open Graph contact data describes the organization, with its address', () => {
  const data = {
    'og:site_name': 'Acme GmbH',
    'og:description': 'Anvils since 1920.',
    'twitter:site': '@AcmeAnvils',
    'business:contact_data:email': 'Info@acme.test',
    'business:contact_data:phone_number': '030 901820',
    'business:contact_data:street_address': 'Hauptstr. 1',
    'business:contact_data:locality': 'Berlin',
    'business:contact_data:postal_code': '10115',
    'business:contact_data:country_name': 'Germany',
    'business:contact_data:website': '/home',
  };
  const html = Object.entries(data)
    .map(([property, content]) => `<meta property="${property}" content="${content}">`)
    .join('');
  expect(readPageMeta(source(html))).toEqual([
    {
      technique: 'meta',
      kind: 'organization',
      entity: null,
      name: 'Acme GmbH',
      title: null,
      company: null,
      emails: ['info@acme.test'],
      phones: ['+4930901820'],
      profiles: ['https://x.com/acmeanvils'],
      website: 'https://acme.test/home',
      description: 'Anvils since 1920.',
      address: {
        street: 'Hauptstr. 1',
        postalCode: '10115',
        locality: 'Berlin',
        region: '',
        country: 'Germany',
      },
      offset: null,
    },
  ]);
});

test('a description without a name belongs to the organization', () => {
  const html = '<title>Jane</title><meta name="description" content="Anvils since 1920.">';
  expect(readPageMeta(source(html))).toMatchObject([
    { kind: 'organization', name: null, description: 'Anvils since 1920.' },
  ]);
});

test('an author is a person, and owns the creator profile unless it is that of the site', () => {
  const html =
    '<meta name="author" content="Jane Doe"><meta name="twitter:creator" content="@janedoe">' +
    '<meta property="article:author" content="https://www.linkedin.com/in/Jane-Doe/">';
  expect(readPageMeta(source(html))).toMatchObject([
    {
      technique: 'meta',
      kind: 'person',
      entity: null,
      name: 'Jane Doe',
      profiles: ['https://www.linkedin.com/in/jane-doe', 'https://x.com/janedoe'],
    },
  ]);
  const site =
    '<meta name="twitter:site" content="@acme"><meta name="twitter:creator" content="@Acme">';
  expect(readPageMeta(source(site))).toMatchObject([
    { kind: 'organization', name: null, profiles: ['https://x.com/acme'] },
  ]);
});

test('an Open Graph profile is a person', () => {
  const html =
    '<meta property="og:type" content="profile"><meta property="profile:first_name" content="Jane">' +
    '<meta property="profile:last_name" content="Doe">';
  expect(readPageMeta(source(html))).toMatchObject([{ kind: 'person', name: 'Jane Doe' }]);
});

test.each([
  ['<meta property="og:site_name" content="Acme GmbH"><title>x</title>', 'Acme GmbH'],
  ['<meta name="application-name" content="Acme">', 'Acme'],
  [
    '<meta property="og:site_name" content="WordPress"><title>Home | Acme GmbH</title>',
    'Acme GmbH',
  ],
  ['<title>About us – ACME Tools</title>', 'ACME Tools'],
  ['<title>Acme, Plumbers, Springfield</title>', 'Acme'],
  ['<title>About us | Bumblebee</title>', ''],
  ['', ''],
])('the site name of %s is %j', (html, name) => {
  expect(siteNameOf(source(html, 'https://www.acme.test/about'))).toBe(name);
});

test('a domain made of several words is matched with the title', () => {
  expect(
    siteNameOf(
      source('<title>Kontakt | Müller & Söhne GmbH</title>', 'https://mueller-soehne.de/'),
    ),
  ).toBe('Müller & Söhne GmbH');
});

test.each([
  ['https://acme.de/', 'en', 'DE'],
  ['https://www.acme.co.uk/', '', 'GB'],
  ['https://acme.com/', 'de-AT', 'AT'],
  ['https://acme.com/', 'zh-Hant-TW', 'TW'],
  ['https://acme.com/', 'de', 'DE'],
  ['https://acme.io/', 'fr', 'FR'],
  ['https://acme.co/', 'en', null],
  ['https://acme.eu/', '', null],
  ['https://acme.com/', 'en', null],
  ['https://acme.com/', 'en-US', 'US'],
  ['http://127.0.0.1/', 'ja', 'JP'],
  ['nonsense', '', null],
])('numbers at %s in %j belong to %s', (url, language, region) => {
  expect(regionOf({ url, language, page: openPage('<p>x</p>') })).toBe(region);
});
