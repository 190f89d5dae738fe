import { openServices } from './open-services.ts';
import { readConfig } from './platform/config.ts';
import { exitUnstarted, runUntilSignal } from './platform/lifecycle.ts';
import { StartError } from './platform/errors.ts';
import { startApi } from './start-api.ts';

/** `npm run api`: the HTTP API alone; `npm run workers` does the work. */
async function main(): Promise<void> {
  const config = readConfig();
  if (config.size === 'embedded') {
    throw new StartError(
      'The embedded size is one process: use npm start, or set DATABASE_URL to run API and workers apart.',
    );
  }
  const services = await openServices(config);
  await runUntilSignal(
    'api',
    async () => {
      const { server } = await startApi(services);
      const deadlineMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1_000;
      return {
        phases: [
          { name: 'requests', timeoutMs: deadlineMs + 5_000, run: () => server.close(deadlineMs) },
          { name: 'services', timeoutMs: 10_000, run: async () => services[Symbol.asyncDispose]() },
        ],
      };
    },
    services.log,
  );
}

main().catch(exitUnstarted);
