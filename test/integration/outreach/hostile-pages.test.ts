import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactCard, type ContactCard } from '#src/leads/extract/contact-card.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';
import { openSearxng } from '#src/leads/search/search-searxng.ts';
import { visitSite } from '#src/leads/visit/visit-site.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { startSearxng } from '#test/support/search-engine.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
const sites: LeadSite[] = [];

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
  });
  Object.assign(millrace.services, { dns: silentDns });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  for (const site of sites) await site[Symbol.asyncDispose]();
});

async function openSite(home: string): Promise<LeadSite> {
  const site = await startLeadSite({ '/': home });
  sites.push(site);
  return site;
}

const jsonLd = (graph: readonly object[]): string =>
  `<!doctype html><html lang="en"><head><title>Firm</title></head><body><script type="application/ld+json">${JSON.stringify(
    { '@context': 'https://schema.org', '@graph': graph },
  )}</script></body></html>`;

/** `aaa`, `baa`, …: a name made only of letters. */
const letters = (n: number): string =>
  [n, n / 26, n / 676].map((part) => String.fromCharCode(97 + (Math.floor(part) % 26))).join('');

describe('a malicious page', () => {
  it('with characters that the database rejects does not lose the result', async () => {
    const site = await openSite(
      jsonLd([
        {
          '@type': 'Person',
          name: 'A\u0000da Hart\u0000ley',
          jobTitle: 'Man\u0000ager \ud83d',
          email: 'ada@firm.example',
          worksFor: { '@type': 'Organization', name: 'Firm\u0000 Ltd' },
        },
        {
          '@type': 'Organization',
          name: 'Firm\u0000 Ltd',
          description: `${'🦊'.repeat(499)}x🦊\u0000`,
          email: 'info@firm.example',
          address: { streetAddress: 'High\u0000 Street 1\udc00', addressLocality: 'Lon\u0000don' },
        },
      ]),
    );
    const body = { mode: 'scrape_url', query: `${site.url}/` };
    const { status, body: answer, text } = await millrace.call('POST', '/tools/lead-scraper', body);
    expect([status, text.includes(String.raw`\u0000`)]).toEqual([200, false]);
    expect(answer.leads.map(({ email }: { email: string }) => email).toSorted()).toEqual([
      'ada@firm.example',
      'info@firm.example',
    ]);
  });

  const crowds: Record<string, (n: number) => Partial<ContactCard>> = {
    'share one address': (n) => ({ name: `A${letters(n)} Hartley`, emails: ['a@firm.example'] }),
    'share five addresses': (n) => ({
      name: `Ada ${letters(n)}x`,
      emails: Array.from({ length: 5 }, (_, m) => `m${m}@firm.example`),
    }),
    'have one name': (n) => ({ name: 'Ada Hartley', emails: [`p${n}@firm.example`] }),
  };
  it.each(Object.keys(crowds))('with thousands of people who %s is merged in seconds', (crowd) => {
    const cardOf = crowds[crowd] ?? (() => ({}));
    const cards = Array.from({ length: 4_000 }, (_, n) =>
      contactCard({ technique: 'json-ld', kind: 'person', title: 'Manager', ...cardOf(n) }),
    );
    expect(cpuMsOf(() => mergeLeads([pageOf(cards)], 'firm.example'))).toBeLessThan(5_000);
  });

  it('with thousands of links keeps none once they are followed', async () => {
    const links = Array.from({ length: 2_000 }, (_, n) => `<a href="/${n}">Here</a>`).join('');
    const site = await openSite(`<!doctype html><title>Firm</title>${links}`);
    const visit = await visitSite(
      millrace.services,
      { url: `${site.url}/`, domain: site.host, wants: ['email'] },
      { signal: NEVER, owner: 'one', onPage: () => Promise.resolve() },
    );
    expect(visit.pages.map((page) => page.links)).toEqual([[]]);
  });

  it('with thousands of phone numbers gives the organisation twenty', () => {
    const cards = Array.from({ length: 3_000 }, (_, n) =>
      contactCard({ technique: 'visible-text', kind: 'page', phones: [`+44207946${1_000 + n}`] }),
    );
    const [firm] = mergeLeads([pageOf(cards)], 'firm.example');
    expect(firm?.phones).toHaveLength(20);
  });
});

function pageOf(cards: ContactCard[]) {
  const url = 'https://firm.example/';
  return {
    url,
    canonicalUrl: url,
    title: 'Firm',
    siteName: 'Firm',
    language: 'en',
    cards,
    links: [],
    needsRendering: false,
  };
}

describe('the words of a search', () => {
  it('choose neither engines nor time limits of SearXNG, and cannot leave it', async () => {
    await using engine = await startSearxng(() => []);
    const { operatorFetch } = millrace.services;
    const provider = openSearxng({ baseUrl: engine.url, fetch: operatorFetch });
    const options = { page: 1, signal: NEVER };
    await provider.find('!!g <999 :de !wikipedia mills, c:a !', options);
    await provider.find('! !! :', options);
    expect(engine.searches).toEqual([['g 999 de wikipedia mills, c:a', 1]]);
  });
});
