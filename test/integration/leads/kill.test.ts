// @module-tag processes
// @module-tag database
// @module-tag queues
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { LeadScrapeId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { LAST_PAGE, type LeadFirm, startFirm } from '#test/support/lead-firms.ts';
import { type SearchEngine, startSearxng } from '#test/support/search-engine.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { until, untilRecovered } from '#test/support/until.ts';

const FIRMS = 6;
const HELD_FROM = 3;
/** A dead worker's lease must expire before `reconcile` picks it up. */
const RECOVERY_MS = 150_000;

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;

/** Six firms that a search engine knows. Three sites answer at once; the last pages of the others are held. */
interface Scene extends AsyncDisposable {
  readonly processes: TestProcesses;
  readonly engine: SearchEngine;
  readonly quick: readonly LeadFirm[];
  readonly slow: readonly LeadFirm[];
  ask(headers?: Record<string, string>): Promise<Answer>;
  /** Waits until the quick sites are done and a worker waits for the last page of each slow one. */
  halfDone(): Promise<LeadScrapeId>;
  /** Holds back the last pages of the slow sites again. */
  hold(): void;
  release(): void;
  /** Checks that the scrape is complete: all sites, all people, one event. */
  ended(id: LeadScrapeId): Promise<void>;
}

async function openScene(): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const firms: LeadFirm[] = [];
  for (let n = 0; n < FIRMS; n += 1) {
    firms.push(opened.use(await startFirm(n, { isHeld: n >= HELD_FROM })));
  }
  const urls = firms.map(({ site }) => `${site.url}/`);
  const engine = opened.use(await startSearxng((_query, page) => (page === 1 ? urls : [])));
  const processes = opened.use(
    await openTestProcesses(() => ({
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      LEAD_REQUEST_GAP_MS: '0',
      LEAD_SEARCH_PROVIDER: 'searxng',
      SEARXNG_URL: engine.url,
    })),
  );
  const resources = opened.move();
  const [quick, slow] = [firms.slice(0, HELD_FROM), firms.slice(HELD_FROM)];
  const { db } = processes;
  return {
    processes,
    engine,
    quick,
    slow,
    // Without `email` no DNS lookups are made.
    ask: (headers = {}) =>
      processes.client.call(
        'POST',
        '/tools/lead-scraper',
        {
          mode: 'keyword_search',
          query: 'coffee roasters',
          max_results: 50,
          enrichment: ['phone', 'socials'],
        },
        { headers },
      ),
    async halfDone() {
      await untilRecovered(async () => {
        const { rows } = await sql`select 1 from lead_scrape_site s
          join lead_scrape l on l.id = s.lead_scrape_id
          where s.status = 'done' and l.finished_at is null`.execute(db);
        return rows.length === quick.length && slow.every((firm) => visitsOf(firm) > 0);
      });
      return latestId(processes);
    },
    hold: () => slow.forEach((firm) => firm.hold()),
    release: () => slow.forEach((firm) => firm.release()),
    async ended(id) {
      await until(async () => (await scrapeOf(processes, id)).finished_at !== null, RECOVERY_MS);
      const { rows: sites } = await sql<{ status: string; pages: number }>`
        select status, pages from lead_scrape_site where lead_scrape_id = ${id}`.execute(db);
      expect(sites).toEqual(Array.from({ length: FIRMS }, () => ({ status: 'done', pages: 3 })));
      const { rows: leads } = await sql<{ name: string }>`
        select name from lead where lead_scrape_id = ${id}`.execute(db);
      const names = firms.flatMap((firm) => firm.names);
      expect(leads.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
      expect(leads).toHaveLength(names.length + FIRMS);
      expect(await scrapeOf(processes, id)).toMatchObject({
        status: 'completed',
        pages_done: 3 * FIRMS,
        leads_found: leads.length,
        claim_token: null,
      });
      const { rows: events } = await sql`select 1 from webhook_event
        where type = 'lead_scrape.completed' and payload like ${`%${id}%`}`.execute(db);
      expect(events).toHaveLength(1);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const visitsOf = ({ site }: LeadFirm): number =>
  site.requests.filter((path) => path === LAST_PAGE).length;

async function latestId({ db }: TestProcesses): Promise<LeadScrapeId> {
  const { rows } = await sql<{ id: LeadScrapeId }>`
    select id from lead_scrape order by created_at desc limit 1`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('No scrape exists.');
  return row.id;
}

async function scrapeOf({ db }: TestProcesses, id: LeadScrapeId) {
  return db
    .selectFrom('lead_scrape')
    .select(['status', 'finished_at', 'pages_done', 'leads_found', 'claim_token'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Simulates the expired lease of a dead worker whose job was sent a while ago. */
async function expireClaims({ db }: TestProcesses): Promise<void> {
  await sql`update lead_scrape set queued_at = now() - interval '1 minute',
    claimed_until = claimed_until - interval '1 minute' where finished_at is null`.execute(db);
}

/** Makes the queue store lose every job and schedule. */
async function forgetJobs({ db, environment }: TestProcesses): Promise<void> {
  if (redisUrl === undefined) {
    await sql`truncate bullmq.job, bullmq.scheduler, bullmq.dedup cascade`.execute(db);
    return;
  }
  const redis = new Redis(environment.settings['REDIS_URL'] ?? '');
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}

/** Expects 200 with all leads, or 202 with the place to look. */
function expectAnswer({ status, body }: Answer, id: LeadScrapeId): void {
  if (status === 200) {
    expect(body.total_results).toBe(4 * FIRMS);
    return;
  }
  expect([status, body]).toEqual([202, { scrape_id: id, status_url: `/tools/lead-scraper/${id}` }]);
}

describe.skipIf(databaseUrl === undefined)(
  'a scrape whose worker is lost (needs TEST_DATABASE_URL)',
  () => {
    it('by SIGKILL is finished by another worker, which does not reread finished sites', async () => {
      await using scene = await openScene();
      const { processes, quick, slow } = scene;
      await processes.startApi();
      const first = await processes.startWorkers();
      const asked = scene.ask();
      const id = await scene.halfDone();
      await first.kill();
      const requests = quick.map(({ site }) => site.requests.length);
      scene.release();
      await processes.startWorkers();
      expectAnswer(await asked, id);
      await scene.ended(id);
      expect(quick.map(({ site }) => site.requests.length)).toEqual(requests);
      expect(slow.map(visitsOf)).toEqual(slow.map(() => 2));
      // The same request now gets its result.
      const again = await scene.ask();
      expect([again.status, again.body.total_results]).toEqual([200, 4 * FIRMS]);
      expect(scene.engine.searches.map(([, page]) => page)).toEqual([1, 2]);
    });

    it('as in a deployment continues at once, and the waiting request is answered', async () => {
      await using scene = await openScene();
      const { processes, quick } = scene;
      await processes.startApi();
      const first = await processes.startWorkers();
      const second = await processes.startWorkers();
      const asked = scene.ask();
      const id = await scene.halfDone();
      const requests = quick.map(({ site }) => site.requests.length);
      // Whichever worker has the scrape hands it over; the second worker takes it last.
      first.signal('SIGTERM');
      expect(await first.ended(60_000)).toBe(0);
      scene.release();
      const answer = await asked;
      expect([answer.status, answer.body.total_results]).toEqual([200, 4 * FIRMS]);
      await scene.ended(id);
      expect(quick.map(({ site }) => site.requests.length)).toEqual(requests);
      expect(second.ending()).toBeNull();
    });

    it('together with every job of the queue is finished anyway', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      await processes.startApi();
      const asked = await scene.ask({ Prefer: 'respond-async' });
      expect(asked.status).toBe(202);
      await forgetJobs(processes);
      const first = await processes.startWorkers();
      await expireClaims(processes);
      const id = await scene.halfDone();
      expect(id).toBe(asked.body.scrape_id);
      await forgetJobs(processes);
      await first.kill();
      scene.release();
      await processes.startWorkers();
      await expireClaims(processes);
      await scene.ended(id);
      const { body } = await processes.client.call('GET', asked.body.status_url);
      expect([body.status, body.total_results]).toEqual(['completed', 4 * FIRMS]);
    });
  },
);

describe.skipIf(databaseUrl === undefined)(
  'a request that waits for a scrape when its API stops (needs TEST_DATABASE_URL)',
  () => {
    it('is told at SIGTERM where to look, and the scrape ends even when the API is killed', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      const api = await processes.startApi();
      await processes.startWorkers();
      const asked = scene.ask();
      const id = await scene.halfDone();
      const signaledAt = Date.now();
      api.signal('SIGTERM');
      const answer = await asked;
      // Otherwise it would wait for 25 s.
      expect(Date.now() - signaledAt).toBeLessThan(15_000);
      expect(answer.status).toBe(202);
      expectAnswer(answer, id);
      expect(answer.headers.get('Location')).toBe(answer.body.status_url);
      scene.release();
      expect(await api.ended(60_000)).toBe(0);
      await scene.ended(id);
      scene.hold();
      const next = await processes.startApi();
      const broken = scene.ask({ 'Cache-Control': 'no-cache' }).then(
        ({ status }) => status,
        () => 'broken',
      );
      await untilRecovered(async () => (await latestId(processes)) !== id);
      const second = await latestId(processes);
      await next.kill();
      expect(await broken).toBe('broken');
      scene.release();
      await scene.ended(second);
      await processes.startApi();
      const found = await processes.client.call('GET', answer.body.status_url);
      expect([found.body.status, found.body.total_results]).toEqual(['completed', 4 * FIRMS]);
      const again = await scene.ask();
      expect([again.status, again.headers.get('Content-Location')]).toEqual([
        200,
        `/tools/lead-scraper/${second}`,
      ]);
    });
  },
);
