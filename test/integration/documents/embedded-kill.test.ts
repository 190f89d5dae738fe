// @module-tag processes
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import { createApiClient } from '#test/support/api-client.ts';
import { chooseFixedPort, startProcess } from '#test/support/child-process.ts';
import { makeDocuments, pushDocuments } from '#test/support/push-documents.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { until } from '#test/support/until.ts';
import { expectSearchable, expectWholeIndex } from '#test/support/whole-index.ts';

const DOCUMENTS = makeDocuments(1_000);
/** Documents acknowledged when the process is killed. */
const MIDDLE = 400;
const RECOVERY_MS = 150_000;

const isEmbedded = process.env['TEST_DATABASE_URL'] === undefined;

describe.skipIf(!isEmbedded)('a kill of the embedded process (without TEST_DATABASE_URL)', () => {
  it('loses nothing that was acknowledged', async () => {
    await using opened = new AsyncDisposableStack();
    const environment = opened.use(await openTestEnvironment());
    const port = await chooseFixedPort();
    const start = async () =>
      opened.use(
        await startProcess('src/main.ts', { ...environment.settings, PORT: String(port) }),
      );
    const service = { url: `http://127.0.0.1:${port}`, key: environment.adminKey };
    const client = createApiClient(service.url, service.key);
    let running = await start();
    const middle = Promise.withResolvers<void>();
    const pushing = pushDocuments(service, DOCUMENTS, (count) => {
      if (count === MIDDLE) middle.resolve();
    });
    await middle.promise;
    await running.kill();
    running = await start();
    const push = await pushing;
    expect(push.acknowledged.size).toBeGreaterThan(MIDDLE);
    expect(push.acknowledged.size).toBeLessThan(DOCUMENTS.length);
    await until(async () => {
      const { body } = await client.call('GET', '/service-api/ingestion/stats');
      return body.counts.accepted + body.counts.indexing === 0;
    }, RECOVERY_MS);
    await expectSearchable(client, push);
    running.signal('SIGTERM');
    expect(await running.ended(60_000)).toBe(0);
    // No other process has the folder open now, so the test can read it.
    const directory = path.join(environment.settings['DATA_DIR'] ?? '', 'pglite');
    const database = await openDatabase(
      { databaseUrl: null, poolSize: 1, directory },
      createLog('silent'),
    );
    opened.defer(() => database.close());
    await expectWholeIndex(database.db, push);
  });
});
