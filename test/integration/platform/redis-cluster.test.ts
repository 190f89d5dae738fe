// @module-tag processes
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedisCluster, type RedisCluster } from '#test/support/redis-cluster.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until, untilRecovered } from '#test/support/until.ts';

const { TEST_DATABASE_URL } = process.env;
/** All keys of the queues are in one slot. */
const ANY_KEY = '{millrace}:document-index:meta';
const DOCUMENTS = 300;

describe.runIf(TEST_DATABASE_URL && existsSync('/usr/bin/redis-server'))(
  'queues on a Redis Cluster (needs TEST_DATABASE_URL) (needs /usr/bin/redis-server)',
  () => {
    const opened = new AsyncDisposableStack();
    let cluster: RedisCluster;
    let millrace: TestMillrace;

    beforeAll(async () => {
      cluster = await openRedisCluster(opened);
      millrace = opened.use(await startTestMillrace({ REDIS_URL: cluster.url }));
    });
    afterAll(() => opened.disposeAsync());

    async function push(from: number, to: number): Promise<number[]> {
      const answers = await Promise.all(
        Array.from({ length: to - from }, (_, n) =>
          millrace.call('POST', '/service-api/ingestion', {
            document: {
              id: `d${from + n}`,
              semantic_identifier: `Report ${from + n}`,
              sections: [{ text: `Report ${from + n} is about subject${from + n}.` }],
            },
          }),
        ),
      );
      return answers.flatMap(({ status }, n) => (status === 200 ? [from + n] : []));
    }

    async function indexed(): Promise<number> {
      const { body } = await millrace.call('GET', '/service-api/ingestion/stats');
      return body.counts.indexed;
    }

    it('does jobs, delays, schedules and limits', async () => {
      expect(await push(0, 20)).toHaveLength(20);
      await millrace.settled();
      expect(await indexed()).toBe(20);
      const { body } = await millrace.call('GET', '/operations/schedules');
      expect(body.schedules.length).toBeGreaterThan(5);
      const queues = await millrace.call('GET', '/admin/queues/api/queues');
      expect(queues.status).toBe(200);
    });

    it('loses nothing that was accepted when the node of its slot is killed under load', async () => {
      const accepted: number[] = [];
      let next = 100;
      const pushing = (async () => {
        while (next < 100 + DOCUMENTS) {
          accepted.push(...(await push(next, next + 10)));
          next += 10;
        }
      })();
      await until(() => Promise.resolve(accepted.length > 50));
      const killed = await cluster.killPrimaryOf(ANY_KEY);
      await pushing;
      await until(async () => {
        const serving = await cluster.primaryOf(ANY_KEY);
        return serving !== null && serving !== killed;
      });
      expect(accepted.length).toBe(DOCUMENTS);
      await untilRecovered(async () => (await indexed()) === 20 + accepted.length);
    });
  },
);
