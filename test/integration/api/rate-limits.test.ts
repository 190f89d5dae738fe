// @module-tag database
// @module-tag queues
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRequestLog } from '#src/api/open-request-log.ts';
import { parseConfig } from '#src/platform/config.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import {
  migrateTestDatabase,
  startTestMillrace,
  type TestMillrace,
} from '#test/support/test-millrace.ts';

const LIMIT = 6;

let millrace: TestMillrace;
/** How far the clock of the embedded size is ahead; the other stores have their own clocks. */
let aheadMs = 0;

beforeAll(async () => {
  millrace = await startTestMillrace({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** Opens the log as one of several API processes does. */
function openLog() {
  return openRequestLog(millrace.services.rateLimitStore, () => new Date(Date.now() + aheadMs));
}

/** Backdates an account's requests instead of waiting. */
async function age(account: string, ms: number): Promise<void> {
  const store = millrace.services.rateLimitStore;
  switch (store.kind) {
    case 'memory':
      aheadMs += ms;
      return;
    case 'postgres':
      await store.pool.query(
        `update request_log set at = at - $2 * interval '1 millisecond' where account = $1`,
        [account, ms],
      );
      return;
    case 'redis': {
      const key = `millrace-requests:${account}`;
      for (const member of await store.client.zrange(key, '0', '-1')) {
        await store.client.zincrby(key, String(-ms * 1_000), member);
      }
    }
  }
}

it('allows exactly the limit within sixty seconds, across processes', async () => {
  const [one, two] = [openLog(), openLog()];
  const account = 'reference:burst';
  const shared = millrace.services.rateLimitStore.kind !== 'memory';
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (shared && n % 2 ? two : one).take(account, LIMIT)),
  );
  expect(taken.filter(({ allowed }) => allowed)).toHaveLength(LIMIT);
  for (const { used } of taken) expect(used).toBeLessThanOrEqual(LIMIT);

  // The rest of the minute is for a slow machine.
  await age(account, 30_000);
  const refused = await one.take(account, LIMIT);
  expect(refused).toMatchObject({ allowed: false, used: LIMIT });
  expect(refused.firstMs + 60_000 - refused.nowMs).toBeLessThanOrEqual(30_000);
  expect(refused.lastMs).toBeGreaterThanOrEqual(refused.firstMs);

  await age(account, 31_000);
  expect(await one.take(account, LIMIT)).toMatchObject({ allowed: true, used: 1 });
});

it('counts each request from its own time and never counts refused ones', async () => {
  const log = openLog();
  const account = 'reference:spread';
  for (let n = 0; n < LIMIT; n += 1) {
    expect((await log.take(account, LIMIT)).allowed).toBe(true);
    await age(account, 7_000);
  }
  // The oldest is 42 s old, the newest 7 s.
  for (let n = 0; n < 30; n += 1) {
    const { firstMs, nowMs, allowed } = await log.take(account, LIMIT);
    expect(allowed).toBe(false);
    expect((nowMs - firstMs) / 1_000).toBeCloseTo(42, -1);
  }
  await age(account, 19_000);
  expect((await log.take(account, LIMIT)).allowed).toBe(true);
  expect((await log.take(account, LIMIT)).allowed).toBe(false);
  await age(account, 7_000);
  expect((await log.take(account, LIMIT)).allowed).toBe(true);
  expect((await log.take(account, LIMIT)).allowed).toBe(false);
});

it('answers 429 above the limit and says how long to wait', async () => {
  const answers = [];
  for (let n = 0; n < LIMIT + 2; n += 1) answers.push(await millrace.call('GET', '/auth/verify'));
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array<number>(LIMIT).fill(200),
    429,
    429,
  ]);
  expect(answers[LIMIT - 1]?.body).toMatchObject({ rate_limit: LIMIT, requests_used: LIMIT });
  const { body, headers } = answers[LIMIT] ?? { body: null, headers: new Headers() };
  expect(body.error_code).toBe('RATE_LIMIT_EXCEEDED');
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(50);
  expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(60);
  expect(headers.get('X-RateLimit-Remaining')).toBe('0');
});

it('goes on over a restart', async () => {
  await using environment = await openTestEnvironment({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  await migrateTestDatabase(environment.settings);
  const before = await startMillrace(parseConfig(environment.settings));
  const askedBefore = await verifyTimes(before.url, environment.adminKey, LIMIT - 1);
  for (const phase of before.phases) await phase.run();

  const after = await startMillrace(parseConfig(environment.settings));
  const askedAfter = await verifyTimes(after.url, environment.adminKey, 2);
  const store = after.services.rateLimitStore;
  for (const phase of after.phases) await phase.run();
  expect(askedBefore.map(({ status }) => status)).toEqual(Array<number>(LIMIT - 1).fill(200));
  expect(askedAfter.map(({ status }) => status)).toEqual([200, 429]);
  expect(Number(askedAfter[1]?.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
  if (store.kind === 'memory') expect([...store.moments.values()].flat()).toHaveLength(LIMIT);
});

async function verifyTimes(url: string, key: string, count: number): Promise<Response[]> {
  const answers: Response[] = [];
  for (let n = 0; n < count; n += 1) {
    const headers = { Authorization: `Bearer ${key}` };
    answers.push(await fetch(`${url}/auth/verify`, { headers }));
  }
  return answers;
}
