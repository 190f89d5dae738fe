import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LeadScrapeId } from '#src/ids.ts';
import { emptyDraft } from '#src/leads/merge/join-drafts.ts';
import type { ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { eraseLeads } from '#src/leads/scrapes/erase-leads.ts';
import { withoutDoNotContact } from '#src/leads/scrapes/honour-do-not-contact.ts';
import { readLeads, replaceLeads } from '#src/leads/scrapes/lead-rows.ts';
import { scrapeLeads } from '#src/leads/scrapes/scrape-leads.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let opened: TestServices;
beforeAll(async () => {
  opened = await openTestServices({ LEAD_REQUEST_GAP_MS: '0' });
});
afterAll(() => opened[Symbol.asyncDispose]());

const values = (...all: string[]) =>
  all.map((value) => ({
    value,
    evidence: [{ url: 'https://guild.test/', technique: 'mailto' as const }],
  }));
function organization(name: string, more: Partial<ScoredLead>): ScoredLead {
  const [named] = values(name);
  const draft = emptyDraft('organization', 'guild.test');
  return { ...draft, name: named ?? null, confidence: 0.8, emailStatus: null, ...more };
}
const guild = organization('Guild', {
  emails: values('info@guild.test'),
  emailPattern: {
    pattern: 'first.last@',
    examples: ['ada.ha@guild.test', 'ben.ok@guild.test', 'eve.so@guild.test'],
  },
});
const kiln = organization('Kiln Works', {
  siteDomain: 'kiln.test',
  foundOn: 'guild.test',
  emails: values('hello@kiln.test'),
});

async function insertScrape(urls: readonly string[] = []): Promise<LeadScrapeId> {
  const { services, workspaceId } = opened;
  const id = randomUUID() as LeadScrapeId; // a new row's id is branded where it is made
  await sql`insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment,
      share_key, searched)
    values (${id}, ${workspaceId}, 'keyword_search', 'x', 5, '{email}', 'x', true)`.execute(
    services.db,
  );
  for (const [ordinal, url] of urls.entries()) {
    await sql`insert into lead_scrape_site (lead_scrape_id, ordinal, workspace_id, url, domain)
      values (${id}, ${ordinal}, ${workspaceId}, ${url}, ${new URL(url).hostname})`.execute(
      services.db,
    );
  }
  return id;
}

async function insertLeads(leads: readonly ScoredLead[]): Promise<LeadScrapeId> {
  const { services, workspaceId } = opened;
  const scrapeId = await insertScrape();
  const rows = leads.map((lead) => ({ site_ordinal: 0, lead }));
  await services.db
    .transaction()
    .execute((trx) => replaceLeads(trx, { workspaceId, scrapeId }, rows));
  return scrapeId;
}

const erase = (emails: string[], domains: string[]) =>
  opened.services.db
    .transaction()
    .execute((trx) => eraseLeads(trx, opened.workspaceId, { emails, domains }));

test('erasure removes an address from the examples of a form, and drops a form with one example left', async () => {
  const { services, workspaceId } = opened;
  const scrapeId = await insertLeads([guild]);
  const pattern = async () =>
    (await readLeads(services.db, workspaceId, scrapeId))[0]?.lead.emailPattern;
  expect(await erase(['ada.ha@guild.test'], [])).toBe(1);
  expect(await pattern()).toMatchObject({ examples: ['ben.ok@guild.test', 'eve.so@guild.test'] });
  expect(await erase(['ben.ok@guild.test'], [])).toBe(1);
  expect(await pattern()).toBeNull();
  const { rows } = await sql`select details from lead where lead_scrape_id = ${scrapeId}
    and (details::text like '%ada.ha%' or details::text like '%ben.ok%')`.execute(services.db);
  expect(rows).toEqual([]);
});

test('erasure of a member’s domain deletes the member, not the site that lists it', async () => {
  const { services, workspaceId } = opened;
  const scrapeId = await insertLeads([guild, kiln]);
  await erase([], ['kiln.test']);
  const left = await readLeads(services.db, workspaceId, scrapeId);
  expect(left.map(({ lead }) => lead.name?.value)).toEqual(['Guild']);
});

test('a do-not-contact domain hides the member, and a do-not-contact address is removed from the examples', async () => {
  const { services, workspaceId } = opened;
  await sql`insert into do_not_contact (workspace_id, kind, value, reason) values
    (${workspaceId}, 'domain', 'kiln.test', 'manual'),
    (${workspaceId}, 'email', 'eve.so@guild.test', 'manual')`.execute(services.db);
  const shown = await withoutDoNotContact(services.db, workspaceId, [guild, kiln]);
  expect(shown.map(({ name }) => name?.value)).toEqual(['Guild']);
  expect(shown[0]?.emailPattern?.examples).toEqual(['ada.ha@guild.test', 'ben.ok@guild.test']);
});

test('sites not visited in time are failed, or partial with what is known, and say so', async () => {
  const { services, workspaceId } = opened;
  const scrapeId = await insertScrape(['https://a.test/', 'https://b.test/']);
  const rows = [{ site_ordinal: 0, lead: guild }];
  await services.db
    .transaction()
    .execute((trx) => replaceLeads(trx, { workspaceId, scrapeId }, rows));
  const { signal } = new AbortController();
  expect(await scrapeLeads(services, scrapeId, signal, { timeMs: -1 })).toMatchObject({
    end: 'completed',
  });
  const reason = 'The search ended after 0 minutes, before its turn came.';
  const { rows: sites } = await sql`select status, error, problems from lead_scrape_site
    where lead_scrape_id = ${scrapeId} order by ordinal`.execute(services.db);
  expect(sites).toEqual([
    { status: 'partial', error: null, problems: [{ url: 'https://a.test/', reason }] },
    { status: 'failed', error: reason, problems: [] },
  ]);
});
