// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId } from '#src/ids.ts';
import { reconcile } from '#src/reconcile.ts';
import { expungePayload } from '#src/webhooks/administration/expunge-payload.ts';
import { disableEndpoint } from '#src/webhooks/disable-endpoint.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';
import {
  abandonDeliveries,
  delayedJobs,
  endpointState,
  gateHttp,
  makeDue,
  runJob,
  statusesOf,
  webhookIds,
} from '#test/support/webhook-endpoints.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import {
  attemptsTo,
  deliveriesTo,
  insertEndpoint,
  shiftIntoPast,
  writePings,
} from '#test/support/webhook-rows.ts';

const opened = new AsyncDisposableStack();
let test: TestServices;
let receiver: WebhookReceiver;
let paths = 0;

beforeAll(async () => {
  test = opened.use(await openTestServices());
  receiver = opened.use(await startReceiver());
});
afterAll(() => opened.disposeAsync());
afterEach(() => {
  receiver.behave = () => ({ kind: 'answer' });
});

/** An endpoint with its own path and that many due deliveries. */
async function endpointWith(due: number): Promise<{ id: WebhookEndpointId; path: string }> {
  paths += 1;
  const path = `/${paths}`;
  const { services, workspaceId } = test;
  const { id } = await insertEndpoint(services, workspaceId, receiver.url + path);
  await writePings(services, workspaceId, id, due);
  return { id, path };
}

describe('reconcile', () => {
  const { signal } = new AbortController();

  /** Whether `reconcile` sent a job for the endpoint, judged by the time it records. */
  async function finds(id: WebhookEndpointId): Promise<boolean> {
    const { services } = test;
    await sql`update webhook_endpoint set queued_at = now() - interval '1 minute'
      where id = ${id}`.execute(services.db);
    const before = await delayedJobs(services);
    await reconcile(services, signal);
    const { rows } = await sql<{ is_sent: boolean }>`
      select queued_at > now() - interval '30 seconds' as is_sent from webhook_endpoint
      where id = ${id}`.execute(services.db);
    const isSent = rows[0]?.is_sent === true;
    // Without a worker, even jobs with a delay of one millisecond stay delayed.
    if (isSent) expect(await delayedJobs(services)).toBeGreaterThan(before);
    return isSent;
  }

  it('finds late deliveries and those of a dead worker', async () => {
    const late = await endpointWith(1);
    const held = await endpointWith(1);
    await shiftIntoPast(test.services, late.id, 1);
    await abandonDeliveries(test.services.db, held.id);
    expect(await finds(late.id)).toBe(true);
    expect(await finds(held.id)).toBe(true);
  });

  it('finds deliveries that are due again when their planned job is lost', async () => {
    const { id } = await endpointWith(1);
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    await runJob(test.services, id);
    receiver.behave = () => ({ kind: 'answer' });
    expect(await finds(id)).toBe(false);
    await shiftIntoPast(test.services, id, 1);
    expect(await finds(id)).toBe(true);
  });

  it('leaves alone endpoints that are on time, claimed, open, paced or disabled', async () => {
    const { db } = test.services;
    const set = async (change: string, isLate: boolean = true): Promise<WebhookEndpointId> => {
      const { id } = await endpointWith(1);
      if (isLate) await shiftIntoPast(test.services, id, 1);
      await sql`update webhook_endpoint set ${sql.raw(change)} where id = ${id}`.execute(db);
      return id;
    };
    const hour = `now() + interval '1 hour'`;
    expect(await finds(await set('failures = 0', false))).toBe(false);
    expect(await finds(await set(`claim_token = 'a', claimed_until = ${hour}`))).toBe(false);
    expect(await finds(await set(`breaker_until = ${hour}`))).toBe(false);
    expect(await finds(await set(`paced_until = ${hour}`))).toBe(false);
    expect(await finds(await set('enabled = false'))).toBe(false);
    expect(await finds(await set('enabled = false, deleted_at = now()'))).toBe(false);
  });

  it('sends one job per finding, and none in its next run', async () => {
    const { id } = await endpointWith(1);
    const { services } = test;
    await shiftIntoPast(services, id, 1);
    expect(await finds(id)).toBe(true);
    const after = await delayedJobs(services);
    await reconcile(services, signal);
    expect(await delayedJobs(services)).toBe(after);
  });
});

