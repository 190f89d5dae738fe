// @module-tag database
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listAlarms } from '#src/operations/alarms.ts';
import { rollUp, sweepHistory } from '#src/operations/roll-up.ts';
import { readHours } from '#src/operations/read-history.ts';
import { createWatch, type Watch } from '#src/operations/watch-queues.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { insertEndpoint } from '#test/support/webhook-rows.ts';

let test: TestServices;
let watched: Watch;
beforeEach(async () => {
  test = await openTestServices();
  watched = createWatch(test.services);
});
afterEach(() => test[Symbol.asyncDispose]());

const watch = () => watched.look();
const alarms = async (isOpen = true) =>
  listAlarms(test.services.db, { isOpen, before: null, limit: 100 });

async function beat(queues: readonly string[]): Promise<void> {
  const { db, clock } = test.services;
  const served = queues.map((name) => ({ name, concurrency: 1, active: 0 }));
  await sql`insert into worker_process (id, host, pid, version, started_at, beat_at, queues, jobs)
    values ('00000000-0000-4000-8000-000000000001', 'a', 1, '1', ${clock()}, ${clock()},
      ${JSON.stringify(served)}, '[]')
    on conflict (id) do update set beat_at = excluded.beat_at, queues = excluded.queues`.execute(
    db,
  );
}

const EVERY = async () => (await import('#queues/index.ts')).QUEUES.map(({ name }) => name);

it('raises "no worker" once for each queue of a killed process, tells the endpoints, and clears it', async () => {
  const { services, workspaceId } = test;
  await insertEndpoint(services, workspaceId, 'https://127.0.0.1:9/operators');
  await beat(await EVERY());
  await watch();
  expect(await alarms()).toEqual([]);
  const diedAt = services.clock();
  test.advance(50_000);
  await beat((await EVERY()).filter((name) => name !== 'lead-scrape'));
  // The process that served it is remembered by its last beat, and another one goes on.
  await sql`insert into worker_process (id, host, pid, version, started_at, beat_at, queues, jobs)
    values ('00000000-0000-4000-8000-000000000002', 'b', 2, '1', ${diedAt}, ${diedAt},
      '[{"name":"lead-scrape","concurrency":1,"active":0}]', '[]')`.execute(services.db);
  await watch();
  await watch();
  const [alarm, ...others] = await alarms();
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({ queue: 'lead-scrape', kind: 'no_worker', since: diedAt });
  await beat(await EVERY());
  await watch();
  expect(await alarms()).toEqual([]);
  const { rows } = await sql<{ type: string; payload: string | null }>`
    select type, payload from webhook_event order by created_at, id`.execute(services.db);
  expect(rows.map(({ type }) => type)).toEqual(['ops.alarm.raised', 'ops.alarm.cleared']);
  expect(JSON.parse(rows[0]?.payload ?? '')).toMatchObject({
    data: { queue: 'lead-scrape', kind: 'no_worker' },
  });
});

it('lets a worker stop in order and start again, and counts a missing one from when it stopped', async () => {
  const { db } = test.services;
  await beat(await EVERY());
  test.advance(10 * 60_000);
  await beat(await EVERY());
  await watch();
  const stoppedAt = test.services.clock().getTime();
  await sql`delete from worker_process`.execute(db); // as a process does that stops
  test.advance(20_000);
  await watch();
  expect(await alarms()).toEqual([]);
  test.advance(15_000);
  await watch();
  const raised = await alarms();
  expect(raised).toHaveLength((await EVERY()).length);
  expect(Math.abs((raised[0]?.since.getTime() ?? 0) - stoppedAt)).toBeLessThan(5_000);
});

it('does not blame workers for the time in which another process watched', async () => {
  const { services } = test;
  const other = createWatch({
    ...services,
    jobHistory: { ...services.jobHistory, processId: '00000000-0000-4000-8000-00000000000f' },
  });
  await beat(await EVERY());
  await watch();
  await other.look();
  test.advance(40_000);
  await other.look();
  await sql`delete from worker_process`.execute(services.db);
  test.advance(6_000);
  await other.look(); // takes over 46 s after the holder's last look
  expect(await alarms()).toEqual([]);
});

it('raises "stuck" for work that is due for five minutes while nothing finishes', async () => {
  await beat(await EVERY());
  await insertWaitingFile();
  test.advance(5 * 60_000 + 1_000);
  await beat(await EVERY());
  await watch();
  expect(await alarms()).toMatchObject([{ queue: 'user-file', kind: 'stuck' }]);
});

async function insertWaitingFile(): Promise<void> {
  const { db } = test.services;
  await sql`with owner as (select id, workspace_id from user_account limit 1),
    bytes as (insert into stored_file (id, workspace_id, name, media_type, byte_count)
      select gen_random_uuid(), workspace_id, 'a', 'text/plain', 1 from owner returning id)
    insert into user_file (id, workspace_id, user_id, stored_file_id, name, media_type, chat_file_type)
    select gen_random_uuid(), owner.workspace_id, owner.id, bytes.id, 'a', 'text/plain', 'plain_text'
    from owner, bytes`.execute(db);
}

