import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import {
  type Behaviour,
  inTurn,
  type ReceivedRequest,
  startReceiver,
  type WebhookReceiver,
} from '#test/support/webhook-receiver.ts';
import {
  attemptsTo,
  deliveriesTo,
  insertEndpoint,
  type InsertedEndpoint,
  sendPings,
  shiftIntoPast,
} from '#test/support/webhook-rows.ts';

let millrace: TestMillrace;
let workspaceId: WorkspaceId;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  millrace = opened.use(await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }));
  workspaceId = await newWorkspace();
});
afterAll(() => opened.disposeAsync());

const OK: Behaviour = { kind: 'answer' };
const FAIL: Behaviour = { kind: 'answer', status: 500 };
const answer = (status: number, headers: Record<string, string> = {}): Behaviour => ({
  kind: 'answer',
  status,
  headers,
});

async function newWorkspace(): Promise<WorkspaceId> {
  // The API returns an untyped id.
  return (await millrace.createWorkspace()).workspaceId as WorkspaceId;
}

async function startPing(receiver: WebhookReceiver, pings: number = 1): Promise<InsertedEndpoint> {
  const endpoint = await insertEndpoint(millrace.services, workspaceId, `${receiver.url}/hook`);
  await sendPings(millrace.services, workspaceId, endpoint.id, pings);
  return endpoint;
}

async function untilAttempts(id: WebhookEndpointId, count: number): Promise<void> {
  await until(async () => {
    const attempts = await attemptsTo(millrace.services, id);
    const rows = await deliveriesTo(millrace.services, id);
    return attempts.length >= count && rows.every(({ status }) => status !== 'delivering');
  });
}

/** Triggers the next attempt, however far in the future it is planned. */
async function attemptAgain(id: WebhookEndpointId): Promise<void> {
  const { length } = await attemptsTo(millrace.services, id);
  await shiftIntoPast(millrace.services, id, 48);
  await sendDeliveries(millrace.services, [id], { delayMs: 1 });
  await untilAttempts(id, length + 1);
}

function verify({ body, headers }: ReceivedRequest, secret: string): void {
  // A header that is sent once is a string.
  new Webhook(secret).verify(body, headers as Record<string, string>);
}

const hexOf = ({ body }: ReceivedRequest, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

describe('a failed delivery', () => {
  it('is retried automatically about five seconds later', async () => {
    await using receiver = await startReceiver({ behave: inTurn(FAIL, OK) });
    const { id } = await startPing(receiver);
    await untilAttempts(id, 2);
    const [first, second] = receiver.requests;
    const gapMs = (second?.arrivedAtMs ?? 0) - (first?.arrivedAtMs ?? 0);
    expect(gapMs).toBeGreaterThan(3_900);
    expect(gapMs).toBeLessThan(60_000);
    expect(await deliveriesTo(millrace.services, id)).toMatchObject([
      { status: 'delivered', attempts: 2, error: null, last_status_code: 204 },
    ]);
  });

  it('goes through the whole schedule and is exhausted after ten attempts, with the same bytes each time', async () => {
    const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    await using receiver = await startReceiver({ behave: () => FAIL });
    const { id, secret } = await startPing(receiver);
    await untilAttempts(id, 1);
    for (const [index, base] of seconds.entries()) {
      const [delivery] = await deliveriesTo(millrace.services, id);
      expect(delivery).toMatchObject({ status: 'waiting', attempts: index + 1 });
      expect(delivery?.waits_seconds).toBeGreaterThanOrEqual(0.8 * base - 0.1);
      expect(delivery?.waits_seconds).toBeLessThanOrEqual(1.2 * base + 2);
      await attemptAgain(id);
    }
    expect(await deliveriesTo(millrace.services, id)).toMatchObject([
      { status: 'exhausted', attempts: 10, round_attempts: 10, waits_seconds: null },
    ]);
    const attempts = await attemptsTo(millrace.services, id);
    expect(attempts.map(({ outcome, counts }) => ({ outcome, counts }))).toEqual(
      Array.from({ length: 10 }, () => ({ outcome: 'failed', counts: true })),
    );
    const { requests } = receiver;
    expect(requests).toHaveLength(10);
    expect(new Set(requests.map(({ body }) => body.toString('hex'))).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const request of requests) {
      verify(request, secret);
      expect(request.headers['x-signature']).toBe(hexOf(request, secret));
    }
    const [sent] = requests;
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
      id: sent?.headers['webhook-id'],
      type: 'ping',
      data: { message: 'Grüße 0 🚀' },
    });
    expect(sent?.headers['content-type']).toBe('application/json');
  });

  it.each<[string, string, number, number]>([
    ['seven seconds', '7', 7, 7],
    ['a day', '86400', 10, 10],
    ['nothing', '0', 5, 5],
    ['the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 5, 5],
    ['nonsense', 'soon', 4, 6],
  ])('with Retry-After of %s waits within the bounds', async (_, value, from, to) => {
    await using receiver = await startReceiver({
      behave: () => answer(429, { 'retry-after': value }),
    });
    const { id } = await startPing(receiver);
    await untilAttempts(id, 1);
    const [delivery] = await deliveriesTo(millrace.services, id);
    expect(delivery).toMatchObject({ status: 'waiting', last_status_code: 429 });
    expect(delivery?.waits_seconds).toBeGreaterThan(from - 0.5);
    expect(delivery?.waits_seconds).toBeLessThan(to + 2);
  });
});

