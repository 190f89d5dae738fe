import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnqueueOptions } from '#queues/producer.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { reconcileMessages } from '#src/email/reconcile-messages.ts';
import type { EmailMessageId, LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import { claimScrape } from '#src/leads/claim-scrape.ts';
import { contactCard, type ContactCard } from '#src/leads/extract/contact-card.ts';
import { mergeLeads } from '#src/leads/merge-leads.ts';
import { reconcileScrapes } from '#src/leads/reconcile-scrapes.ts';
import { scrapeSite } from '#src/leads/scrape-site.ts';
import { openSearxng } from '#src/leads/search-searxng.ts';
import { visitSite } from '#src/leads/visit-site.ts';
import type { Services } from '#src/services.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';
import { insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { type LeadSite, startLeadSite } from '#test/support/lead-site.ts';
import { startSearxng } from '#test/support/search-engine.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

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

/** `aaa`, `baa`, …: a name of letters only. */
const letters = (n: number): string =>
  [n, n / 26, n / 676].map((part) => String.fromCharCode(97 + (Math.floor(part) % 26))).join('');

describe('a page that means harm', () => {
  it('with characters that the database does not take costs nobody the result', async () => {
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

  it('with a thousand people leaves two hundred of them, and fewer where there are other sites', async () => {
    const person = (_: unknown, n: number) => ({
      '@type': 'Person',
      name: `Ada Hartley${letters(n)}`,
      jobTitle: 'Manager',
      email: `p${n}@firm.example`,
    });
    const site = await openSite(jsonLd(Array.from({ length: 1_000 }, person)));
    const { services } = millrace;
    const { workspaceId } = await millrace.createWorkspace();
    const id = await insertScrape(services, workspaceId);
    const scrape = await claimScrape(services.db, id);
    expect(scrape).not.toBeNull();
    if (!scrape) return;
    const place = {
      ordinal: 0,
      url: `${site.url}/`,
      domain: site.host,
      document_ids: [],
      starts: 1,
    };
    const found = await scrapeSite(services, scrape, place, NEVER);
    const among = await scrapeSite(services, { ...scrape, mode: 'keyword_search' }, place, NEVER);
    expect([found.leads.length, among.leads.length]).toEqual([200, 60]);
  });

  const crowds: Record<string, (n: number) => Partial<ContactCard>> = {
    'share one address': (n) => ({ name: `A${letters(n)} Hartley`, emails: ['a@firm.example'] }),
    'share twenty addresses': (n) => ({
      name: `Ada ${letters(n)}x`,
      emails: Array.from({ length: 20 }, (_, m) => `m${m}@firm.example`),
    }),
    'have one name': (n) => ({ name: 'Ada Hartley', emails: [`p${n}@firm.example`] }),
  };
  it.each(Object.keys(crowds))(
    'with thousands who %s is merged in seconds',
    (crowd) => {
      const cardOf = crowds[crowd] ?? (() => ({}));
      const cards = Array.from({ length: 4_000 }, (_, n) =>
        contactCard({ technique: 'json-ld', kind: 'person', title: 'Manager', ...cardOf(n) }),
      );
      expect(cpuMsOf(() => mergeLeads([pageOf(cards)], 'firm.example'))).toBeLessThan(8_000);
    },
    120_000,
  );

  it('with thousands of links keeps none once they are followed', async () => {
    const links = Array.from({ length: 2_000 }, (_, n) => `<a href="/${n}">Here</a>`).join('');
    const site = await openSite(`<!doctype html><title>Firm</title>${links}`);
    const visit = await visitSite(
      millrace.services,
      { url: `${site.url}/`, domain: site.host, wants: ['email'] },
      { signal: NEVER, onPage: () => Promise.resolve() },
    );
    expect(visit.pages.map((page) => page.links)).toEqual([[]]);
  });

  it('with thousands of numbers gives the organisation twenty', () => {
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

describe('words of a search', () => {
  it('choose neither engines nor time limits of SearXNG, nor lead away from it', async () => {
    await using engine = await startSearxng(() => []);
    const { operatorFetch } = millrace.services;
    const provider = openSearxng({ baseUrl: engine.url, fetch: operatorFetch });
    const options = { page: 1, signal: NEVER };
    await provider.find('!!g <999 :de !wikipedia mills, c:a !', options);
    await provider.find('! !! :', options);
    expect(engine.searches).toEqual([['g 999 de wikipedia mills, c:a', 1]]);
  });
});

/** One that no worker takes up by itself. */
async function insertScrape(
  { db }: Pick<Services, 'db'>,
  workspaceId: string,
  ageMinutes = 0,
): Promise<LeadScrapeId> {
  const { rows } = await sql<{ id: LeadScrapeId }>`
    insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment, share_key,
      queued_at, created_at)
    select gen_random_uuid(), ${workspaceId}, 'scrape_url', 'https://firm.example/', 50, '{email}',
      'key', moment, moment
    from (select now() - ${ageMinutes}::int * interval '1 minute' as moment) at
    returning id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The scrape was not inserted.');
  return row.id;
}

/** Services whose queue only notes what it is given. */
function listening(services: Services): { services: Services; sent: Map<string, EnqueueOptions> } {
  const sent = new Map<string, EnqueueOptions>();
  const note = (payload: unknown, options: EnqueueOptions = {}): void => {
    const [id] = Object.values(payload as Record<string, string>); // payloads hold one id
    if (id !== undefined) sent.set(id, options);
  };
  return {
    sent,
    services: {
      ...services,
      producer: {
        ...services.producer,
        oldestWaitingAgeMs: () => Promise.resolve(null),
        enqueue: async (_queue, payload, options) => note(payload, options),
        enqueueMany: async (_queue, payloads, options) => {
          for (const payload of payloads) note(payload, options);
        },
      },
    },
  };
}

it('a scrape that nobody took up for a month can still be ended', async () => {
  const { workspaceId, key } = await millrace.createWorkspace();
  const { services } = millrace;
  const id = await insertScrape(services, workspaceId, 30 * 24 * 60);
  await sql`update lead_scrape set next_attempt_at = now() + interval '1 hour'
    where id = ${id}`.execute(services.db);
  const path = `/tools/lead-scraper/${id}/cancel`;
  const { status, body } = await millrace.call('POST', path, undefined, { key });
  expect([status, body.status]).toEqual([200, 'canceled']);
});

describe('jobs that are sent again', () => {
  // No worker runs here, so what is late stays late.
  let opened: TestServices;
  beforeAll(async () => {
    opened = await openTestServices();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function openWorkspace(): Promise<WorkspaceId> {
    const { db } = opened.services;
    return (await createWorkspace(db, { name: 'Another', planTier: 'Enterprise' })).workspaceId;
  }

  async function insertMessages(
    workspaceId: WorkspaceId,
    count: number,
  ): Promise<EmailMessageId[]> {
    const { services } = listening(opened.services);
    const account = await insertAccount(services, workspaceId);
    const ids: EmailMessageId[] = [];
    for (let n = 0; n < count; n += 1) ids.push(await submit(services, account));
    await sql`update email_message set created_at = now() - interval '1 hour',
      queued_at = now() - interval '1 hour' + row_number * interval '1 second'
      from (select id as row_id, row_number() over (order by created_at, id) from email_message) at
      where id = row_id and email_account_id = ${account.id}`.execute(services.db);
    return ids;
  }

  it('go by their place among the messages of their workspace', async () => {
    const [many, few] = [await openWorkspace(), await openWorkspace()];
    const crowd = await insertMessages(many, 9);
    const [only = ''] = await insertMessages(few, 1);
    const { services, sent } = listening(opened.services);
    await reconcileMessages(services);
    const places = crowd.map((id) => sent.get(id)?.priority ?? 0).toSorted((a, b) => a - b);
    expect(places).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8]);
    expect(sent.get(only)?.priority).toBe(1);
  });

  it('go by their place among the scrapes of their workspace', async () => {
    const [many, few] = [await openWorkspace(), await openWorkspace()];
    const crowd: LeadScrapeId[] = [];
    for (let n = 0; n < 3; n += 1) {
      crowd.push(await insertScrape(opened.services, many, 60 - n));
    }
    const only = await insertScrape(opened.services, few, 60);
    const { services, sent } = listening(opened.services);
    await reconcileScrapes(services);
    expect([...crowd, only].map((id) => sent.get(id)?.priority)).toEqual([1, 2, 3, 1]);
  });

  it('are sent the rarer the longer their message has waited', async () => {
    const workspaceId = await openWorkspace();
    const [id = ''] = await insertMessages(workspaceId, 1);
    const sentAt = async (seconds: number) => {
      const { services, sent } = listening(opened.services);
      await sql`update email_message set queued_at = now() - make_interval(secs => ${seconds})
        where id = ${id}`.execute(services.db);
      await reconcileMessages(services);
      return sent.has(id);
    };
    expect([await sentAt(60), await sentAt(290), await sentAt(301)]).toEqual([false, false, true]);
  });

  it('wait for nobody who holds a message or a scrape', async ({ skip }) => {
    skip(millrace.size === 'embedded', 'one connection');
    const workspaceId = await openWorkspace();
    const [held = '', free = ''] = await insertMessages(workspaceId, 2);
    const heldScrape = await insertScrape(opened.services, workspaceId, 60);
    const freeScrape = await insertScrape(opened.services, workspaceId, 60);
    const { services, sent } = listening(opened.services);
    await services.db.transaction().execute(async (trx) => {
      await sql`select id from email_message where id = ${held} for update`.execute(trx);
      await sql`select id from lead_scrape where id = ${heldScrape} for update`.execute(trx);
      await reconcileMessages(services);
      await reconcileScrapes(services);
    });
    expect([held, free, heldScrape, freeScrape].map((id) => sent.has(id))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});
