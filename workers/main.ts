import { openServices } from '#src/open-services.ts';
import { readConfig } from '#src/platform/config.ts';
import { StartError } from '#src/platform/errors.ts';
import { serveMetrics } from '#src/platform/metrics-server.ts';
import { exitUnstarted, runUntilSignal } from '#src/platform/lifecycle.ts';
import { queuesByName, startWorkers } from './index.ts';

/** `node workers/main.ts [queue …]`: the workers of the named queues, of all by default. */
async function main(names: string[]): Promise<void> {
  queuesByName(names);
  const config = readConfig();
  if (config.size === 'embedded') {
    throw new StartError(
      'Workers in a process of their own need DATABASE_URL: the embedded size is one process, started with npm start.',
    );
  }
  const deadlineMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1_000;
  const services = await openServices(config);
  await runUntilSignal(
    'workers',
    async () => {
      const workers = await startWorkers(services, names);
      const { HOST: host, METRICS_PORT: port } = config;
      const metrics =
        port === undefined ? null : await serveMetrics(services.metrics, { host, port });
      services.log.info({ queues: workers.queueNames, size: config.size }, 'workers started');
      return {
        phases: [
          {
            name: 'jobs',
            timeoutMs: deadlineMs + 10_000,
            run: async () => workers.close(deadlineMs),
          },
          { name: 'metrics', timeoutMs: 2_000, run: async () => metrics?.close() },
          { name: 'services', timeoutMs: 10_000, run: async () => services[Symbol.asyncDispose]() },
        ],
      };
    },
    services.log,
  );
}

main(process.argv.slice(2)).catch(exitUnstarted);
