import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { releaseEndpoints } from '#src/webhooks/claim-endpoint.ts';
import {
  type AttemptRecord,
  type ClaimedDelivery,
  createDeliveryLedger,
} from '#src/webhooks/delivery-ledger.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { insertEndpoint, sendPings, writePings } from '#test/support/webhook-rows.ts';

let test: TestServices;
let paths = 0;
beforeAll(async () => {
  test = await openTestServices();
});
afterAll(() => test[Symbol.asyncDispose]());

/** An endpoint with many due deliveries, which this test holds. */
async function heldEndpoint(due = 300): Promise<{ id: WebhookEndpointId; token: string }> {
  const { services, workspaceId } = test;
  paths += 1;
  const { id } = await insertEndpoint(services, workspaceId, `https://example.com/${paths}`);
  await writePings(services, workspaceId, id, due);
  const claim = await services.deliveryLedger.claimEndpoint(id);
  if (!claim) throw new Error('The endpoint was not claimed.');
  return { id, token: claim.token };
}

interface Counts {
  updates: number;
  hot: number;
  due: number;
  attempts: number;
}

/** What Postgres has counted in this session and not yet published. */
async function countsOf(db: Database): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select pg_stat_get_xact_tuples_updated('webhook_delivery'::regclass)::int as updates,
      pg_stat_get_xact_tuples_hot_updated('webhook_delivery'::regclass)::int as hot,
      pg_stat_get_xact_tuples_returned('webhook_delivery_due'::regclass)::int as due,
      pg_stat_get_xact_tuples_returned('webhook_attempt'::regclass)::int as attempts`.execute(db);
  const [counts] = rows;
  if (!counts) throw new Error('A select without a table returned no row.');
  return counts;
}

/** What the statements of `work` did to tables and indexes. */
async function counted(work: (db: Database) => Promise<unknown>): Promise<Counts> {
  return test.services.db.transaction().execute(async (trx) => {
    const before = await countsOf(trx);
    await work(trx);
    const after = await countsOf(trx);
    return {
      updates: after.updates - before.updates,
      hot: after.hot - before.hot,
      due: after.due - before.due,
      attempts: after.attempts - before.attempts,
    };
  });
}

function delivered(
  endpointId: WebhookEndpointId,
  token: string,
  delivery: ClaimedDelivery,
): AttemptRecord {
  return {
    endpointId,
    token,
    delivery,
    outcome: 'delivered',
    counts: true,
    status: 'delivered',
    nextAttemptAt: null,
    statusCode: 204,
    errorClass: null,
    error: null,
    answer: '',
    durationMs: 1,
    startedAt: new Date(),
    targetVersion: delivery.targetVersion,
    health: null,
  };
}

it('a claim reads what it takes, however much is due, and writes to no index', async () => {
  const { id: endpointId, token } = await heldEndpoint(8_000);
  const counts = await counted((trx) =>
    createDeliveryLedger(trx).claim({ endpointId, token, room: 4 }),
  );
  expect(counts).toMatchObject({ updates: 4, hot: 4, due: 4 });
});

it('a record reads none of the earlier attempts', async () => {
  const { id: endpointId, token } = await heldEndpoint();
  const { deliveryLedger } = test.services;
  const [first, ...claimed] = await deliveryLedger.claim({ endpointId, token, room: 200 });
  if (!first) throw new Error('Nothing was claimed.');
  await Promise.all(
    claimed.map((delivery) => deliveryLedger.record(delivered(endpointId, token, delivery))),
  );
  const counts = await counted((trx) =>
    createDeliveryLedger(trx).record(delivered(endpointId, token, first)),
  );
  expect(counts).toMatchObject({ updates: 1, attempts: 0 });
});

it('a delivery whose payload is gone keeps no claim', async () => {
  const { db, deliveryLedger } = test.services;
  const { id: endpointId, token } = await heldEndpoint();
  // What a claim sees when the expunge happens in between.
  await sql`update webhook_event set payload = null where id in (
    select webhook_event_id from webhook_delivery where webhook_endpoint_id = ${endpointId}
    order by id limit 1)`.execute(db);
  expect(await deliveryLedger.claim({ endpointId, token, room: 2 })).toHaveLength(1);
  const { rows } = await sql`select status, claim_token from webhook_delivery
    where webhook_endpoint_id = ${endpointId} order by id limit 2`.execute(db);
  expect(rows).toEqual([
    { status: 'canceled', claim_token: null },
    { status: 'delivering', claim_token: token },
  ]);
});

it('events for an endpoint that is being delivered to need no job until it is released', async () => {
  const { services, workspaceId } = test;
  const jobs = async (): Promise<number> => {
    const { waiting = 0, prioritized = 0 } = await services.producer.counts(webhookDeliver);
    return waiting + prioritized;
  };
  const { id, token } = await heldEndpoint();
  const before = await jobs();
  await sendPings(services, workspaceId, id);
  expect(await jobs()).toBe(before);
  const held = { id, token, pacedUntil: null, target: { version: 0 } };
  expect(await releaseEndpoints(services.db, [held])).toMatchObject([{ wakeMs: 0 }]);
  await sendPings(services, workspaceId, id);
  expect(await jobs()).toBe(before + 1);
});
