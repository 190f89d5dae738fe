// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId } from '#src/ids.ts';
import { deleteEndpoint } from '#src/webhooks/administration/delete-endpoint.ts';
import { rotateSecret } from '#src/webhooks/administration/rotate-secret.ts';
import { disableEndpoint } from '#src/webhooks/disable-endpoint.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';
import {
  abandonDeliveries,
  endpointState,
  expireLease,
  gateHttp,
  makeDue,
  received,
  runJob,
  statusesOf,
  takeLeaseAway,
  webhookIds,
} from '#test/support/webhook-endpoints.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import {
  attemptsTo,
  deliveriesTo,
  insertEndpoint,
  writePings,
} from '#test/support/webhook-rows.ts';
import { Webhook } from 'standardwebhooks';

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
async function endpointWith(
  due: number,
  columns: { rate_limit?: number } = {},
): Promise<{ id: WebhookEndpointId; path: string; secret: string }> {
  paths += 1;
  const path = `/${paths}`;
  const { services, workspaceId } = test;
  const url = receiver.url + path;
  const { id, secret } = await insertEndpoint(services, workspaceId, url, columns);
  await writePings(services, workspaceId, id, due);
  return { id, path, secret };
}

function gated(place: 'before' | 'after') {
  const gate = gateHttp(test.services.webhookHttp, place);
  return { gate, services: { ...test.services, webhookHttp: gate.http } };
}

describe('several concurrent jobs for one endpoint', () => {
  it('send each delivery once: all but one do nothing', async () => {
    const { id, path } = await endpointWith(40);
    const { services } = test;
    const facts = await Promise.all([1, 2, 3].map(() => runJob(services, id)));
    expect(facts.map(({ end }) => end).toSorted()).toEqual([
      'done',
      'nothing to do',
      'nothing to do',
    ]);
    expect(new Set(webhookIds(receiver.requestsTo(path))).size).toBe(40);
    expect(receiver.requestsTo(path)).toHaveLength(40);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 40 });
  });
});

describe('a worker that lost its endpoint while sending', () => {
  it('records what it did, and changes neither delivery states nor health', async () => {
    const { id, path } = await endpointWith(3);
    const [late, next] = [gated('after'), gated('after')];
    receiver.behave = (_, count) => ({ kind: 'answer', status: count <= 3 ? 500 : 204 });
    const lateJob = runJob(late.services, id);
    await until(() => Promise.resolve(late.gate.arrived === 3));
    await expireLease(test.services.db, id);
    const nextJob = runJob(next.services, id);
    await until(() => Promise.resolve(next.gate.arrived === 3));
    late.gate.open();
    expect(await lateJob).toMatchObject({ failed: 3 });
    expect(await statusesOf(test.services.db, id)).toEqual({ delivering: 3 });
    expect(await endpointState(test.services.db, id)).toMatchObject({ failures: 0 });
    next.gate.open();
    expect(await nextJob).toMatchObject({ delivered: 3, end: 'done' });
    receiver.behave = () => ({ kind: 'answer' });
    expect(await deliveriesTo(test.services, id)).toMatchObject(
      Array(3).fill({ status: 'delivered', attempts: 1, round_attempts: 1, error: null }),
    );
    const attempts = await attemptsTo(test.services, id);
    expect(attempts.map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array<string>(3).fill('delivered'),
      ...Array<string>(3).fill('failed'),
      ...Array<string>(3).fill('interrupted'),
    ]);
    const ids = webhookIds(receiver.requestsTo(path));
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(3);
  });

  it('sends no more once it learns of it', async () => {
    const { id, path } = await endpointWith(5);
    const { gate, services } = gated('before');
    const job = runJob(services, id);
    await until(() => Promise.resolve(gate.arrived === 4));
    await takeLeaseAway(services.db, id);
    // The gate stays closed: the failed renewal ends the job.
    expect(await job).toMatchObject({ delivered: 0, failed: 0, end: 'stopped' });
    expect(receiver.requestsTo(path)).toEqual([]);
    expect(await statusesOf(services.db, id)).toEqual({ delivering: 4, pending: 1 });
    expect(await attemptsTo(services, id)).toEqual([]);
  });
});

describe('deliveries of a dead worker', () => {
  it('are sent again, and the ledger records the interruption', async () => {
    const { id, path } = await endpointWith(3);
    const { services } = test;
    await abandonDeliveries(services.db, id);
    expect(await runJob(services, id)).toMatchObject({ delivered: 3, end: 'done' });
    const attempts = await attemptsTo(services, id);
    const outcomes = attempts.map(({ outcome, counts }) => `${outcome} ${counts}`).toSorted();
    expect(outcomes).toEqual([
      ...Array<string>(3).fill('delivered true'),
      ...Array<string>(3).fill('interrupted false'),
    ]);
    expect(new Set(webhookIds(receiver.requestsTo(path))).size).toBe(3);
    expect(await deliveriesTo(services, id)).toMatchObject(
      Array(3).fill({ status: 'delivered', attempts: 1, error: null }),
    );
  });

  it('are not touched while its lease lasts', async () => {
    const { id, path } = await endpointWith(2);
    const { services } = test;
    await abandonDeliveries(services.db, id);
    await takeLeaseAway(services.db, id);
    expect(await runJob(services, id)).toMatchObject({ end: 'nothing to do' });
    expect(receiver.requestsTo(path)).toEqual([]);
    expect(await statusesOf(services.db, id)).toEqual({ delivering: 2 });
  });
});

