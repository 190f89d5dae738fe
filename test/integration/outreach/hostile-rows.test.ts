import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnqueueOptions } from '#queues/producer.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { reconcileMessages } from '#src/email/reconcile-messages.ts';
import type { EmailMessageId, LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import { claimScrape } from '#src/leads/scrapes/claim-scrape.ts';
import { reconcileScrapes } from '#src/leads/scrapes/reconcile-scrapes.ts';
import { scrapeSite } from '#src/leads/scrapes/scrape-site.ts';
import { cancelScrape, findScrape } from '#src/leads/scrapes/scrapes.ts';
import type { Services } from '#src/services.ts';
import { insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { startLeadSite } from '#test/support/lead-site.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

// No worker runs here, so late rows stay late.
let opened: TestServices;
beforeAll(async () => {
  opened = await openTestServices();
});
afterAll(() => opened[Symbol.asyncDispose]());

async function openWorkspace(): Promise<WorkspaceId> {
  const { db } = opened.services;
  return (await createWorkspace(db, { name: 'Another', planTier: 'Enterprise' })).workspaceId;
}

/** `aaa`, `baa`, …: a name made only of letters. */
const letters = (n: number): string =>
  [n, n / 26, n / 676].map((part) => String.fromCharCode(97 + (Math.floor(part) % 26))).join('');

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

it('a site with a thousand people yields two hundred of them, and fewer when there are other sites', async () => {
  const person = (_: unknown, n: number) => ({
    '@type': 'Person',
    name: `Ada Hartley${letters(n)}`,
    jobTitle: 'Manager',
    email: `p${n}@firm.example`,
  });
  const graph = JSON.stringify({
    '@context': 'https://schema.org',
    '@graph': Array.from({ length: 1_000 }, person),
  });
  await using site = await startLeadSite({
    '/': `<!doctype html><title>Firm</title><script type="application/ld+json">${graph}</script>`,
  });
  const services = { ...opened.services, dns: silentDns };
  const workspaceId = await openWorkspace();
  const id = await insertScrape(services, workspaceId);
  const scrape = await claimScrape(services.db, id);
  expect(scrape).not.toBeNull();
  if (!scrape) return;
  const place = {
    ordinal: 0,
    url: `${site.url}/`,
    domain: site.host,
    further_urls: [],
    document_ids: [],
    starts: 1,
  };
  const found = await scrapeSite(services, scrape, place, NEVER);
  const among = await scrapeSite(services, { ...scrape, mode: 'keyword_search' }, place, NEVER);
  expect([found.leads.length, among.leads.length]).toEqual([200, 60]);
});

it('a scrape that waited for a month can still be canceled', async () => {
  const { services } = opened;
  const workspaceId = await openWorkspace();
  const id = await insertScrape(services, workspaceId, 30 * 24 * 60);
  await cancelScrape(services, { workspaceId, id });
  expect((await findScrape(services, { workspaceId, id })).status).toBe('canceled');
});

/** Services whose queue only records what is enqueued. */
function listening(services: Services): { services: Services; sent: Map<string, EnqueueOptions> } {
  const sent = new Map<string, EnqueueOptions>();
  const note = (payload: unknown, options: EnqueueOptions = {}): void => {
    const [id] = Object.values(payload as Record<string, string>); // each payload has one id
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

describe('jobs that are sent again', () => {
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

  it('are ordered by their place among the messages of their workspace', async () => {
    const [many, few] = [await openWorkspace(), await openWorkspace()];
    const crowd = await insertMessages(many, 9);
    const [only = ''] = await insertMessages(few, 1);
    const { services, sent } = listening(opened.services);
    await reconcileMessages(services);
    const places = crowd.map((id) => sent.get(id)?.priority ?? 0).toSorted((a, b) => a - b);
    expect(places).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8]);
    expect(sent.get(only)?.priority).toBe(1);
  });

  it('are ordered by their place among the scrapes of their workspace', async () => {
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

  it('become rarer the longer their message has waited', async () => {
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

  it('do not wait for a locked message or scrape (needs TEST_DATABASE_URL)', async ({ skip }) => {
    skip(process.env['TEST_DATABASE_URL'] === undefined, 'one connection');
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
