// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId } from '#src/ids.ts';
import type { DeliveryLedger } from '#src/webhooks/delivery-ledger.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';
import {
  delayedJobs,
  endpointState,
  expireLease,
  gateHttp,
  runJob,
  statusesOf,
  webhookIds,
} from '#test/support/webhook-endpoints.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { attemptsTo, insertEndpoint, writePings } from '#test/support/webhook-rows.ts';

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

/** Tries again to record after milliseconds instead of half a second. */
const FIRST_RECORD_PAUSE_MS = 10;

function withLedger(over: Partial<DeliveryLedger>) {
  const { deliveryLedger } = test.services;
  const firstRecordPauseMs = FIRST_RECORD_PAUSE_MS;
  return { ...test.services, deliveryLedger: { ...deliveryLedger, firstRecordPauseMs, ...over } };
}

const DOWN = new Error('Connection terminated unexpectedly');

describe('a ledger that cannot be written', () => {
  it('for a second is written when it is back, and nothing is sent twice', async () => {
    const { id, path } = await endpointWith(3);
    let refusals = 4;
    const services = withLedger({
      record: (entry) =>
        refusals-- > 0 ? Promise.reject(DOWN) : test.services.deliveryLedger.record(entry),
    });
    expect(await runJob(services, id)).toMatchObject({ delivered: 3, end: 'done' });
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 3 });
    expect(receiver.requestsTo(path)).toHaveLength(3);
    expect(await attemptsTo(services, id)).toHaveLength(3);
  });

  it('for longer than a job waits causes a resend with the same ids after the lease', async () => {
    const { id, path } = await endpointWith(3);
    const services = withLedger({ record: () => Promise.reject(DOWN) });
    await expect(runJob(services, id)).rejects.toBe(DOWN);
    expect(await statusesOf(services.db, id)).toEqual({ delivering: 3 });
    expect((await endpointState(services.db, id)).claim_token).not.toBeNull();
    await expireLease(services.db, id);
    expect(await runJob(test.services, id)).toMatchObject({ delivered: 3, end: 'done' });
    const ids = webhookIds(receiver.requestsTo(path));
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(3);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 3 });
    expect((await attemptsTo(services, id)).map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array<string>(3).fill('delivered'),
      ...Array<string>(3).fill('interrupted'),
    ]);
  });

  it('whose write has an unknown outcome has one line per post', async () => {
    const { id, path } = await endpointWith(1);
    let answersLost = 1;
    const services = withLedger({
      async record(entry) {
        await test.services.deliveryLedger.record(entry);
        if (answersLost-- > 0) throw DOWN;
      },
    });
    await runJob(services, id);
    expect(receiver.requestsTo(path)).toHaveLength(1);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 1 });
    expect(await attemptsTo(services, id)).toMatchObject([{ outcome: 'delivered' }]);
  });

  it('while the worker stops leaves the rows to the next holder', async () => {
    const { id } = await endpointWith(2);
    const gate = gateHttp(test.services.webhookHttp, 'before');
    const services = {
      ...withLedger({ record: () => Promise.reject(DOWN) }),
      webhookHttp: gate.http,
    };
    const stop = new AbortController();
    const job = runJob(services, id, stop.signal);
    await until(() => Promise.resolve(gate.arrived === 2));
    stop.abort(new Error('The process is stopping.'));
    await expect(job).rejects.toThrow();
    await expireLease(services.db, id);
    expect(await runJob(test.services, id)).toMatchObject({ delivered: 2, end: 'done' });
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 2 });
  });
});

describe('claims that cannot be made', () => {
  it('end the job; deliveries claimed without an answer are sent after the lease', async () => {
    const { id, path } = await endpointWith(3);
    const services = withLedger({
      async claim(claim) {
        await test.services.deliveryLedger.claim(claim);
        throw DOWN;
      },
    });
    await expect(runJob(services, id)).rejects.toBe(DOWN);
    expect(receiver.requestsTo(path)).toEqual([]);
    expect(await statusesOf(services.db, id)).toEqual({ delivering: 3 });
    await expireLease(services.db, id);
    await runJob(test.services, id);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 3 });
    expect(receiver.requestsTo(path)).toHaveLength(3);
  });
});

describe('after a job', () => {
  it('one delayed job covers the next attempt, however many jobs ran', async () => {
    const { id } = await endpointWith(5);
    const { services } = test;
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    const before = await delayedJobs(services);
    for (let job = 0; job < 6; job += 1) await runJob(services, id);
    expect(await delayedJobs(services)).toBe(before + 1);
    const { wakes_in_seconds: wakesIn } = await endpointState(services.db, id);
    expect(wakesIn).toBeGreaterThan(0);
    expect(wakesIn).toBeLessThanOrEqual(6);
    receiver.behave = () => ({ kind: 'answer' });
  });

  it('that left nothing to do no delayed job remains', async () => {
    const { id } = await endpointWith(2);
    const before = await delayedJobs(test.services);
    await runJob(test.services, id);
    expect(await delayedJobs(test.services)).toBe(before);
    expect((await endpointState(test.services.db, id)).wakes_in_seconds).toBeNull();
  });

  it('that ran a moment too early a new one is planned', async () => {
    const { id } = await endpointWith(1);
    const { services } = test;
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    await runJob(services, id);
    receiver.behave = () => ({ kind: 'answer' });
    const waiting = await delayedJobs(services);
    // The delayed job was just taken by a machine whose clock is slightly ahead of the database's.
    await sql`update webhook_delivery set next_attempt_at = now() + interval '400 milliseconds'
      where webhook_endpoint_id = ${id}`.execute(services.db);
    await sql`update webhook_endpoint e set wake_at = d.next_attempt_at from webhook_delivery d
      where e.id = ${id} and d.webhook_endpoint_id = e.id`.execute(services.db);
    await runJob(services, id);
    const isSent = (await statusesOf(services.db, id)).delivered === 1;
    expect(isSent || (await delayedJobs(services)) === waiting + 1).toBe(true);
  });
});
