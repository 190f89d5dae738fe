// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { LeadScrapeId } from '#src/ids.ts';
import { type ClaimedScrape, claimScrape } from '#src/leads/scrapes/claim-scrape.ts';
import { eraseLeads } from '#src/leads/scrapes/erase-leads.ts';
import { findSites } from '#src/leads/scrapes/find-sites.ts';
import { failScrape } from '#src/leads/scrapes/finish-scrape.ts';
import { reconcileScrapes } from '#src/leads/scrapes/reconcile-scrapes.ts';
import { endPendingSites, savePages } from '#src/leads/scrapes/save-site.ts';
import { cancelScrape } from '#src/leads/scrapes/scrapes.ts';
import { startScrape } from '#src/leads/scrapes/start-scrape.ts';
import { sweepLeads } from '#src/leads/scrapes/sweep-leads.ts';
import { reserveSlot } from '#src/leads/visit/site-pace.ts';
import type { Services } from '#src/services.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const newWorkspace = () => createWorkspace(services.db, { name: 'Of a test', planTier: 'Free' });
  const start = async (owner: Awaited<ReturnType<typeof newWorkspace>>) =>
    startScrape(
      services,
      {
        mode: 'scrape_url',
        query: 'https://firm.test',
        urls: ['https://firm.test'],
        maxResults: 10,
        enrichment: [],
      },
      { ...owner, isFreshWanted: true, requestId: 'request-of-a-test' },
    );
  async function startTwo(): Promise<[LeadScrapeId, LeadScrapeId]> {
    const owner = await newWorkspace();
    return [await start(owner), await start(owner)];
  }
  const end = (id: LeadScrapeId, status: string) => (trx: Services['db']) =>
    sql`update lead_scrape set status = ${status}, finished_at = now(), claim_token = null,
      claimed_until = null where id = ${id}`.execute(trx);
  const lock = (id: LeadScrapeId) => (trx: Services['db']) =>
    sql`select 1 from lead_scrape where id = ${id} for update`.execute(trx);
  const statusOf = async (id: LeadScrapeId): Promise<string | undefined> => {
    const row = services.db.selectFrom('lead_scrape').select('status').where('id', '=', id);
    return (await row.executeTakeFirst())?.status;
  };

  describe('a scrape that is being canceled', () => {
    const VERBS: Record<string, (scrape: ClaimedScrape) => Promise<unknown>> = {
      'does not fail': (scrape) => failScrape(services, scrape, 'A test has ended it.'),
      'gets no sites': (scrape) => findSites(services, scrape, NEVER),
      'gets no leads': (scrape) => savePages(services.db, scrape, { ordinal: 0 }, []),
      'does not end its sites': (scrape) => endPendingSites(services.db, scrape, 'Too late.'),
    };

    it.each(Object.entries(VERBS))('%s', async (name, verb) => {
      const id = await start(await newWorkspace());
      const scrape = await claimScrape(services.db, id);
      if (scrape === null) throw new Error('A scrape that was just started is due.');
      const done = afterWaiting(services.db, end(id, 'canceled'), () => verb(scrape));
      if (name === 'does not fail') await done;
      else await expect(done).rejects.toThrow(/no longer held/);
      expect(await statusOf(id)).toBe('canceled');
    });
  });

  it('a scrape that is being completed is not canceled', async () => {
    const { workspaceId, ...owner } = await newWorkspace();
    const id = await start({ workspaceId, ...owner });
    const canceled = afterWaiting(services.db, end(id, 'completed'), () =>
      cancelScrape(services, { workspaceId, id }),
    );
    await expect(canceled).rejects.toThrow(/has completed already/);
  });

  it('a lost scrape is sent again, except the one that is being written', async () => {
    await sql`delete from lead_scrape`.execute(services.db);
    const [first] = await startTwo();
    await sql`update lead_scrape set queued_at = 'epoch', created_at = 'epoch'`.execute(
      services.db,
    );
    expect(await whileLocked(services.db, lock(first), () => reconcileScrapes(services))).toBe(1);
  });

  it('an old scrape is deleted, except the one that is being written', async () => {
    await sql`delete from lead_scrape`.execute(services.db);
    const [first] = await startTwo();
    await sql`update lead_scrape set status = 'completed', finished_at = now() - interval '9 years'`.execute(
      services.db,
    );
    expect(await whileLocked(services.db, lock(first), () => sweepLeads(services, NEVER))).toBe(1);
  });

  it('a lead that a worker writes during an erasure is erased, too', async () => {
    const owner = await newWorkspace();
    const { workspaceId } = owner;
    const id = await start(owner);
    const emails = ['ann@firm.test'];
    const erased = await afterWaiting(
      services.db,
      async (trx) => {
        await lock(id)(trx);
        await sql`insert into lead (id, workspace_id, lead_scrape_id, site_ordinal, kind,
            confidence_score, emails, details, rank)
          values (${randomUUID()}, ${workspaceId}, ${id}, 0, 'person', 1, ${emails}::text[], '{}', 0)`.execute(
          trx,
        );
      },
      () =>
        services.db
          .transaction()
          .execute((trx) => eraseLeads(trx, workspaceId, { emails, domains: [] })),
    );
    expect(erased).toBe(1);
  });

  it('two visits of a site take turns', async () => {
    const turn = { domain: `${randomUUID()}.test`, gapMs: 3_600_000, leftMs: 7_200_000 };
    const waitMs = await afterWaiting(
      services.db,
      (trx) => reserveSlot(trx, turn),
      () => reserveSlot(services.db, turn),
    );
    expect(waitMs).toBeGreaterThan(0);
  });
});
