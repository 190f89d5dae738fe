import { join } from 'node:path';
import { readConfig } from './platform/config.ts';
import { exitOnStartFailure } from './platform/exit-on-start-failure.ts';
import { keepCompiled } from './platform/keep-compiled.ts';
import { runUntilSignal } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';

/** `npm start`: everything in one process. */
async function main(): Promise<void> {
  const config = readConfig();
  keepCompiled();
  // Loading the rest takes seconds; a wrong setting is reported before that.
  const { startMillrace } = await import('./start-millrace.ts');
  // The reader of the first lines may be gone (`npm start | head -1`); the service continues.
  process.stdout.on('error', () => undefined);
  const log = createLog(config.LOG_LEVEL);
  await runUntilSignal(
    'millrace',
    async (signal) => {
      const { url, newAdminKey, ownerLink, phases } = await startMillrace(config, { log, signal });
      const lines = [`Millrace (${config.size}) listens on ${url}`, `API reference: ${url}/docs`];
      if (newAdminKey !== null) {
        lines.push(`Admin API key, shown this once: ${newAdminKey}`);
      } else if (config.size === 'embedded' && config.BOOTSTRAP_ADMIN_API_KEY === undefined) {
        lines.push(`Admin API key: in ${join(config.DATA_DIR, 'secrets.json')}`);
      }
      if (ownerLink !== null) lines.push(`Sign in first, with this link, once: ${ownerLink}`);
      process.stdout.write(`${lines.join('\n')}\n`);
      return { phases };
    },
    log,
  );
}

main().catch(exitOnStartFailure);
