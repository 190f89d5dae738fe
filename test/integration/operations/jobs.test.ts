// @module-tag queues
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadScrape } from '#queues/lead-scrape.ts';
import { fileSweep } from '#queues/file-sweep.ts';
import type { LeadScrapeId, UserId } from '#src/ids.ts';
import { discardFailures } from '#src/operations/discard-failures.ts';
import { readLive } from '#test/support/read-live.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const get = async (path: string) => millrace.call('GET', path);
const post = async (path: string, body: unknown) => millrace.call('POST', path, body);

describe('the jobs of a queue', () => {
  it('are listed by state and shown individually, with the row that they are about', async () => {
    await post('/service-api/ingestion', {
      document: { id: 'of a job', semantic_identifier: 'A', sections: [{ text: 'Mills.' }] },
    });
    await millrace.settled();
    const path = '/operations/queues/document-index/jobs';
    await until(async () => (await get(`${path}?state=completed`)).body.total > 0);
    const { body } = await get(`${path}?state=completed`);
    const [job] = body.jobs;
    expect(job).toMatchObject({
      queue: 'document-index',
      state: 'completed',
      attempts: 1,
      subjects: [{ kind: 'document', page: { kind: 'document', id: 'of a job' } }],
    });
    expect(job.request_id).toBeTypeOf('string');
    const one = await get(`${path}/${job.job_id}`);
    expect(one.body.events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'added',
      'completed',
    ]);
    expect(one.body.payload.documentIds).toHaveLength(1);
    const found = (await get(`/find?q=${job.job_id}`)).body.results;
    expect(found).toContainEqual(
      expect.objectContaining({ subject: { kind: 'job', id: `document-index/${job.job_id}` } }),
    );
  });

  it.each(['active', 'waiting', 'delayed', 'failed', 'completed'])(
    'can be asked for in the state %s',
    async (state) => {
      const { status, body } = await get(`/operations/queues/user-file/jobs?state=${state}`);
      expect([status, body.total, body.jobs]).toEqual([200, 0, []]);
    },
  );

  it.each(['nope', 'meta', 'wait', '1:lock', '99999', 'x'.repeat(500)])(
    'answer 404 for the id %s',
    async (id) => {
      expect((await get(`/operations/queues/user-file/jobs/${id}`)).status).toBe(404);
    },
  );
});

