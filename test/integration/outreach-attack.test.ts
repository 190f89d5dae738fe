import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
const sites: LeadSite[] = [];

beforeAll(async () => {
  millrace = await startTestMillrace({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LEAD_REQUEST_GAP_MS: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  for (const site of sites) await site[Symbol.asyncDispose]();
});

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Firm</title></head><body>${body}</body></html>`;
const jsonLd = (data: unknown): string =>
  page(`<script type="application/ld+json">${JSON.stringify(data)}</script>`);

async function scrape(html: string) {
  const site = await startLeadSite({ '/': html });
  sites.push(site);
  const t = performance.now();
  const answer = await millrace.call('POST', '/tools/lead-scraper', {
    mode: 'scrape_url',
    query: `${site.url}/`,
    max_results: 50,
  });
  const { rows } = await sql<{ n: number; size: number; error: string }>`select leads_found as n, error, status, outages,
    (select sum(length(details::text))::int from lead where lead_scrape_id = s.id) as size,
    (select max(length(details::text))::int from lead where lead_scrape_id = s.id) as max
    from lead_scrape s order by created_at desc limit 1`.execute(millrace.services.db);
  console.log(answer.status, JSON.stringify(answer.body).slice(0, 700), rows, performance.now() - t);
  return answer;
}

describe('poison', () => {
  it('crowd', async () => {
    const answer = await scrape(
      jsonLd({
        '@context': 'https://schema.org',
        '@graph': Array.from({ length: 4_500 }, (_, n) => ({
          '@type': 'Person',
          name: `Ada Hartley${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + (Math.floor(n / 26) % 26))}${String.fromCharCode(97 + Math.floor(n / 676))}`,
          email: `p${n}@firm.example`,
          jobTitle: 'Manager',
        })),
      }),
    );
    expect(answer.status).toBe(200);
  });
  it('nul', async () => {
    const bad = 'A\u0000da \ud83d Hart\u0000ley\udc00';
    const answer = await scrape(
      jsonLd({
        '@context': 'https://schema.org',
        '@graph': [
          { '@type': 'Person', name: bad, email: 'ada@firm.example', jobTitle: `Man\u0000ager \ud83d`, url: 'https://firm.example/\u0000x', worksFor: { '@type': 'Organization', name: `Firm\u0000 ${'x'.repeat(70)}` } },
          { '@type': 'Organization', name: `Fi\u0000rm 🦊 ${'é'.repeat(30)}`, description: '🦊'.repeat(700) + 'x\u0000', email: 'info@firm.example', telephone: '+44 20 7946 0958', address: { streetAddress: 'High\u0000 Street 1 \ud83d', addressLocality: 'Lon\u0000don', postalCode: '\u0000E1', addressCountry: 'GB\u0000' }, sameAs: ['https://www.linkedin.com/company/fi%00rm', 'https://x.com/fi\u0000rm'] },
        ],
      }).replace('<body>', '<body><h1>A\0da</h1><a href="mailto:x%00y@firm.example">x</a><a href="mailto:a&#0;b@firm.example">a&#0;b@firm.example</a>&#xD800;'),
    );
    expect(answer.status).toBe(200);
  });
  it('100k mails', async () => {
    const answer = await scrape(
      page(Array.from({ length: 100_000 }, (_, n) => `<a href="mailto:a${n}@firm.example">x</a>`).join('').slice(0, 3_900_000)),
    );
    expect(answer.status).toBe(200);
  });
  it('labels', async () => {
    const answer = await scrape(
      page(`<p>mail me at a@${'a.'.repeat(70)}example or b@${'x'.repeat(64)}.example, c@münchen-🦊.example d@xn--a.example, иван@пример.рф</p><a href="mailto:e@${'a.'.repeat(100)}example">mail</a><a href="http://[::1]/">x</a> <a href="http://xn--a-ecp.ru/">y</a>`),
    );
    expect(answer.status).toBe(200);
  });
  it('big name', async () => {
    const answer = await scrape(
      jsonLd({ '@context': 'https://schema.org', '@type': 'Organization', name: 'N'.repeat(1_800_000), email: 'info@firm.example' }),
    );
    expect(answer.status).toBe(200);
  });
});
