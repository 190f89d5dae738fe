// @module-tag smoke
// @module-tag queues
// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '#src/ids.ts';
import { retryFailures } from '#src/operations/retry-failures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from document where status = 'failed'`.execute(millrace.services.db);
});

const get = async (path: string, key = millrace.adminKey) =>
  millrace.call('GET', path, undefined, { key });
const post = async (path: string, body: unknown) => millrace.call('POST', path, body);

async function push(id: string): Promise<void> {
  const { status } = await post('/service-api/ingestion', {
    document: {
      id,
      semantic_identifier: id,
      sections: [{ text: `The text of ${id} is about mills.` }],
      source: 'file',
      metadata: {},
    },
  });
  expect(status).toBe(200);
}

async function failDocuments(messages: readonly string[]): Promise<void> {
  const ids = messages.map((_, index) => `failing-${index}`);
  for (const id of ids) await push(id);
  await millrace.settled();
  for (const [index, message] of messages.entries()) {
    await sql`update document set status = 'failed', error = ${message}, attempts = 8,
        indexing_started_at = now() - make_interval(mins => ${messages.length - index})
      where external_id = ${ids[index]}`.execute(millrace.services.db);
  }
}

describe('the queues', () => {
  it('are listed with their figures, and a heartbeat says who works', async () => {
    await until(async () => (await get('/operations/workers')).body.workers.length > 0);
    const { status, body } = await get('/operations/queues');
    expect(status).toBe(200);
    const names = body.queues.map((queue: { name: string }) => queue.name);
    expect(names).toContain('document-index');
    expect(names).toContain('reconcile');
    expect(body.queues[0]).toMatchObject({ name: 'document-index', workers: 1, paused: null });
    expect(body.queues[0].minutes).toHaveLength(60);
    const { body: workers } = await get('/operations/workers');
    expect(workers.workers).toMatchObject([{ pid: process.pid, alive: true }]);
    expect(workers.unserved).toEqual([]);
  });

  it('show what was indexed once its minute is written', async () => {
    await push('counted');
    await millrace.settled();
    const { jobHistory, db } = millrace.services;
    const taken = jobHistory.take('all');
    const indexed = taken.find(({ queue }) => queue === 'document-index');
    expect(indexed?.finished).toBeGreaterThan(0);
    expect(indexed?.waits.reduce((a, b) => a + b, 0)).toBeGreaterThan(0);
    jobHistory.giveBack(taken.map((row) => ({ ...row, minute: lastMinute() })));
    const { writeHistory } = await import('#src/operations/write-history.ts');
    await writeHistory(millrace.services, 'all');
    const { body } = await get('/operations/queues/document-index?range=hour');
    const points: { finished: number }[] = body.history.points;
    expect(points).toHaveLength(60);
    expect(points.reduce((sum, { finished }) => sum + finished, 0)).toBeGreaterThan(0);
    expect(body.run_ms.p50).toBeGreaterThan(0);
    await sql`delete from queue_minute`.execute(db);
  });

  it('answer 404 for a queue that does not exist', async () => {
    const { status, body } = await get('/operations/queues/nope');
    expect(status).toBe(404);
    expect(body.detail).toContain('GET /operations/queues');
  });
});

function lastMinute(): Date {
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000);
}

describe('a paused queue', () => {
  it('takes no more jobs until it is resumed, and says who paused it', async () => {
    const paused = await post('/operations/queues/document-index/pause', { reason: 'moving' });
    expect(paused.body.paused).toMatchObject({ reason: 'moving', by: { name: 'Owner' } });
    const again = await post('/operations/queues/document-index/pause', { reason: 'other' });
    expect(again.body.paused.reason).toBe('moving');
    await push('waits');
    const entry = async () =>
      (await get('/operations/queues')).body.queues.find(
        (queue: { name: string }) => queue.name === 'document-index',
      );
    // Another queue's job goes through meanwhile, so the worker had its chance.
    await post('/operations/schedules/term-fold/run', {});
    await until(async () => (await entry()).waiting === 1);
    expect((await entry()).oldest_seconds).toBeGreaterThanOrEqual(0);
    expect((await entry()).paused.reason).toBe('moving');
    await post('/operations/queues/document-index/resume', {});
    await millrace.settled();
    expect((await entry()).paused).toBeNull();
    const { body } = await get('/operations/audit');
    expect(body.actions.map(({ action }: { action: string }) => action).slice(0, 3)).toEqual([
      'queue.resume',
      'schedule.run',
      'queue.pause',
    ]);
    expect(body.actions[0].by.key_id).toBeTypeOf('string');
  });
});

