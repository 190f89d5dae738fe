import { join } from 'node:path';
import { readConfig } from './platform/config.ts';
import { exitUnstarted, runUntilSignal } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';
import { startMillrace } from './start-millrace.ts';

/** `npm start`: everything in one process. */
async function main(): Promise<void> {
  const config = readConfig();
  // Whoever read the first lines may be gone (`npm start | head -1`); the service goes on.
  process.stdout.on('error', () => undefined);
  await runUntilSignal(
    'millrace',
    async () => {
      const { url, newAdminKey, phases } = await startMillrace(config);
      const lines = [`Millrace (${config.size}) listens on ${url}`, `API reference: ${url}/docs`];
      if (newAdminKey !== null) {
        lines.push(`Admin API key, shown this once: ${newAdminKey}`);
      } else if (config.size === 'embedded' && config.BOOTSTRAP_ADMIN_API_KEY === undefined) {
        lines.push(`Admin API key: in ${join(config.DATA_DIR, 'secrets.json')}`);
      }
      process.stdout.write(`${lines.join('\n')}\n`);
      return { phases };
    },
    createLog(config.LOG_LEVEL),
  );
}

main().catch(exitUnstarted);
