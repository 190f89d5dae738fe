import { expect, test } from 'vitest';
import {
  type LabelledPage,
  type LabelledSite,
  labelledBytes,
  readLabelledPage,
  readLabelledSites,
  type Split,
} from '#test/support/labelled-leads.ts';

const TECHNIQUES = [
  'json-ld',
  'json-ld-graph',
  'json-ld-id',
  'json-ld-broken',
  'microdata',
  'microdata-itemref',
  'rdfa',
  'h-card',
  'hcard',
  'vcard',
  'mailto',
  'tel-link',
  'whatsapp',
  'cloudflare',
  'entity',
  'bracket',
  'fullwidth-at',
  'zero-width',
  'hidden-span',
  'comment-split',
  'reversed',
  'rot13',
  'data-attribute',
  'base64',
  'js-join',
  'from-char-code',
  'unescape',
  'visible-text',
  'opengraph',
  'meta',
  'profile-link',
  'page-title',
  'team-cards',
  'team-list',
  'team-table',
  'team-headings',
  'broken-html',
  'legacy-charset',
];
const TRAPS = [
  'share-buttons',
  'image-names',
  'sentry-dsn',
  'dates',
  'prices',
  'iban',
  'vat',
  'isbn',
  'order-number',
  'testimonial',
  'form-placeholder',
  'fax',
  'blog-comments',
  'tweet-embed',
  'vendor-footer',
  'hosting-provider',
  'press-contact',
];

const sites = readLabelledSites();

test('the set has at least 60 pages of at least 25 sites, about two fifths of them held out', () => {
  const heldOut = sitesOf('held-out').flatMap(({ pages }) => pages).length;
  const all = sites.flatMap(({ pages }) => pages).length;
  expect(all).toBeGreaterThanOrEqual(60);
  expect(sites.length).toBeGreaterThanOrEqual(25);
  expect(heldOut / all).toBeGreaterThan(0.35);
  expect(heldOut / all).toBeLessThan(0.6);
});

test('the set has at least ten languages, as does each split', () => {
  expect(languagesOf(sites).size).toBeGreaterThanOrEqual(10);
  expect(languagesOf(sitesOf('dev')).size).toBeGreaterThanOrEqual(10);
  expect(languagesOf(sitesOf('held-out')).size).toBeGreaterThanOrEqual(10);
});

test.each<Split>(['dev', 'held-out'])(
  'every technique and every trap occurs in the split %s',
  (split) => {
    const pages = sitesOf(split).flatMap((site) => site.pages);
    expect(new Set(pages.flatMap((page) => page.techniques))).toEqual(new Set(TECHNIQUES));
    expect(new Set(pages.flatMap((page) => page.traps))).toEqual(new Set(TRAPS));
  },
);

test('each split has a site with nothing to extract, and people with addresses', () => {
  for (const split of ['dev', 'held-out'] as const) {
    const own = sitesOf(split);
    expect(own.filter(({ organization }) => organization === null)).toHaveLength(1);
    const reachable = own.flatMap(({ persons }) => persons).filter(({ email }) => email !== null);
    expect(reachable.length).toBeGreaterThan(30);
  }
});

test('the median page has a realistic size', () => {
  const bytes = pagesOf((site, page) =>
    page.kind === 'html' ? labelledBytes(site, page).length : 0,
  );
  const sizes = bytes.filter((size) => size > 0).toSorted((one, other) => one - other);
  const median = sizes[Math.floor(sizes.length / 2)];
  expect(median).toBeGreaterThan(25_000);
  expect(median).toBeLessThan(40_000);
});

test('pages in an old encoding are stored in it and read without broken characters', () => {
  const legacy = pagesOf((site, page) =>
    page.techniques.includes('legacy-charset') ? [{ site, page }] : [],
  ).flat();
  const declared = legacy.map(({ site, page }) => {
    return /charset="?([\w-]+)/i.exec(labelledBytes(site, page).toString('latin1'))?.[1];
  });
  expect(new Set(declared)).toEqual(new Set(['windows-1251', 'iso-8859-1', 'shift_jis']));
  for (const { site, page } of legacy) {
    expect(() =>
      new TextDecoder('utf-8', { fatal: true }).decode(labelledBytes(site, page)),
    ).toThrow();
    expect(readLabelledPage(site, page).html).not.toContain('\uFFFD');
  }
});

function sitesOf(split: Split): LabelledSite[] {
  return sites.filter((site) => site.split === split);
}

function languagesOf(some: readonly LabelledSite[]): Set<string> {
  return new Set(some.flatMap(({ languages }) => languages));
}

function pagesOf<T>(map: (site: LabelledSite, page: LabelledPage) => T): T[] {
  return sites.flatMap((site) => site.pages.map((page) => map(site, page)));
}
