import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { WebhookDeliveryId, WebhookEndpointId, WebhookEventId } from '#src/ids.ts';
import { OutboundError, type OutboundResponse } from '#src/platform/outbound.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import { attemptDelivery } from '#src/webhooks/attempt-delivery.ts';
import type { AttemptRecord, ClaimedDelivery } from '#src/webhooks/delivery-ledger.ts';
import { type EndpointLane, openLane } from '#src/webhooks/endpoint-lane.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let test: TestServices;
beforeAll(async () => {
  test = await openTestServices();
});
afterAll(() => test[Symbol.asyncDispose]());

const records: AttemptRecord[] = [];
/** How many records fail before one succeeds. */
let failures = 0;
beforeEach(() => {
  records.length = 0;
  failures = 0;
});

/** An endpoint whose receiver answers with this status, and a ledger that keeps its records. */
function lane(answer: number | Error): EndpointLane {
  const { services } = test;
  const send = (): Promise<OutboundResponse> => {
    if (answer instanceof Error) return Promise.reject(answer);
    const bytes = Buffer.from('');
    const text = () => '';
    return Promise.resolve({
      status: answer,
      url: '',
      headers: new Headers(),
      bytes,
      isCut: false,
      text,
    });
  };
  const deliveryLedger = {
    ...services.deliveryLedger,
    record(entry: AttemptRecord) {
      failures -= 1;
      if (failures >= 0) return Promise.reject(new Error('The database restarts.'));
      records.push(entry);
      return Promise.resolve();
    },
  };
  const webhookHttp = { ...services.webhookHttp, send };
  return openLane(
    { ...services, deliveryLedger, webhookHttp },
    {
      id: randomUUID() as WebhookEndpointId,
      workspaceId: test.workspaceId,
      token: 'token',
      target: {
        url: 'https://example.com/',
        secrets: { current: makeSecret(), previous: null },
        rateLimit: null,
        version: 1,
      },
      health: {
        failingSince: null,
        lastSuccessAt: null,
        lastFailureAt: null,
        failures: 0,
        breakerTrips: 0,
        breakerUntil: null,
      },
      pacedUntil: null,
      now: () => new Date(),
    },
  );
}

function delivery(rest: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    id: 1 as WebhookDeliveryId,
    workspaceId: test.workspaceId,
    eventId: 'evt_1' as WebhookEventId,
    payload: '{}',
    round: 1,
    roundAttempts: 0,
    ownOutages: 0,
    attempts: 0,
    waitedMs: 0,
    targetVersion: 1,
    ...rest,
  };
}

const never = new AbortController().signal;

it('a delivery is recorded even when the database is briefly unavailable', async () => {
  failures = 1;
  expect(await attemptDelivery(lane(200), delivery(), never)).toBe('delivered');
  expect(records).toMatchObject([{ status: 'delivered', outcome: 'delivered' }]);
});

it('a stopped attempt costs nothing and is due again at once', async () => {
  const stopped = AbortSignal.abort(new Error('The process ends.'));
  expect(await attemptDelivery(lane(200), delivery(), stopped)).toBe('stopped');
  expect(records).toMatchObject([{ outcome: 'interrupted', counts: false, status: 'pending' }]);
});

it('a worker that has lost its lease records nothing, because the next holder already has', async () => {
  const lost = AbortSignal.abort(new LeaseLost('Another worker has the endpoint.'));
  expect(await attemptDelivery(lane(200), delivery(), lost)).toBe('stopped');
  expect(records).toEqual([]);
});

it('a receiver that answers 410 is not retried', async () => {
  expect(await attemptDelivery(lane(410), delivery(), never)).toBe('failed');
  expect(records).toMatchObject([{ status: 'exhausted', nextAttemptAt: null, counts: true }]);
});

it('a receiver that answers 500 is retried, and the attempt counts', async () => {
  expect(await attemptDelivery(lane(500), delivery(), never)).toBe('failed');
  expect(records).toMatchObject([{ status: 'waiting', counts: true, outcome: 'failed' }]);
});

it('an outage on our side costs no attempt and does not count against the endpoint', async () => {
  const outage = new OutboundError('network', 'No network.', { code: 'ENETUNREACH' });
  expect(await attemptDelivery(lane(outage), delivery(), never)).toBe('failed');
  expect(records).toMatchObject([
    { status: 'waiting', counts: false, health: null, errorClass: 'own_outage' },
  ]);
});
