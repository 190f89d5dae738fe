// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { WebhookEndpointId } from '#src/ids.ts';
import { createSecretBox, UnreadableSecret } from '#src/platform/crypto.ts';
import { OutboundError } from '#src/platform/http.ts';
import type { Services } from '#src/services.ts';
import { emittedEvents } from '#test/support/emitted-events.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { endpointState, makeDue, runJob, statusesOf } from '#test/support/webhook-endpoints.ts';
import { inTurn, startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
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
async function endpointWith(
  due: number,
  columns: { rate_limit?: number } = {},
): Promise<{ id: WebhookEndpointId; path: string }> {
  paths += 1;
  const path = `/${paths}`;
  const { services, workspaceId } = test;
  const { id } = await insertEndpoint(services, workspaceId, receiver.url + path, columns);
  await writePings(services, workspaceId, id, due);
  return { id, path };
}

describe('a rate limit', () => {
  it('of 60 a minute keeps deliveries a second apart, across jobs', async () => {
    const { id, path } = await endpointWith(3, { rate_limit: 60 });
    const { services, workspaceId } = test;
    await runJob(services, id);
    await writePings(services, workspaceId, id, 2);
    await runJob(services, id);
    const times = receiver.requestsTo(path).map(({ arrivedAtMs }) => arrivedAtMs);
    expect(times).toHaveLength(5);
    // The first request waits for its connection, so later ones may seem early.
    for (const [index, time] of times.entries()) {
      expect(time - (times[0] ?? 0)).toBeGreaterThan(index * 1_000 - 900);
    }
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from max(started_at) - min(started_at))::float8 as seconds
      from webhook_attempt a join webhook_delivery d on d.id = a.webhook_delivery_id
      where d.webhook_endpoint_id = ${id}`.execute(services.db);
    expect(rows[0]?.seconds).toBeGreaterThan(3.8);
  });

  it('with a pause of more than a second releases the slot and schedules the next delivery', async () => {
    const { id, path } = await endpointWith(3, { rate_limit: 2 });
    const { services } = test;
    expect(await runJob(services, id)).toMatchObject({ delivered: 1, end: 'done' });
    const { wakes_in_seconds: wakesIn, claim_token: token } = await endpointState(services.db, id);
    expect(token).toBeNull();
    expect(wakesIn).toBeGreaterThan(25);
    expect(wakesIn).toBeLessThanOrEqual(30);
    expect(await runJob(services, id)).toMatchObject({ end: 'nothing to do' });
    expect(receiver.requestsTo(path)).toHaveLength(1);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 1, pending: 2 });
  });
});

describe('the circuit breaker of an endpoint', () => {
  it('opens after ten failures, probes with one delivery, and closes after one success', async () => {
    const { id, path } = await endpointWith(60);
    const { db } = test.services;
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    expect(await runJob(test.services, id)).toMatchObject({ delivered: 0, end: 'open' });
    const tried = receiver.requestsTo(path).length;
    expect(tried).toBeGreaterThanOrEqual(10);
    expect(tried).toBeLessThan(20);
    expect(await endpointState(db, id)).toMatchObject({ failures: tried, breaker_trips: 1 });
    // While it is open, nothing is sent, whatever is due.
    expect(await runJob(test.services, id)).toMatchObject({ end: 'nothing to do' });
    await makeDue(db, id);
    expect(await runJob(test.services, id)).toMatchObject({ failed: 1, end: 'open' });
    expect(receiver.requestsTo(path)).toHaveLength(tried + 1);
    const again = await endpointState(db, id);
    expect(again.breaker_trips).toBe(2);
    expect(again.open_for_seconds).toBeGreaterThan(8);
    expect(again.open_for_seconds).toBeLessThanOrEqual(12);
    receiver.behave = () => ({ kind: 'answer' });
    await makeDue(db, id);
    expect(await runJob(test.services, id)).toMatchObject({ delivered: 60, end: 'done' });
    expect(await endpointState(db, id)).toMatchObject({
      failures: 0,
      failing_since: null,
      breaker_trips: 0,
      breaker_until: null,
    });
    expect(receiver.requestsTo(path)).toHaveLength(tried + 1 + 60);
  });

  it('charges no more attempts than were made', async () => {
    const { id, path } = await endpointWith(30);
    receiver.behave = inTurn(...Array(14).fill({ kind: 'answer', status: 500 }), {
      kind: 'answer',
    });
    await runJob(test.services, id);
    const rows = await deliveriesTo(test.services, id);
    const spent = rows.reduce((sum, { attempts }) => sum + attempts, 0);
    expect(spent).toBe(receiver.requestsTo(path).length);
    expect(await attemptsTo(test.services, id)).toHaveLength(spent);
    expect(Math.max(...rows.map(({ attempts }) => attempts))).toBe(1);
    receiver.behave = () => ({ kind: 'answer' });
  });
});

describe('an endpoint that has failed for six days', () => {
  it('is disabled at its next failure; waiting deliveries are canceled, and the other endpoints are notified', async () => {
    const { services } = test;
    const workspace = { name: 'Another', planTier: 'Enterprise' } as const;
    const { workspaceId } = await createWorkspace(services.db, workspace);
    const failing = await insertEndpoint(services, workspaceId, `${receiver.url}/failing`);
    const other = await insertEndpoint(services, workspaceId, `${receiver.url}/other`);
    await writePings(services, workspaceId, failing.id, 12);
    receiver.behave = (path) => ({ kind: 'answer', status: path === '/failing' ? 500 : 204 });
    const lines: unknown[] = [];
    const log = Object.create(services.log, {
      warn: { value: (facts: object, message: string) => lines.push({ ...facts, message }) },
    }) as Services['log']; // the logger with one method replaced
    await runJob({ ...services, log }, failing.id);
    expect(await endpointState(services.db, failing.id)).toMatchObject({ enabled: true });
    await shiftIntoPast(services, failing.id, 6 * 24);
    expect(await runJob({ ...services, log }, failing.id)).toMatchObject({ end: 'disabled' });
    const state = await endpointState(services.db, failing.id);
    expect(state).toMatchObject({ enabled: false, claim_token: null });
    expect(state.disabled_reason).toMatch(/^No delivery has succeeded since 2.*Z; 1\d attempts/);
    expect(await statusesOf(services.db, failing.id)).toEqual({ canceled: 12 });
    const events = await emittedEvents(services.db, workspaceId);
    const told = events.filter(({ type }) => type === 'webhook.endpoint.disabled');
    expect(told).toMatchObject([
      { endpoints: [other.id], data: { endpoint_id: failing.id, reason: state.disabled_reason } },
    ]);
    expect(lines).toMatchObject([
      { endpointId: failing.id, reason: state.disabled_reason, message: expect.any(String) },
    ]);
    await runJob(services, other.id);
    expect(receiver.requestsTo('/other')).toHaveLength(1);
    receiver.behave = () => ({ kind: 'answer' });
  });

  it('stays enabled when the next delivery succeeds', async () => {
    const { id } = await endpointWith(12);
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    await runJob(test.services, id);
    await shiftIntoPast(test.services, id, 6 * 24);
    receiver.behave = () => ({ kind: 'answer' });
    await runJob(test.services, id);
    expect(await endpointState(test.services.db, id)).toMatchObject({ enabled: true, failures: 0 });
    expect(await statusesOf(test.services.db, id)).toEqual({ delivered: 12 });
  });
});

describe('an outage on our side', () => {
  it('costs no attempt, up to fifty times per round; after that it counts', async () => {
    const { id, path } = await endpointWith(1);
    const error = new OutboundError('network', 'No resolver.', { code: 'EAI_AGAIN' });
    const { webhookHttp } = test.services;
    const services = {
      ...test.services,
      webhookHttp: { ...webhookHttp, send: () => Promise.reject(error) },
    };
    const delays: number[] = [];
    for (let outage = 1; outage <= 50; outage += 1) {
      await runJob(services, id);
      const [row] = await deliveriesTo(services, id);
      expect(row).toMatchObject({ status: 'waiting', attempts: 0, own_outages: outage });
      delays.push(Math.round(row?.waits_seconds ?? Number.NaN));
      await makeDue(services.db, id);
    }
    expect(delays.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    expect(Math.max(...delays)).toBe(600);
    expect(await endpointState(services.db, id)).toMatchObject({
      failures: 0,
      breaker_until: null,
    });
    await runJob(services, id);
    expect(await deliveriesTo(services, id)).toMatchObject([
      { attempts: 1, round_attempts: 1, own_outages: 50 },
    ]);
    const attempts = await attemptsTo(services, id);
    expect(attempts.filter(({ counts }) => counts)).toMatchObject([{ error_class: 'own_outage' }]);
    expect(attempts).toHaveLength(51);
    await makeDue(services.db, id);
    await runJob(test.services, id);
    expect(await statusesOf(services.db, id)).toEqual({ delivered: 1 });
    expect(receiver.requestsTo(path)).toHaveLength(1);
  });
});

describe('a secret sealed with another key', () => {
  it('costs no attempt, and everything is sent once the key is back', async () => {
    const { id, path } = await endpointWith(2);
    const services = { ...test.services, secrets: createSecretBox([Buffer.alloc(32, 7)]) };
    await expect(runJob(services, id)).rejects.toThrow(UnreadableSecret);
    expect(await statusesOf(services.db, id)).toEqual({ pending: 2 });
    expect(await attemptsTo(services, id)).toEqual([]);
    expect(receiver.requestsTo(path)).toEqual([]);
    // The pause is minutes long, because an operator must act first.
    expect(await runJob(test.services, id)).toMatchObject({ end: 'nothing to do' });
    await sql`update webhook_endpoint set paced_until = now() where id = ${id}`.execute(
      services.db,
    );
    expect(await runJob(test.services, id)).toMatchObject({ delivered: 2 });
  });
});

describe('a step of the process clock', () => {
  it('by an hour back and forth moves no schedule and wakes nothing early', async () => {
    const { id, path } = await endpointWith(12);
    const { db } = test.services;
    receiver.behave = () => ({ kind: 'answer', status: 500 });
    let calls = 0;
    const clock = (): Date => new Date(Date.now() + (calls++ % 2 === 0 ? 3_600_000 : -3_600_000));
    const services = { ...test.services, clock };
    await runJob(services, id);
    const waits = (await deliveriesTo(services, id)).flatMap(({ attempts, waits_seconds: wait }) =>
      attempts > 0 ? [wait ?? Number.NaN] : [],
    );
    expect(waits.length).toBeGreaterThanOrEqual(10);
    expect(Math.min(...waits)).toBeGreaterThan(3.5);
    expect(Math.max(...waits)).toBeLessThan(6.5);
    const { open_for_seconds: openFor, wakes_in_seconds: wakesIn } = await endpointState(db, id);
    expect(openFor).toBeGreaterThan(0);
    expect(openFor).toBeLessThanOrEqual(6);
    expect(wakesIn).toBeLessThanOrEqual(6.5);
    expect(await runJob(services, id)).toMatchObject({ end: 'nothing to do' });
    receiver.behave = () => ({ kind: 'answer' });
    await makeDue(db, id);
    await runJob(services, id);
    expect(await statusesOf(db, id)).toEqual({ delivered: 12 });
    expect(await endpointState(db, id)).toMatchObject({ enabled: true, failing_since: null });
    expect(receiver.requestsTo(path).length).toBeGreaterThan(12);
  });
});
