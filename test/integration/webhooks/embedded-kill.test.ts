// @module-tag processes
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { type ApiClient, createApiClient } from '#test/support/api-client.ts';
import { chooseFixedPort, startProcess } from '#test/support/child-process.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { until } from '#test/support/until.ts';
import { expectTrueLedger, statusesOf, webhookIds } from '#test/support/webhook-endpoints.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

const PATHS = ['/good', '/failing-first', '/slow'];
/** Per path. */
const EVENTS = 60;
const FIRST_FAILURES = 5;
const SLOW_MS = 400;
/** Numbers of received posts at which the process is killed. */
const KILLS_AT = [50, 100];
const RECOVERY_MS = 150_000;
const RETRY_MS = 50;

const isEmbedded = process.env['TEST_DATABASE_URL'] === undefined;

/**
 * Requests a test send until one is acknowledged; an interrupted request may have been accepted too.
 * @returns its event's id
 */
async function send(client: ApiClient, id: string): Promise<string> {
  for (;;) {
    const answer = await client.call('POST', `/webhook-endpoints/${id}/test`, {}).catch(() => null);
    if (answer !== null && answer.status < 300) return answer.body.event_id;
    await wait(RETRY_MS);
  }
}

describe.skipIf(!isEmbedded)(
  'webhooks of an embedded process that is killed (without TEST_DATABASE_URL)',
  () => {
    it('all arrive, and the ledger is correct', async () => {
      await using opened = new AsyncDisposableStack();
      const receiver = opened.use(
        await startReceiver({
          behave: (at, count) => ({
            kind: 'answer',
            status: at === '/failing-first' && count <= FIRST_FAILURES ? 500 : 204,
            delayMs: at === '/slow' ? SLOW_MS : 0,
          }),
        }),
      );
      const environment = opened.use(
        await openTestEnvironment({
          OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
          RATE_LIMIT_PER_MINUTE: '1000000',
          PLATFORM_RATE_LIMIT_PER_MINUTE: '1000000',
          PORT: String(await chooseFixedPort()),
        }),
      );
      const { settings, adminKey } = environment;
      const start = async () => opened.use(await startProcess('src/main.ts', settings));
      let running = await start();
      const client = createApiClient(`http://127.0.0.1:${settings['PORT']}`, adminKey);
      const accepted = PATHS.map(async (at) => {
        const { body } = await client.call('POST', '/webhook-endpoints', {
          url: receiver.url + at,
        });
        const ids: string[] = [];
        while (ids.length < EVENTS) ids.push(await send(client, body.id));
        return ids;
      });
      for (const count of KILLS_AT) {
        await until(() => Promise.resolve(receiver.requests.length >= count), RECOVERY_MS, 5);
        await running.kill();
        running = await start();
      }
      const ids = (await Promise.all(accepted)).flat();
      await until(async () => {
        const unfinished = await Promise.all(
          ['pending', 'delivering', 'waiting'].map(async (status) => {
            const { body } = await client.call('GET', `/webhook-deliveries?status=${status}`);
            return body.deliveries.length;
          }),
        );
        return unfinished.every((count) => count === 0);
      }, RECOVERY_MS);
      const seen = new Set(webhookIds(receiver.requests));
      expect(ids.filter((id) => !seen.has(id))).toEqual([]);
      running.signal('SIGTERM');
      expect(await running.ended(60_000)).toBe(0);
      // No other process has the folder open now, so the test can read it.
      const directory = path.join(settings['DATA_DIR'] ?? '', 'pglite');
      const database = await openDatabase(
        { databaseUrl: null, poolSize: 1, directory },
        createLog('silent'),
      );
      opened.defer(() => database.close());
      const { delivered = 0, ...others } = await statusesOf(database.db);
      expect(others).toEqual({});
      expect(delivered).toBeGreaterThanOrEqual(ids.length);
      await expectTrueLedger(database.db, receiver);
    });
  },
);
