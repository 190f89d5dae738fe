import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN_HOSTS, redirectTargetsTo, spellingsOf } from '#test/support/forbidden-hosts.ts';
import { type LeadSite, type SitePage, startLeadSite } from '#test/support/lead-site.ts';
import { type OutboundStage, startOutboundStage } from '#test/support/outbound-stage.ts';
import { startTripwire, type Tripwire } from '#test/support/tripwire.ts';
import { until } from '#test/support/until.ts';

/** The operator has allowed the address of this site and nothing else. */
let site: LeadSite;
let inner: Tripwire;
let stage: OutboundStage;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  site = opened.use(await startLeadSite({}));
  inner = opened.use(await startTripwire([0]));
  // The operator's own search engine runs on the same machine.
  const search = { LEAD_SEARCH_PROVIDER: 'searxng', SEARXNG_URL: site.url };
  stage = opened.use(await startOutboundStage([`${site.host}/32`], search));
});
afterAll(() => opened.disposeAsync());

const portOf = (tripwire: Tripwire): number => tripwire.ports[0] ?? 0;
const scrape = (query: string, at = stage) =>
  at.millrace.call('POST', '/tools/lead-scraper', { mode: 'scrape_url', query });

const moveTo =
  (target: string, status = 302): SitePage =>
  (_, response) =>
    void response.writeHead(status, { location: Buffer.from(target).toString('latin1') }).end();

/** Creates a domain: `www.` leads to the site and `inner.` to the internal network. */
let domains = 0;
function newDomain(at: OutboundStage, tripwire: Tripwire): { www: string; innerHost: string } {
  domains += 1;
  const domain = `acme-${domains}.example`;
  at.resolver.set(`www.${domain}`, [[site.host]]);
  at.resolver.set(`inner.${domain}`, [[tripwire.address]]);
  return {
    www: `http://www.${domain}:${new URL(site.url).port}`,
    innerHost: `inner.${domain}:${portOf(tripwire)}`,
  };
}

describe('a site that the operator has allowed', () => {
  it('cannot send its readers to another internal address, by any status or page', async () => {
    const port = portOf(inner);
    const targets = redirectTargetsTo({ address: inner.address, port });
    const elsewhere = FORBIDDEN_HOSTS.map(({ host, why }) => ({
      target: `http://${host}:${port}/`,
      why,
    }));
    const visits = [
      ...[...targets, ...elsewhere].map((one, index) => ({
        ...one,
        path: `/found/${index}`,
        page: moveTo(one.target),
      })),
      ...targets.map((one, index) => ({
        ...one,
        path: `/refresh/${index}`,
        page: `<meta http-equiv="refresh" content="0; url=${one.target}"><p>It has moved.</p>`,
      })),
    ];
    site.pages = Object.fromEntries(visits.map(({ path, page }) => [path, page]));
    const wrong: unknown[] = [];
    const waiting = [...visits];
    const takeVisits = async (): Promise<void> => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
        const { status, body } = await scrape(`${site.url}${one.path}`);
        // A page whose target is not a web URL is read as it is and contains no leads.
        const isRead = status === 200 && body.total_results === 0 && one.path.includes('refresh');
        const isRight = isRead
          ? /^(?:gopher|file):/.test(one.target)
          : status === 502 && REFUSALS.test(body.detail);
        if (!isRight) wrong.push({ ...one, status, body });
      }
    };
    await Promise.all(Array.from({ length: 6 }, takeVisits));
    expect(wrong).toEqual([]);
    expect(inner.connections).toBe(0);
  });

  it.each([301, 303, 307, 308])(
    'cannot redirect to an internal address with %i',
    async (status) => {
      const { www, innerHost } = newDomain(stage, inner);
      site.pages = { '/': moveTo(`http://${innerHost}/`, status) };
      const answer = await scrape(`${www}/`);
      expect(answer.status).toBe(502);
      expect(answer.body.detail).toMatch(/^inner\.acme-\d+\.example cannot be reached from here/);
      expect(answer.text).not.toContain(inner.address);
      expect(inner.connections).toBe(0);
    },
  );

  it.each<[string, (innerHost: string) => SitePage]>([
    ['by name', (innerHost) => moveTo(`http://${innerHost}/robots.txt`)],
    ['by address', () => moveTo(`http://${inner.address}:${portOf(inner)}/robots.txt`)],
  ])('whose robots.txt redirects to an internal address %s is not read', async (_, robots) => {
    const { www, innerHost } = newDomain(stage, inner);
    site.pages = { '/': '<a href="mailto:a@acme.example">', '/robots.txt': robots(innerHost) };
    const answer = await scrape(`${www}/`);
    expect(answer.status).toBe(502);
    expect(answer.body.detail).toMatch(/^www\.acme-\d+\.example cannot be reached from here/);
    expect(answer.text).not.toContain(inner.address);
    expect(inner.connections).toBe(0);
  });
});

/** The message depends only on what is wrong with the address, never on what is found there. */
const REFUSALS =
  /^\S+ (?:cannot be reached from here, or it leads to an address|redirects its readers to)|^The address (?:contains a user name|names port 25)/;

const MAIL = '<a href="mailto:info@acme.example">Mail</a>';
const robotsWith = (sitemap: string): SitePage => `User-agent: *\nDisallow:\nSitemap: ${sitemap}\n`;

