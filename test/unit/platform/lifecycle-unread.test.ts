import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PLATFORM = fileURLToPath(new URL('../../../src/platform/', import.meta.url));
const SERVICE = `
  import { createLog } from '${PLATFORM}log.ts';
  import { runUntilSignal } from '${PLATFORM}lifecycle.ts';
  const log = createLog('info');
  setInterval(() => {}, 1_000);
  const start = async () => (log.info('ready'), { phases: [] });
  await runUntilSignal('service', start, log);
`;

it('a service whose log has no reader still stops on a signal', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SERVICE], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const tooLate = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await once(child.stderr, 'data');
  child.stderr.destroy();
  await once(child.stderr, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  clearTimeout(tooLate);
});