describe('a worker stopped while a receiver hangs', () => {
  it('releases its deliveries within seconds: due again, at no cost, and recorded', async () => {
    const { id, path } = await endpointWith(2);
    const { services } = test;
    receiver.behave = (at) => (at === path ? { kind: 'hang' } : { kind: 'answer' });
    const stop = new AbortController();
    const job = runJob(services, id, stop.signal);
    await received(receiver, path, 2);
    stop.abort(new Error('The process is stopping.'));
    await expect(job).rejects.toThrow('The process is stopping.');
    expect(await deliveriesTo(services, id)).toMatchObject(
      Array(2).fill({ status: 'pending', attempts: 0, round_attempts: 0, own_outages: 0 }),
    );
    expect(await attemptsTo(services, id)).toMatchObject(
      Array(2).fill({ outcome: 'interrupted', counts: false, status_code: null }),
    );
    expect(await endpointState(services.db, id)).toMatchObject({ claim_token: null, failures: 0 });
    receiver.behave = () => ({ kind: 'answer' });
    expect(await runJob(services, id)).toMatchObject({ delivered: 2, end: 'done' });
  });

  it('claims nothing when it was stopped before it began', async () => {
    const { id, path } = await endpointWith(2);
    const { services } = test;
    const reason = new Error('Too late.');
    await expect(runJob(services, id, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(receiver.requestsTo(path)).toEqual([]);
    expect(await statusesOf(services.db, id)).toEqual({ pending: 2 });
    expect(await endpointState(services.db, id)).toMatchObject({ claim_token: null });
  });
});

describe('an endpoint that changes during delivery', () => {
  async function changeMidway(
    change: (id: WebhookEndpointId) => Promise<unknown>,
    due: number = 30,
  ): Promise<{ id: WebhookEndpointId; path: string; secret: string }> {
    const endpoint = await endpointWith(due);
    const { gate, services } = gated('before');
    const job = runJob(services, endpoint.id);
    await until(() => Promise.resolve(gate.arrived > 0));
    await change(endpoint.id);
    gate.open();
    await job;
    return endpoint;
  }

  it('and is disabled finishes what is in progress, and nothing waits any more', async () => {
    const { db } = test.services;
    const { id, path } = await changeMidway((endpointId) =>
      db
        .transaction()
        .execute((trx) =>
          disableEndpoint(trx, endpointId, { reason: 'Enough.', at: new Date(), byOwner: true }),
        ),
    );
    expect(receiver.requestsTo(path)).toHaveLength(4);
    expect(await statusesOf(db, id)).toEqual({ delivered: 4, canceled: 26 });
  });

  it('and is disabled cancels what was in progress and failed', async () => {
    const { db } = test.services;
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    const { id } = await changeMidway((endpointId) =>
      db
        .transaction()
        .execute((trx) =>
          disableEndpoint(trx, endpointId, { reason: 'Enough.', at: new Date(), byOwner: true }),
        ),
    );
    receiver.behave = () => ({ kind: 'answer' });
    expect(await statusesOf(db, id)).toEqual({ canceled: 30 });
    expect(await attemptsTo(test.services, id)).toHaveLength(4);
  });

  it('and is deleted finishes what is in progress, and nothing waits any more', async () => {
    const { db } = test.services;
    const { workspaceId } = test;
    const { id, path } = await changeMidway((endpointId) =>
      deleteEndpoint(db, { workspaceId, id: endpointId }),
    );
    expect(receiver.requestsTo(path)).toHaveLength(4);
    expect(await statusesOf(db, id)).toEqual({ delivered: 4, canceled: 26 });
    await makeDue(db, id);
    expect(await runJob(test.services, id)).toMatchObject({ end: 'nothing to do' });
  });

  it('and is moved gets the rest at its new address', async () => {
    const { db } = test.services;
    const { path } = await changeMidway((id) =>
      sql`update webhook_endpoint set url = url || '/moved', updated_at = clock_timestamp()
        where id = ${id}`.execute(db),
    );
    const [before, after] = [path, `${path}/moved`].map((at) => receiver.requestsTo(at));
    expect(before).toHaveLength(4);
    expect(after).toHaveLength(26);
    expect(new Set(webhookIds([...(before ?? []), ...(after ?? [])])).size).toBe(30);
  });

  it('and gets a new secret has the rest signed with it', async () => {
    const { services, workspaceId } = test;
    let fresh = '';
    const { path, secret } = await changeMidway(async (id) => {
      const options = { gracePeriodSeconds: 0 };
      fresh = (await rotateSecret(services, { workspaceId, id }, options)).secret;
    });
    const verdicts = receiver.requestsTo(path).map(({ body, headers }) => {
      const verifies = (key: string): boolean => {
        try {
          // Node gives the signature headers as strings.
          new Webhook(key).verify(body, headers as Record<string, string>);
          return true;
        } catch {
          return false;
        }
      };
      return [verifies(secret), verifies(fresh)];
    });
    expect(verdicts.filter(([old]) => old)).toHaveLength(4);
    expect(verdicts.filter(([, current]) => current)).toHaveLength(26);
  });
});