describe('the next run of a schedule', () => {
  it('is a job like others, without a row', async () => {
    const path = '/operations/queues/file-sweep/jobs';
    const { jobs } = (await get(`${path}?state=delayed`)).body;
    const { status, body } = await get(`${path}/${encodeURIComponent(jobs[0].job_id)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'delayed', subjects: [], attempts: 0, trace_id: null });
    expect(body.events.map(({ kind }: { kind: string }) => kind)).toEqual(['added', 'due']);
  });
});

describe('a job that fails', () => {
  it('lists each attempt with time, error and stack, and is discarded after the count', async () => {
    // Sweeps are jobs without rows; this one cannot read its table.
    const { db, producer } = millrace.services;
    await sql`alter table stored_file rename to stored_file_away`.execute(db);
    await producer.enqueue({ ...fileSweep, key: null, attempts: 2, backoffMs: 10 }, {});
    const path = '/operations/queues/file-sweep';
    await until(async () => (await get(`${path}/jobs?state=failed`)).body.total > 0);
    await sql`alter table stored_file_away rename to stored_file`.execute(db);
    const { jobs } = (await get(`${path}/jobs?state=failed`)).body;
    const { body: job } = await get(`${path}/jobs/${jobs[0].job_id}`);
    const attempts = job.events.filter(({ kind }: { kind: string }) => kind === 'attempt');
    expect(attempts).toHaveLength(2);
    for (const attempt of attempts) {
      expect(attempt.error).toContain('stored_file');
      expect(attempt.stack).toContain('stored_file');
      expect(Date.parse(attempt.at)).toBeGreaterThan(Date.parse(job.added_at) - 1);
    }
    const listed = (await get(path)).body;
    expect(listed).toMatchObject({ failed: 1, failures: { is_all: true } });
    const { groups } = (await get(`${path}/failures`)).body;
    expect(groups[0].example).toMatchObject({ subject: { page: { kind: 'job' } } });
    expect(groups[0].example.stack).toContain('stored_file');

    const topic = `job:file-sweep/${job.job_id}`;
    const told = readLive(
      millrace,
      [topic],
      millrace.adminKey,
      (events) => 'gone' in (events.get(topic) ?? {}),
    );
    expect((await readLive(millrace, [topic], millrace.adminKey)).byTopic.get(topic)).toMatchObject(
      { state: 'failed', events: job.events },
    );
    const { group } = groups[0];
    const tooFew = await post(`${path}/failures/discard`, { range: 'hour', group, count: 1 });
    expect(tooFew.body).toEqual({ discarded: 1, left: 0 });
    expect((await told).byTopic.get(topic)).toHaveProperty('gone', true);
    expect((await get(path)).body).toMatchObject({ failed: 0, failures: null });
    const { actions } = (await get('/operations/audit?queue=file-sweep')).body;
    expect(actions[0]).toMatchObject({ action: 'failures.discard', detail: { seen: 1, rows: 1 } });
  });
});

/** A failed scrape. */
async function failScrape(): Promise<LeadScrapeId> {
  const id = randomUUID() as LeadScrapeId;
  await sql`insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment,
      share_key, status, error, finished_at)
    select ${id}, id, 'scrape_url', 'https://a.example', 5, '{email}', ${id}, 'failed',
      'The site refused.', now() from workspace where is_bootstrap`.execute(millrace.services.db);
  return id;
}

describe('failures of rows', () => {
  it('are discarded without changing the row, and count again when it fails again', async () => {
    const { db } = millrace.services;
    const ids = [await failScrape(), await failScrape()];
    const path = `/operations/queues/${leadScrape.name}`;
    expect((await get(path)).body.failed).toBe(2);
    const refused = await post(`${path}/failures/discard`, { range: 'hour', count: 1 });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('count 2');
    const one = await post(`${path}/failures/discard`, { range: 'hour', id: ids[0], count: 1 });
    expect(one.body).toEqual({ discarded: 1, left: 0 });
    expect((await get(path)).body.failed).toBe(1);
    // Its owner still sees it.
    expect((await get(`/tools/lead-scraper/${ids[0]}`)).body.status).toBe('failed');
    expect((await get('/overview')).body.failures_last_day).toMatchObject([{ count: 2 }]);
    await sql`update lead_scrape set finished_at = now() + interval '1 second'
      where id = ${ids[0]}`.execute(db);
    expect((await get(path)).body.failed).toBe(2);
  });

  it('that come after the count are not discarded with the counted ones', async () => {
    const { db } = millrace.services;
    await sql`delete from lead_scrape`.execute(db);
    const counted = await failScrape();
    let hasCounted = false;
    const counting = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // The first answer is the count.
        if (!hasCounted) await failScrape();
        hasCounted = true;
        return result;
      },
    });
    const { rows } = await sql<{ id: UserId }>`select id from user_account limit 1`.execute(db);
    const [user] = rows as [{ id: UserId }]; // the owner
    const operator = { userId: user.id, keyId: null, name: 'Owner', requestId: 'r' };
    const order = {
      queue: leadScrape.name,
      choice: { since: new Date(Date.now() - 3_600_000), group: null, id: null },
      expected: 5,
    };
    const outcome = await discardFailures({ ...millrace.services, db: counting }, operator, order);
    expect(outcome).toEqual({ discarded: 1, left: 0 });
    expect((await get(`/operations/queues/${leadScrape.name}`)).body.failed).toBe(1);
    const { groups } = (await get(`/operations/queues/${leadScrape.name}/failures`)).body;
    expect(groups[0].example.id).not.toBe(counted);
  });
});
