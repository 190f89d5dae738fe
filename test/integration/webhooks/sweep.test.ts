// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepStripeEvents } from '#src/billing/sweep-stripe-events.ts';
import { sweepEvents } from '#src/webhooks/sweep-events.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { insertEndpoint, writePings } from '#test/support/webhook-rows.ts';

const never = new AbortController().signal;

let test: TestServices;

beforeAll(async () => {
  test = await openTestServices({ WEBHOOK_RETENTION_DAYS: '30' });
});
afterAll(() => test[Symbol.asyncDispose]());

async function idsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id::text from ${sql.table(table)}`.execute(
    test.services.db,
  );
  return rows.map(({ id }) => id);
}

it('finished events past retention are deleted with everything attached, and nothing else is', async () => {
  const { services, workspaceId } = test;
  const { db } = services;
  const { id } = await insertEndpoint(services, workspaceId, 'https://127.0.0.1:4999/');
  await writePings(services, workspaceId, id, 250);
  await sql`update webhook_event set created_at = now() - interval '31 days'`.execute(db);
  await sql`update webhook_delivery set status = 'delivered', next_attempt_at = null,
    finished_at = now() - interval '30 days' where id % 2 = 0`.execute(db);
  expect(await sweepEvents(services, never)).toBe(125);
  expect(await idsOf('webhook_delivery')).toHaveLength(125);
  expect(await idsOf('webhook_event')).toHaveLength(125);

  await sql`update webhook_endpoint set deleted_at = now() - interval '2 days'`.execute(db);
  await sweepEvents(services, never);
  expect(await idsOf('webhook_endpoint')).toEqual([id]);
  await sql`delete from webhook_event`.execute(db);
  await sweepEvents(services, never);
  expect(await idsOf('webhook_endpoint')).toEqual([]);
});

it('old Stripe events are deleted', async () => {
  const { services } = test;
  await sql`insert into stripe_event (id, type, created_at, processed_at) values
    ('evt_old', 'x', now(), now() - interval '31 days'), ('evt_new', 'x', now(), now())`.execute(
    services.db,
  );
  expect(await sweepStripeEvents(services, never)).toBe(1);
  expect(await idsOf('stripe_event')).toEqual(['evt_new']);
});
