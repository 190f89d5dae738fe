import { expect, test } from 'vitest';
import { contactCard } from '#src/leads/extract/contact-card.ts';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';

const HOST = 'https://www.springfield-chamber.test';
const PROFILE =
  '<header><a href="/">Springfield Chamber</a></header><main><h1>Harbor Coffee</h1><p>We roast.</p>' +
  '<dl><dt>Contact person</dt><dd>Rita Okafor</dd><dt>Email</dt><dd>hello@harborcoffee.test</dd>' +
  '<dt>Phone</dt><dd>(217) 555-0144</dd></dl><p>Changes? members@springfield-chamber.test</p></main>' +
  '<footer><p>Tel. (217) 555-0100</p></footer>';

test('the name of the site that links home is no heading of the page of a member', () => {
  const member = (heading: string): (string | null)[] =>
    extractPage({
      url: `${HOST}/members/harbor-coffee`,
      html: `<title>Harbor Coffee - SCC</title>${heading}${PROFILE.replace(/<main>/, '<div>')}`,
      kind: 'html',
      isOfMember: true,
    })
      .cards.filter(({ entity, kind }) => entity === 'member' && kind === 'organization')
      .map(({ name }) => name);
  expect(member('<h1><a href="/index.php">SCC, the chamber</a></h1>')).toEqual(['Harbor Coffee']);
});

test('an address or opening hours in a list of branches is no name of a member', () => {
  const shop = (street: string, hours: string, phone: string): string =>
    `<ul><li>${street}</li><li><a href="tel:${phone}">${phone}</a></li><li>${hours}</li></ul>`;
  const shops =
    shop('14 Market Street, LE19 9XY', 'Mon–Sat 9–5', '01164960151') +
    shop('3 The Parade, LE7 9ZZ', 'Mon–Sat 9.30–4.30', '01164960152') +
    shop('Unit 6, Wharf Way, LE19 9XQ', 'Wed–Sun 10–4', '01164960154');
  const page = extractPage({
    url: `${HOST}/our-shops`,
    html: `<html lang="en-GB"><title>Our shops</title><h1>Our shops</h1>${shops}`,
    kind: 'html',
  });
  expect(page.cards.filter(({ entity }) => entity === 'member')).toEqual([]);
});

const page = (path: string, given: Partial<ExtractedPage>): ExtractedPage => ({
  url: `https://www.acme.test/${path}`,
  canonicalUrl: `https://www.acme.test/${path}`,
  title: '',
  siteName: '',
  language: 'en',
  cards: [],
  links: [],
  needsRendering: false,
  ...given,
});

test('the organisation has not the name of a town in one title, nor of a member that a page ends with', () => {
  const named = (title: string): ExtractedPage =>
    page(title, {
      title,
      cards: [contactCard({ technique: 'mailto', kind: 'page', emails: ['info@acme.test'] })],
    });
  const towns = ['Home', 'News', 'Staff'].map((part) => named(`${part} | Consulate of Iceland`));
  const [consulate] = mergeLeads(
    [named('Consulate of Iceland | Rijeka'), ...towns],
    'consulate-iceland-rijeka.test',
  );
  expect(consulate?.name?.value).toBe('Consulate of Iceland');
  const member = contactCard({
    technique: 'member-card',
    kind: 'organization',
    entity: 'member',
    name: 'Black Truffles, S.L.',
    emails: ['info@truffles.test'],
  });
  const list = page('members', { cards: [member], signedBy: 'Black Truffles, S.L.' });
  const [union] = mergeLeads([named('Farmers of Ardal - Home'), list], 'acme.test');
  expect(union?.name?.value).toBe('Farmers of Ardal');
});
