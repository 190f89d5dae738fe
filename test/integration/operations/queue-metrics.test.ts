// @module-tag queues
// @module-tag database
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QUEUES } from '#queues/index.ts';
import { parseMetrics } from '#src/cli/parse-metrics.ts';
import { listQueues } from '#src/operations/queue-board.ts';
import { messageSamples } from '#src/email/message-samples.ts';
import { scrapeSamples } from '#src/leads/scrapes/scrape-samples.ts';
import { seedOutreach } from '#test/support/seed-outreach.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let test: TestServices;
beforeEach(async () => {
  test = await openTestServices();
});
afterEach(() => test[Symbol.asyncDispose]());

/** The value of one series of /metrics; null when it is not there. */
async function valueOf(name: string, labels: Record<string, string>): Promise<number | null> {
  const samples = parseMetrics(await test.services.metrics.text(), 'millrace_');
  const found = samples.find(
    (one) =>
      one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
  );
  return found?.value ?? null;
}

async function insertProcess(digit: number, beatAgoMs: number): Promise<void> {
  const { db, clock } = test.services;
  const beatAt = new Date(clock().getTime() - beatAgoMs);
  await sql`insert into worker_process (id, host, pid, version, started_at, beat_at, queues, jobs)
    values (${`00000000-0000-4000-8000-00000000000${digit}`}::uuid, 'a', 1, '1', ${beatAt}, ${beatAt},
      '[{"name":"lead-scrape","concurrency":1,"active":0}]', '[]')`.execute(db);
}

it('/metrics names the living workers, pauses and alarms of every queue', async () => {
  const { db } = test.services;
  await insertProcess(1, 0);
  await insertProcess(2, 45_000);
  await sql`insert into queue_pause (queue, user_name) values ('email-send', 'Ada')`.execute(db);
  await sql`insert into queue_alarm (queue, kind, message, since, raised_at, cleared_at) values
    ('user-file', 'stuck', 'It is stuck.', now(), now(), null),
    ('email-send', 'stuck', 'It was stuck.', now(), now(), now())`.execute(db);
  expect(await valueOf('millrace_queue_workers', { queue: 'lead-scrape' })).toBe(1);
  expect(await valueOf('millrace_queue_workers', { queue: 'email-send' })).toBe(0);
  expect(await valueOf('millrace_queue_paused', { queue: 'email-send' })).toBe(1);
  expect(await valueOf('millrace_queue_paused', { queue: 'user-file' })).toBe(0);
  const alarm = (queue: string) => valueOf('millrace_queue_alarms', { queue, kind: 'stuck' });
  expect(await alarm('user-file')).toBe(1);
  expect(await alarm('email-send')).toBe(0);
  const text = await test.services.metrics.text();
  for (const { name } of QUEUES) expect(text).toContain(`millrace_queue_workers{queue="${name}"}`);
});

it('/metrics has the numbers of the console for what waits, is oldest and failed', async () => {
  const { services, workspaceId } = test;
  const { scrapeId, sentMessageId } = await seedOutreach(services, {
    workspaceId,
    marker: 'metrics',
  });
  await sql`update lead_scrape set status = 'queued', finished_at = null,
    created_at = now() - interval '90 seconds' where id = ${scrapeId}`.execute(services.db);
  await sql`update email_message set status = 'failed', finished_at = now()
    where id = ${sentMessageId}`.execute(services.db);
  const queue = 'lead-scrape';
  expect(await valueOf('millrace_queue_work', { queue, state: 'waiting' })).toBe(1);
  const oldest = await valueOf('millrace_queue_oldest_due_seconds', { queue });
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThan(150);
  const { queues } = await listQueues(services, 'hour');
  const entry = queues.find(({ name }) => name === 'email-send');
  expect(entry?.failed).toBe(1);
  expect(await valueOf('millrace_queue_failed_recently', { queue: 'email-send' })).toBe(1);
});

it('/metrics counts attempts with their waits and runs, also those that one job makes of several rows', async () => {
  const { jobHistory, workTally } = test.services;
  const queue = 'document-index';
  workTally.count(queue, 'done', { waitMs: 2_000, runMs: 40_000 });
  workTally.count(queue, 'failed', { waitMs: null, runMs: 500 });
  jobHistory.begin({
    queue: 'reconcile',
    jobId: '1',
    attempt: 1,
    requestId: null,
    payload: {},
    dueAt: null,
  })('retried');
  expect(await valueOf('millrace_queue_wait_seconds_count', { queue })).toBe(1);
  expect(await valueOf('millrace_queue_wait_seconds_sum', { queue })).toBe(2);
  expect(await valueOf('millrace_queue_run_seconds_sum', { queue })).toBe(40.5);
  expect(await valueOf('millrace_queue_attempts_total', { queue, outcome: 'failed' })).toBe(1);
  expect(await valueOf('millrace_queue_attempts_total', { queue, outcome: 'retried' })).toBe(0);
  const retried = { queue: 'reconcile', outcome: 'retried' };
  expect(await valueOf('millrace_queue_attempts_total', retried)).toBe(1);
});

it('scrapes and messages are counted by status, and the oldest unstarted ones by kind', async () => {
  const { services, workspaceId } = test;
  const { db } = services;
  const seeded = await seedOutreach(services, { workspaceId, marker: 'samples' });
  const oldest = (kind: string) => valueOf('millrace_outreach_oldest_due_seconds', { kind });
  expect(await oldest('lead_scrape')).toBe(0);
  expect(await oldest('email_message')).toBe(0);
  // A finished scrape is not counted, a finished message for a day.
  expect(await valueOf('millrace_lead_scrapes', { status: 'completed' })).toBeNull();
  expect(await valueOf('millrace_email_messages', { status: 'sent' })).toBe(2);
  await sql`update email_message set finished_at = now() - interval '25 hours'
    where id = ${seeded.verificationId}`.execute(db);
  await sql`update email_message set status = 'queued', finished_at = null,
    next_attempt_at = now() - interval '40 seconds' where id = ${seeded.sentMessageId}`.execute(db);
  await sql`update lead_scrape set status = 'queued', finished_at = null,
    created_at = now() - interval '1 day', next_attempt_at = now() + interval '1 hour'
    where id = ${seeded.scrapeId}`.execute(db);
  expect(await valueOf('millrace_email_messages', { status: 'sent' })).toBeNull();
  expect(await valueOf('millrace_email_messages', { status: 'queued' })).toBe(1);
  expect(await oldest('email_message')).toBeGreaterThanOrEqual(40);
  expect(await oldest('email_message')).toBeLessThan(100);
  expect(await valueOf('millrace_lead_scrapes', { status: 'queued' })).toBe(1);
  // It is to be tried in an hour, so it is not late.
  expect(await oldest('lead_scrape')).toBe(0);
  expect((await scrapeSamples(db)).length + (await messageSamples(db)).length).toBe(5);
});
