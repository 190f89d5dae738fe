// @module-tag processes
// @module-tag database
// @module-tag queues
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { openServices } from '#src/open-services.ts';
import { parseConfig } from '#src/platform/config.ts';
import { createApiClient } from '#test/support/api-client.ts';
import { chooseFixedPort, startProcess } from '#test/support/child-process.ts';
import { runCommand } from '#test/support/fake-service.ts';
import { settingOf } from '#test/support/key-ring-stage.ts';
import { insertCredentials } from '#test/support/seed-sealed.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';

const VALUES = 3_000;
const RESEAL = '/manage/admin/encryption-keys/reseal';

it('a service killed while resealing loses no value, and the command continues after a restart', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  await using environment = await openTestEnvironment({ RATE_LIMIT_PER_MINUTE: '1000000' });
  const settingsWith = (...keys: Buffer[]) => ({
    ...environment.settings,
    ENCRYPTION_KEY: settingOf(keys),
  });
  await migrateTestDatabase(settingsWith(old));
  let ids: number[] = [];
  {
    await using before = await openServices(parseConfig(settingsWith(old)));
    const { workspaceId } = await ensureBootstrap(before.db, { bootstrapKey: null });
    ids = await insertCredentials(before, workspaceId, VALUES);
  }

  const port = await chooseFixedPort();
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    startProcess('src/main.ts', { ...settingsWith(fresh, old), PORT: String(port) });
  const client = createApiClient(url, environment.adminKey);
  {
    await using running = await start();
    const { body: first } = await client.call('POST', RESEAL, {});
    expect(first.resealed).toBe(1_000);
    const second = client.call('POST', RESEAL, { after: first.next }).catch(() => 'cut off');
    await running.kill();
    await second;
  }
  {
    await using running = await start();
    const run = await runCommand(['keys', 'reseal'], { url, key: environment.adminKey });
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(
      /^[\d,]+ values resealed .* 0 left: the old key may be removed\.\n$/,
    );
    running.signal('SIGTERM');
    expect(await running.ended(60_000)).toBe(0);
  }

  await using after = await openServices(parseConfig(settingsWith(fresh)));
  const { rows } = await sql<{ id: number; secret: string }>`
    select id, secret from credential order by id`.execute(after.db);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(
    rows.filter(
      ({ id, secret }) => after.secrets.open(secret, `credential:${id}`) !== `secret ${id}`,
    ),
  ).toEqual([]);
});