/** Sites that point to internal addresses in every way except redirects. `name` is in the site's own domain. */
const LEADING_INSIDE: [string, (name: string, address: string) => Record<string, SitePage>][] = [
  [
    'links',
    (name, address) => {
      const hrefs = [`http://${name}/contact`, `//${name}/team`, `http://${address}/about`];
      const cards = [`//${name}/card.vcf`, `//${address}/card.vcf`];
      const links = [...hrefs, ...cards].map((href) => `<a href="${href}">Contact us</a>`);
      return { '/': `${MAIL}${links.join(' ')}` };
    },
  ],
  [
    'a base address',
    (name) => ({ '/': `<base href="http://${name}/">${MAIL}<a href="contact">Contact us</a>` }),
  ],
  ['a sitemap', (name) => ({ '/': MAIL, '/robots.txt': robotsWith(`http://${name}/map.xml`) })],
  [
    'a sitemap that has moved',
    (name) => ({
      '/': MAIL,
      '/robots.txt': robotsWith('/map.xml'),
      '/map.xml': moveTo(`http://${name}/map.xml`),
    }),
  ],
  [
    'a sitemap of inner pages',
    (name, address) => ({
      '/': MAIL,
      '/robots.txt': robotsWith('/map.xml'),
      '/map.xml': `<urlset><url><loc>http://${name}/contact</loc></url>
        <url><loc>http://${address}/contact</loc></url></urlset>`,
    }),
  ],
  [
    'a page that has moved',
    (name) => ({
      '/': `${MAIL}<a href="/team">Our team</a>`,
      '/team': moveTo(`http://${name}/team`),
    }),
  ],
];

/** References to other places that no reader follows. */
const head = (name: string, address: string) => `<!doctype html><html><head><title>Acme</title>
  <link rel="canonical" href="http://${address}/"><link rel="alternate" href="http://${name}/de">
  <link rel="stylesheet" href="http://${name}/style.css"><script src="http://${name}/a.js"></script>
  <script type="application/ld+json">{"@context":"http://${name}/context.jsonld",
    "@type":"Organization","name":"Acme","url":"http://${address}/","@id":"http://${name}/#me",
    "logo":"http://${name}/logo.png"}</script></head>
  <body>${MAIL}<iframe src="http://${name}/frame"></iframe><img src="http://${address}/i.png">
  <object data="http://${name}/o"></object><form action="http://${name}/f"></form></body></html>`;

describe('a site that points to internal addresses', () => {
  it.each([
    ...LEADING_INSIDE,
    ['its head', (name: string, address: string) => ({ '/': head(name, address) })] as const,
  ])('by %s is read without following them', async (_, pagesOf) => {
    const { www, innerHost } = newDomain(stage, inner);
    site.pages = pagesOf(innerHost, `${inner.address}:${portOf(inner)}`);
    const { status, body, text } = await scrape(`${www}/`);
    expect([status, body.leads?.[0]?.email]).toEqual([200, 'info@acme.example']);
    expect(inner.connections).toBe(0);
    expect(text).not.toContain(inner.address);
    const { rows } = await sql`select details from lead
      where details::text like ${`%${inner.address}%`}`.execute(stage.millrace.services.db);
    expect(rows).toEqual([]);
  });

  it('in any of these ways is followed once the operator has allowed all of them', async () => {
    await using open = await startOutboundStage(['127.0.0.0/8']);
    for (const [way, pagesOf] of LEADING_INSIDE) {
      await using other = await startTripwire([0]);
      const { www, innerHost } = newDomain(open, other);
      site.pages = pagesOf(innerHost, `${other.address}:${portOf(other)}`);
      expect([way, (await scrape(`${www}/`, open)).status]).toEqual([way, 200]);
      expect([way, other.connections > 0]).toEqual([way, true]);
    }
  });
});

it('a search engine that returns internal addresses leads to none of them', async () => {
  const { innerHost } = newDomain(stage, inner);
  const port = portOf(inner);
  const places = [innerHost, ...spellingsOf(inner.address).map(({ host }) => `${host}:${port}`)];
  const found = places.map((place) => ({ url: `http://${place}/`, title: 'Acme', content: '' }));
  const page: SitePage = (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ results: found }));
  site.pages = { '/search?q=acme&format=json&pageno=1': page };
  const answer = await stage.millrace.call('POST', '/tools/lead-scraper', {
    mode: 'keyword_search',
    query: 'acme',
  });
  expect(answer.status).toBe(502);
  expect(answer.body.detail).toMatch(
    /^None of the \d+ sites could be read\. The first: inner\.acme-\d+\.example cannot be reached/,
  );
  expect(answer.text).not.toContain(inner.address);
  expect(inner.connections).toBe(0);
});

it('a webhook receiver cannot redirect a delivery elsewhere', async () => {
  const { millrace } = stage;
  for (const { host } of spellingsOf(inner.address).slice(0, 6)) {
    site.pages = { '/hook': moveTo(`http://${host}:${portOf(inner)}/`, 307) };
    const made = await millrace.call('POST', '/webhook-endpoints', { url: `${site.url}/hook` });
    expect([made.status, made.body.detail]).toEqual([200, undefined]);
    const path = `/webhook-endpoints/${made.body.id}`;
    const sent = await millrace.call('POST', `${path}/test`);
    const attempts = async () => {
      const { rows } = await sql<{ error_class: string }>`
        select error_class from webhook_attempt
        where webhook_delivery_id = ${sent.body.delivery_id}`.execute(millrace.services.db);
      return rows;
    };
    await until(async () => (await attempts()).length > 0);
    expect(await attempts()).toEqual([{ error_class: 'redirect' }]);
    await millrace.call('DELETE', path);
  }
  expect(inner.connections).toBe(0);
});