describe('a receiver that answers 410', () => {
  it('is disabled; waiting deliveries are canceled, and the other endpoints are notified', async () => {
    workspaceId = await newWorkspace();
    const { services } = millrace;
    await using told = await startReceiver();
    await insertEndpoint(services, workspaceId, `${told.url}/told`);
    await using gone = await startReceiver({ behave: inTurn(FAIL, answer(410)) });
    const { id } = await startPing(gone);
    await untilAttempts(id, 1);
    await sendPings(services, workspaceId, id);
    await until(async () => {
      const rows = await deliveriesTo(services, id);
      return rows.every(({ status }) => status === 'canceled' || status === 'exhausted');
    });
    const rows = await deliveriesTo(services, id);
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['canceled', 'exhausted']);
    const { rows: endpoints } = await sql<{ enabled: boolean; reason: string }>`
      select enabled, disabled_reason as reason from webhook_endpoint where id = ${id}`.execute(
      services.db,
    );
    expect(endpoints).toEqual([{ enabled: false, reason: 'The receiver answered 410 Gone.' }]);
    await until(() => Promise.resolve(told.requests.length === 1));
    expect(JSON.parse(told.requests[0]?.body.toString() ?? '')).toMatchObject({
      type: 'webhook.endpoint.disabled',
      data: { endpoint_id: id, reason: 'The receiver answered 410 Gone.' },
    });
    const { length } = gone.requests;
    await sendPings(services, workspaceId, id);
    await attemptsTo(services, id);
    expect(gone.requests).toHaveLength(length);
  });
});

describe('a rotation', () => {
  it('signs with both secrets during the grace period, then only with the new one', async () => {
    const { services } = millrace;
    await using receiver = await startReceiver({ behave: inTurn(FAIL, FAIL, OK) });
    const { id, secret: old } = await startPing(receiver);
    await untilAttempts(id, 1);
    const fresh = makeSecret();
    const seal = (secret: string): string =>
      services.secrets.seal(secret, `webhook_endpoint:${id}`);
    await sql`update webhook_endpoint set secret = ${seal(fresh)}, previous_secret = ${seal(old)},
      previous_secret_until = now() + interval '1 hour', updated_at = now()
      where id = ${id}`.execute(services.db);
    await attemptAgain(id);
    await sql`update webhook_endpoint set previous_secret_until = now() - interval '1 second',
      updated_at = now() where id = ${id}`.execute(services.db);
    await attemptAgain(id);
    const [before, during, after] = receiver.requests;
    if (!before || !during || !after) throw new Error('Three requests were expected.');
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [old, fresh]) verify(during, secret);
    expect(during.headers['x-signature']).toBe(hexOf(during, old));
    verify(before, old);
    verify(after, fresh);
    expect(after.headers['x-signature']).toBe(hexOf(after, fresh));
    expect(() => verify(after, old)).toThrow('No matching signature');
    expect(() => verify(before, fresh)).toThrow('No matching signature');
    expect(during.body.equals(before.body) && after.body.equals(before.body)).toBe(true);
  });
});

describe('an endpoint that keeps failing', () => {
  it('is left alone for a while and then probed with a single delivery', async () => {
    let isDown = true;
    await using receiver = await startReceiver({ behave: () => (isDown ? FAIL : OK) });
    const { id } = await startPing(receiver, 40);
    const { services } = millrace;
    await until(async () => (await attemptsTo(services, id)).length >= 10);
    await until(async () => (await statusOf(id)).claimed_until === null);
    const { length } = receiver.requests;
    expect(length).toBeLessThan(20);
    expect((await statusOf(id)).breaker_until).not.toBeNull();
    await shiftIntoPast(services, id, 1);
    await sendDeliveries(services, [id], { delayMs: 1 });
    await until(async () => (await statusOf(id)).breaker_trips === 2);
    expect(receiver.requests).toHaveLength(length + 1);
    isDown = false;
    await shiftIntoPast(services, id, 1);
    await sendDeliveries(services, [id], { delayMs: 1 });
    await until(async () =>
      (await deliveriesTo(services, id)).every(({ status }) => status === 'delivered'),
    );
    expect(await statusOf(id)).toMatchObject({ breaker_until: null, failures: 0 });
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });
});

async function statusOf(id: WebhookEndpointId) {
  return millrace.services.db
    .selectFrom('webhook_endpoint')
    .select(['breaker_until', 'breaker_trips', 'failures', 'claimed_until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}