describe('a disabled endpoint has no unfinished deliveries left', () => {
  async function disable(id: WebhookEndpointId): Promise<void> {
    const told = { reason: 'Enough.', at: new Date(), byOwner: true };
    await test.services.db.transaction().execute((trx) => disableEndpoint(trx, id, told));
  }

  async function settledByReconcile(id: WebhookEndpointId) {
    const { services } = test;
    await sql`update webhook_endpoint set queued_at = now() - interval '1 minute'
      where id = ${id}`.execute(services.db);
    await reconcile(services, new AbortController().signal);
    await runJob(services, id);
    return statusesOf(services.db, id);
  }

  it('after its worker was killed while sending', async () => {
    const { id } = await endpointWith(2);
    await abandonDeliveries(test.services.db, id);
    await disable(id);
    expect(await settledByReconcile(id)).toEqual({ canceled: 2 });
    expect((await attemptsTo(test.services, id)).map(({ outcome }) => outcome)).toEqual([
      'interrupted',
      'interrupted',
    ]);
  });

  it('after an event was written concurrently', async () => {
    const { id } = await endpointWith(2);
    const { services, workspaceId } = test;
    await disable(id);
    // The state left by a transaction that saw the endpoint enabled and committed after it was disabled.
    await sql`update webhook_endpoint set enabled = true where id = ${id}`.execute(services.db);
    await writePings(services, workspaceId, id, 1);
    await sql`update webhook_endpoint set enabled = false where id = ${id}`.execute(services.db);
    await sendDeliveries(services, [id]);
    expect(await settledByReconcile(id)).toEqual({ canceled: 3 });
  });
});

describe('an endpoint repaired by its owner during a delivery', () => {
  it.each([500, 410])('is not disabled when the old address answers %i', async (status) => {
    const { id, path } = await endpointWith(12);
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    await runJob(test.services, id);
    await shiftIntoPast(test.services, id, 6 * 24);
    receiver.behave = (at) => ({ kind: 'answer', status: at === path ? status : 204 });
    const gate = gateHttp(test.services.webhookHttp, 'after');
    const job = runJob({ ...test.services, webhookHttp: gate.http }, id);
    await until(() => Promise.resolve(gate.arrived === 1));
    // The changes that a new URL makes.
    await sql`update webhook_endpoint set url = url || '/new', failing_since = null, failures = 0,
      breaker_trips = 0, breaker_until = null, updated_at = clock_timestamp()
      where id = ${id}`.execute(test.services.db);
    gate.open();
    await job;
    expect(await endpointState(test.services.db, id)).toMatchObject({ enabled: true });
    await makeDue(test.services.db, id);
    await runJob(test.services, id);
    const rows = await deliveriesTo(test.services, id);
    const ended = rows.filter((row) => ['delivered', 'exhausted'].includes(row.status));
    expect(ended).toHaveLength(12);
    receiver.behave = () => ({ kind: 'answer' });
  });
});

describe('an event whose payload was expunged', () => {
  it('while waiting for a retry is never sent again', async () => {
    const { id, path } = await endpointWith(2);
    const { services, workspaceId } = test;
    receiver.behave = () => ({ kind: 'answer', status: 503 });
    await runJob(services, id);
    receiver.behave = () => ({ kind: 'answer' });
    const [first = ''] = webhookIds(receiver.requestsTo(path));
    // The receiver returns the branded id as a string.
    await expungePayload(services.db, { workspaceId, id: first as never });
    await makeDue(services.db, id);
    await runJob(services, id);
    expect(webhookIds(receiver.requestsTo(path)).filter((seen) => seen === first)).toHaveLength(1);
    expect(await statusesOf(services.db, id)).toEqual({ canceled: 1, delivered: 1 });
  });

  it('between its turn and its claim is canceled and does not end the lane for the others', async () => {
    const { id, path } = await endpointWith(20);
    const { services } = test;
    // What a claim sees when the expunge happens in between.
    await sql`update webhook_event set payload = null where id in (
      select webhook_event_id from webhook_delivery where webhook_endpoint_id = ${id}
      order by id limit 6)`.execute(services.db);
    await runJob(services, id);
    await until(async () => {
      await runJob(services, id);
      return (await statusesOf(services.db, id)).delivered === 14;
    });
    expect(await statusesOf(services.db, id)).toEqual({ canceled: 6, delivered: 14 });
    expect(receiver.requestsTo(path)).toHaveLength(14);
    expect((await endpointState(services.db, id)).claim_token).toBeNull();
  });
});
