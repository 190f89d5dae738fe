import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookDeliveryId, WebhookEndpointId, WebhookEventId } from '#src/ids.ts';
import type { OutboundResponse } from '#src/platform/outbound.ts';
import type { ClaimedDelivery, DeliveryLedger } from '#src/webhooks/delivery-ledger.ts';
import { type EndpointLane, openLane, runLane } from '#src/webhooks/endpoint-lane.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let test: TestServices;
beforeAll(async () => {
  test = await openTestServices();
});
afterAll(() => test[Symbol.asyncDispose]());

/** Calls that wait until the test lets all of them go on at one moment. */
class Held {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** @returns how many there were */
  release(): number {
    const released = this.#waiting;
    this.#waiting = [];
    for (const go of released) go();
    return released.length;
  }
}

const posts = new Held();
const records = new Held();

/** Lanes of one process. What is due comes from memory, and receivers and ledger answer when the test says so. */
function openLanes(count: number, due: number): EndpointLane[] {
  const { services } = test;
  const left = new Map<string, number>();
  const deliveryLedger: DeliveryLedger = {
    ...services.deliveryLedger,
    load: { inProgress: 0 },
    claim({ endpointId, room }) {
      const before = left.get(endpointId) ?? due;
      const claimed = Math.min(before, room);
      left.set(endpointId, before - claimed);
      return Promise.resolve(Array.from({ length: claimed }, deliveryOf));
    },
    record: () => records.wait(),
  };
  const webhookHttp = {
    ...services.webhookHttp,
    async send(): Promise<OutboundResponse> {
      await posts.wait();
      const bytes = Buffer.alloc(0);
      return { status: 204, url: '', headers: new Headers(), bytes, isCut: false, text: () => '' };
    },
  };
  return Array.from({ length: count }, () =>
    openLane(
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
          lastSuccessAt: new Date(),
          lastFailureAt: null,
          failures: 0,
          breakerTrips: 0,
          breakerUntil: null,
        },
        pacedUntil: null,
        now: () => new Date(),
      },
    ),
  );
}

function deliveryOf(): ClaimedDelivery {
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
  };
}

function run(lane: EndpointLane): ReturnType<typeof runLane> {
  const { signal } = new AbortController();
  return runLane(lane, { stop: signal, lost: signal });
}

/** Releases again and again what waits; a lane asks for more within a few turns. @returns how many posts went at once */
async function releaseAll(...places: Held[]): Promise<number[]> {
  const posted: number[] = [];
  for (let quiet = 0; quiet < 10; await nextTurn()) {
    const counts = places.map((place) => place.release());
    quiet = counts.some((count) => count > 0) ? 0 : quiet + 1;
    posted.push(counts[places.indexOf(posts)] ?? 0);
  }
  return posted;
}

it('a success frees its place before it is recorded, until 32 of an endpoint are not recorded', async () => {
  const [lane] = openLanes(1, 40);
  if (!lane) throw new Error('There is no lane.');
  const ended = run(lane);
  const posted = await releaseAll(posts);
  expect(posted.reduce((sum, count) => sum + count, 0)).toBe(32);
  expect(lane.tally.delivered).toBe(0);
  await releaseAll(posts, records);
  expect(await ended).toBe('done');
  expect(lane.tally.delivered).toBe(40);
});

it('endpoints that have room at the same moment share it', async () => {
  const lanes = openLanes(40, 60);
  const ended = Promise.all(lanes.map(run));
  const most = Math.max(...(await releaseAll(posts, records)));
  expect(await ended).toEqual(Array(40).fill('done'));
  // 16 for each until 256 are taken, then 4; each for itself would take 16.
  expect(most).toBeGreaterThan(256);
  expect(most).toBeLessThanOrEqual(256 + 16 + 40 * 4);
});
