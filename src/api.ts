import { readConfig } from './platform/config.ts';
import { StartError } from './platform/errors.ts';
import { exitOnStartFailure } from './platform/exit-on-start-failure.ts';
import { keepCompiled } from './platform/keep-compiled.ts';
import { runUntilSignal } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';

/** `npm run api`: only the HTTP API; `npm run workers` runs the workers. */
async function main(): Promise<void> {
  const config = readConfig();
  if (config.size === 'embedded') {
    throw new StartError(
      'The embedded size is one process: use npm start, or set DATABASE_URL to run API and workers apart.',
    );
  }
  keepCompiled();
  // Loading the rest takes seconds; a wrong setting is reported before that.
  const { openServices } = await import('./open-services.ts');
  const { startApi } = await import('./start-api.ts');
  const { startWatch } = await import('./operations/watch-queues.ts');
  const log = createLog(config.LOG_LEVEL);
  await runUntilSignal(
    'api',
    async (signal) => {
      const services = await openServices(config, { log, signal });
      const { server, ownerLink } = await startApi(services);
      if (ownerLink !== null) {
        process.stdout.write(`Sign in first, with this link, once: ${ownerLink}\n`);
      }
      const watch = startWatch(services);
      const deadlineMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1_000;
      return {
        phases: [
          { name: 'requests', timeoutMs: deadlineMs + 5_000, run: () => server.close(deadlineMs) },
          { name: 'watch', timeoutMs: 5_000, run: () => watch.stop() },
          { name: 'services', timeoutMs: 10_000, run: async () => services[Symbol.asyncDispose]() },
        ],
      };
    },
    log,
  );
}

main().catch(exitOnStartFailure);
