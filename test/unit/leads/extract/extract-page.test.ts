import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { GiveUp } from '#src/platform/errors.ts';

const extract = (html: string, url = 'https://www.acme.test/team/'): ExtractedPage =>
  extractPage({ url, html, kind: 'html' });

describe('hostile pages', () => {
  test('with 100,000 nested elements are refused', () => {
    expect(() => extract('<div>'.repeat(100_000))).toThrow(GiveUp);
  });

  test('with more elements than a page can have are refused', () => {
    expect(() => extract('<p>x</p>'.repeat(250_000))).toThrow(GiveUp);
  });

  test('of 20 MB are read up to 4 MB', () => {
    const filler = 'lorem ipsum '.repeat(1_750_000);
    const page = extract(`<p>first@acme.test</p><p>${filler}</p><p>last@acme.test</p>`);
    expect(page.cards.flatMap(({ emails }) => emails)).toEqual(['first@acme.test']);
  });

  test.each(['', '\0', '<', '<!--', '<a href="', '<script type="application/ld+json">{', '\uD800'])(
    'such as %j count as empty',
    (html) => {
      expect(extract(html)).toMatchObject({ cards: [], links: [], title: '' });
    },
  );

  test('with broken structured data lose nothing else', () => {
    const html =
      '<script type="application/ld+json">{{{]]]"@type": </script><div itemscope itemref="x x x"></div><a href="mailto:info@acme.test">Mail</a>';
    expect(extract(html).cards).toMatchObject([
      { technique: 'mailto', emails: ['info@acme.test'] },
    ]);
  });
});

test('every technique labels its results with its name', () => {
  const html = `<html lang="de"><meta property="og:site_name" content="Acme">
    <script type="application/ld+json">{"@type":"Organization","name":"Acme","email":"a@acme.test"}</script>
    <div itemscope itemtype="https://schema.org/Person"><b itemprop="name">Jane Doe</b><i itemprop="email">b@acme.test</i></div>
    <div vocab="https://schema.org/" typeof="Person"><b property="name">Ann Lee</b><i property="email">c@acme.test</i></div>
    <div class="h-card"><b class="p-name">Bob Ray</b><a class="u-email" href="mailto:d@acme.test">x</a></div>
    <a href="tel:+493012345678">x</a> <a href="https://wa.me/4915112345678">x</a> <p>e@acme.test, f [at] acme [dot] test</p>
    <a data-cfemail="523e272b27123a27333c357c313d3f">x</a> <a href="https://x.com/acme">x</a>
    <div><h3>Mary Jones</h3><p>CEO</p></div><div><h3>John Smith</h3><p>CTO</p></div>`;
  const techniques = new Set(extract(html).cards.map(({ technique }) => technique));
  expect([...techniques].toSorted()).toEqual(
    expect.arrayContaining([
      'cloudflare',
      'h-card',
      'json-ld',
      'mailto',
      'microdata',
      'obfuscated',
      'profile-link',
      'rdfa',
      'team-card',
      'tel-link',
      'visible-text',
      'whatsapp',
    ]),
  );
});

test('a vCard file is read as a vCard', () => {
  const html = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Jane Doe\r\nEMAIL:jane@acme.test\r\nEND:VCARD\r\n';
  const page = extractPage({ url: 'https://acme.test/jane.vcf', html, kind: 'vcard' });
  expect(page.cards).toMatchObject([
    { technique: 'vcard', name: 'Jane Doe', emails: ['jane@acme.test'] },
  ]);
  expect(page.needsRendering).toBe(false);
});

test('the country of the address takes precedence over that of the language for phone numbers', () => {
  const html = (country: string): string =>
    `<html lang="en-US"><script type="application/ld+json">{"@type":"Organization","name":"Acme","address":{"@type":"PostalAddress","addressCountry":"${country}"}}</script><a href="tel:0301234567">call</a>`;
  const phones = (page: ExtractedPage): string[] => page.cards.flatMap((card) => card.phones);
  expect(phones(extract(html('DE')))).toEqual(['+49301234567']);
  expect(phones(extract(html('Austria')))).toEqual(['+43301234567']);
});

describe('links', () => {
  test('are resolved against the base and listed once each, with their text', () => {
    const html = `<base href="/sub/"><a href="team"><img alt="Team"></a><a href="team#top">Our team</a><a href="/contact"> Contact
      us </a><a href="https://other.test/x">Other</a><iframe src="/map"></iframe><a href="//cdn.test/">CDN</a>`;
    expect(extract(html).links).toEqual([
      { url: 'https://www.acme.test/sub/team', text: 'Team' },
      { url: 'https://www.acme.test/contact', text: 'Contact us' },
      { url: 'https://other.test/x', text: 'Other' },
      { url: 'https://www.acme.test/map', text: '', role: 'frame' },
      { url: 'https://cdn.test/', text: 'CDN' },
    ]);
  });

  test('that do not lead to a page are omitted', () => {
    const html = [
      '#top',
      'mailto:a@acme.test',
      'javascript:alert(1)',
      'tel:1',
      'data:text/html,x',
      'ftp://x.test/',
      'https://',
      `/${'x'.repeat(3_000)}`,
    ].map((href) => `<a href="${href}">x</a>`);
    expect(extract(html.join('')).links).toEqual([]);
  });

  test('are limited to 2,000', () => {
    const html = Array.from({ length: 5_000 }, (_, index) => `<a href="/${index}">x</a>`).join('');
    expect(extract(html).links).toHaveLength(2_000);
  });
});

test('the canonical address counts only within the same site', () => {
  const canonical = (href: string): string =>
    extract(`<link rel="canonical" href="${href}">`).canonicalUrl;
  expect(canonical('/team')).toBe('https://www.acme.test/team');
  expect(canonical('https://acme.test/team')).toBe('https://acme.test/team');
  expect(canonical('https://other.test/team')).toBe('https://www.acme.test/team/');
  expect(canonical('javascript:1')).toBe('https://www.acme.test/team/');
});

test('a page needs rendering when it has scripts, but neither text nor contacts', () => {
  expect(extract('<div id="root"></div><script src="/app.js"></script>').needsRendering).toBe(true);
  expect(extract('<div id="root"></div>').needsRendering).toBe(false);
  expect(
    extract(`<p>${'Some words. '.repeat(40)}</p><script src="/app.js"></script>`).needsRendering,
  ).toBe(false);
  expect(
    extract('<a href="mailto:info@acme.test">Mail</a><script src="/app.js"></script>')
      .needsRendering,
  ).toBe(false);
});

test('language, title and site name of a page are returned', () => {
  const page = extract(
    '<html lang="de-AT"><title>Team – Acme</title><meta property="og:site_name" content="Acme Tools">',
  );
  expect(page).toMatchObject({ language: 'de', title: 'Team – Acme', siteName: 'Acme Tools' });
});