it('lets one process watch at a time, and another take over when it is gone', async () => {
  const { services } = test;
  await watch();
  const other = {
    ...services,
    jobHistory: { ...services.jobHistory, processId: '00000000-0000-4000-8000-00000000000f' },
  };
  const holder = async () =>
    (await sql<{ held_by: string }>`select held_by from watch_duty`.execute(services.db)).rows[0]
      ?.held_by;
  const next = createWatch(other);
  await next.look();
  expect(await holder()).toBe(services.jobHistory.processId);
  test.advance(46_000);
  await next.look();
  expect(await holder()).toBe(other.jobHistory.processId);
});

it('sums minutes up to hours, twice with the same result, and deletes what is past its time', async () => {
  const { db } = test.services;
  const insert = (minute: string, process: string) =>
    sql`insert into queue_minute (minute, queue, process_id, finished, failed, retried, waits, runs)
      values (${minute}::timestamptz, 'reconcile', ${process}::uuid, 2, 1, 0, '{0,1}', '{0,0,2}')`.execute(
      db,
    );
  await insert('2026-01-01T10:05:00Z', '00000000-0000-4000-8000-000000000001');
  await insert('2026-01-01T10:05:00Z', '00000000-0000-4000-8000-000000000002');
  await insert('2026-01-01T10:59:00Z', '00000000-0000-4000-8000-000000000001');
  await insert('2026-01-01T11:01:00Z', '00000000-0000-4000-8000-000000000001');
  const now = new Date('2026-01-01T11:05:00Z');
  await rollUp(db, { tidiedAt: now, now });
  await rollUp(db, { tidiedAt: now, now });
  const hours = await readHours(db, { queue: null, from: new Date(0), to: now });
  expect(hours).toMatchObject([
    { queue: 'reconcile', finished: 6, failed: 3, waits: [0, 3, 0], runs: [0, 0, 6] },
  ]);
  await sweepHistory(db, new Date('2026-01-04T00:00:00Z'));
  const { rows } = await sql`select from queue_minute`.execute(db);
  expect(rows).toEqual([]);
  await sweepHistory(db, new Date('2026-02-04T00:00:00Z'));
  expect(await readHours(db, { queue: null, from: new Date(0), to: now })).toEqual([]);
});

it('sums up the hours before a gap in watching, and those in which work only waited', async () => {
  const { db } = test.services;
  await sql`insert into queue_minute (minute, queue, process_id, finished, failed, retried, waits, runs)
    values ('2026-01-02T10:30:00Z', 'reconcile', gen_random_uuid(), 2, 0, 0, '{1}', '{1}')`.execute(
    db,
  );
  await sql`insert into queue_depth (minute, queue, due, oldest_ms)
    values ('2026-01-02T09:10:00Z', 'user-file', 3, 600000)`.execute(db);
  const now = new Date('2026-01-03T18:00:00Z');
  const tidiedAt = new Date('2026-01-02T10:20:00Z');
  await rollUp(db, { tidiedAt, now });
  const hours = () => readHours(db, { queue: null, from: new Date(0), to: now });
  expect(await hours()).toMatchObject([
    { queue: 'user-file', finished: 0, oldestMs: 600_000 },
    { queue: 'reconcile', finished: 2, oldestMs: 0 },
  ]);
  // An hour of which minutes are deleted already stays as it is.
  const later = new Date('2026-01-04T10:20:00Z');
  await sql`update queue_minute set finished = 1`.execute(db);
  await rollUp(db, { tidiedAt: new Date(0), now: later });
  expect((await hours()).map(({ finished }) => finished)).toEqual([0, 2]);
});

it('sums each minute up once when two processes do it together', async () => {
  const { db } = test.services;
  await sql`insert into queue_minute (minute, queue, process_id, finished, failed, retried, waits, runs)
    select '2026-01-01T10:00:00Z'::timestamptz + make_interval(mins => m), 'reconcile', p.id, 1, 0, 0,
      '{1}', '{1}' from generate_series(0, 59) as m,
      (values (gen_random_uuid()), (gen_random_uuid())) as p(id)`.execute(db);
  const now = new Date('2026-01-01T11:05:00Z');
  const at = { tidiedAt: new Date('2026-01-01T10:59:00Z'), now };
  await Promise.all([rollUp(db, at), rollUp(db, at), rollUp(db, at)]);
  const hours = await readHours(db, { queue: null, from: new Date(0), to: now });
  expect(hours).toMatchObject([{ queue: 'reconcile', finished: 120, runs: [120] }]);
});
