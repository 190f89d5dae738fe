// @module-tag processes
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ChaosSize, SHORT } from '#test/support/chaos/chaos-script.ts';
import { runChaos } from '#test/support/chaos/run-chaos.ts';
import { postgresBinaries } from '#test/support/postgres-servers.ts';

/** All clocks are right in this one. `npm run bench -- chaos` runs longer scripts of as many seeds as one likes. */
const SEED = 22;

async function expectAllWell(size: ChaosSize): Promise<void> {
  const { acknowledged, violations } = await runChaos(SEED, size, SHORT);
  expect(violations).toEqual([]);
  expect(acknowledged).toBe(4 * SHORT.operations);
}

describe.skipIf(process.env['TEST_DATABASE_URL'] !== undefined)(
  'a script of faults (without TEST_DATABASE_URL)',
  () => {
    it('loses nothing that the embedded process acknowledged', () => expectAllWell('embedded'));

    it.skipIf(postgresBinaries === null || !existsSync('/usr/bin/redis-server'))(
      'loses nothing that several processes acknowledged (needs /usr/lib/postgresql) (needs /usr/bin/redis-server)',
      () => expectAllWell('scale-out'),
    );
  },
);