describe('failures', () => {
  const MESSAGES = [
    'The page https://a.example/1 answered 500 after 12 s.',
    'The page https://b.example/2?x=3 answered 502 after 9 s.',
    'The file "Report 7.pdf" is damaged.',
    'The file "Other.pdf" is damaged.',
    'The page http://c.example answered 503 after 1.5 s.',
  ];

  it('are grouped by what their messages have in common', async () => {
    await failDocuments(MESSAGES);
    const { body } = await get('/operations/queues/document-index/failures');
    expect(body).toMatchObject({ total: 5, retryable: true, other_groups: 0 });
    expect(
      body.groups.map(({ message, count }: { message: string; count: number }) => [message, count]),
    ).toEqual([
      ['The page … answered … after … s.', 3],
      ['The file … is damaged.', 2],
    ]);
    const listed = (await get('/operations/queues')).body.queues[0];
    expect(listed).toMatchObject({ failed: 5, failures: { is_all: false } });
    expect(listed.failures.message).toBe('The page … answered … after … s.');
    expect(Date.parse(listed.failures.first_at)).toBe(Date.parse(body.groups[0].first_at));
    const [{ group }] = body.groups;
    const page = await get(`/operations/queues/document-index/failures/${group}`);
    expect(page.body.failures).toHaveLength(3);
    expect(page.body.next_cursor).toBeNull();
  });

  it('are not retried when there are more than the operator has seen', async () => {
    await failDocuments(MESSAGES);
    const { body } = await get('/operations/queues/document-index/failures');
    const [{ group }] = body.groups;
    const refused = await post('/operations/queues/document-index/failures/retry', {
      group,
      count: 2,
    });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('There are now 3 such failures');
    const after = await get('/operations/queues/document-index/failures');
    expect(after.body.total).toBe(5);
  });

  it('are retried oldest first, up to the limit, and then the rest', async () => {
    await failDocuments(MESSAGES);
    const { body } = await get('/operations/queues/document-index/failures');
    const [{ group }] = body.groups;
    const some = await post('/operations/queues/document-index/failures/retry', {
      group,
      count: 3,
      limit: 1,
    });
    expect(some.body).toEqual({ retried: 1, skipped: 0, left: 2, why_skipped: [] });
    await millrace.settled();
    const { rows } = await sql<{ external_id: string }>`
      select external_id from document where status = 'failed' order by 1`.execute(
      millrace.services.db,
    );
    expect(rows.map((row) => row.external_id)).not.toContain('failing-0');
    const all = await post('/operations/queues/document-index/failures/retry', { count: 4 });
    expect(all.body).toMatchObject({ retried: 4, left: 0 });
    await millrace.settled();
    expect((await get('/operations/queues/document-index/failures')).body.total).toBe(0);
  });

  it('are retried once when two operators press at the same moment', async () => {
    await failDocuments(MESSAGES);
    await post('/operations/queues/document-index/pause', {});
    const press = () => post('/operations/queues/document-index/failures/retry', { count: 5 });
    const answers = await Promise.all([press(), press()]);
    const retried = answers.map(({ body }) => body.retried as number);
    expect(retried.reduce((a, b) => a + b)).toBe(5);
    await post('/operations/queues/document-index/resume', {});
    await millrace.settled();
  });

  it('that come while the others are counted are not retried with them', async () => {
    await failDocuments(MESSAGES);
    const { db } = millrace.services;
    const failLater = (at: string) =>
      sql`update document set indexing_started_at = now() + ${at}::interval
        where external_id = 'failing-4'`.execute(db);
    await failLater('-1 year');
    let counted = false;
    const services = {
      ...millrace.services,
      db: db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          // The first answer is the count.
          if (!counted) await failLater('1 minute');
          counted = true;
          return result;
        },
      }),
    };
    const { rows } = await sql<{ id: string }>`select id from user_account limit 1`.execute(db);
    const operator = {
      userId: (rows[0]?.id ?? '') as UserId, // read from its column
      keyId: null,
      name: 'Owner',
      requestId: 'r',
    };
    const outcome = await retryFailures(services, operator, {
      queue: 'document-index',
      choice: { since: new Date(Date.now() - 3_600_000), group: null, id: null },
      expected: 4,
      limit: 100,
    });
    expect(outcome).toMatchObject({ retried: 4, skipped: 0, left: 0 });
    await millrace.settled();
    expect((await get('/operations/queues/document-index/failures')).body.total).toBe(1);
  });

  it('that cannot be retried say why', async () => {
    const { body } = await get('/operations/queues/email-send/failures');
    expect(body).toMatchObject({ total: 0, retryable: false });
    expect(body.why_not).toContain('content');
    const refused = await post('/operations/queues/email-send/failures/retry', { count: 1 });
    expect(refused.status).toBe(409);
  });
});

describe('who may', () => {
  it('an admin of another workspace sees and does nothing', async () => {
    const { key } = await millrace.createWorkspace();
    for (const path of ['queues', 'workers', 'alarms', 'audit', 'queues/reconcile/failures']) {
      expect((await get(`/operations/${path}`, key)).status, path).toBe(403);
    }
    const tried = await millrace.call('POST', '/operations/queues/reconcile/pause', {}, { key });
    expect(tried.status).toBe(403);
    expect((await get('/operations/queues')).body.queues.at(-1).paused).toBeNull();
  });
});
