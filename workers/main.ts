import { readConfig } from '#src/platform/config.ts';
import { StartError } from '#src/platform/errors.ts';
import { serveMetrics } from '#src/platform/metrics-server.ts';
import { exitOnStartFailure } from '#src/platform/exit-on-start-failure.ts';
import { keepCompiled } from '#src/platform/keep-compiled.ts';
import { runUntilSignal } from '#src/platform/lifecycle.ts';
import { createLog } from '#src/platform/log.ts';

/** `node workers/main.ts [queue …]`: runs the workers of the named queues, by default all. */
async function main(names: string[]): Promise<void> {
  const config = readConfig();
  if (config.size === 'embedded') {
    throw new StartError(
      'Workers in a process of their own need DATABASE_URL: the embedded size is one process, started with npm start.',
    );
  }
  const deadlineMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1_000;
  keepCompiled();
  // Loading the rest takes seconds; a wrong setting is reported before that.
  const { queuesByName, startWorkers } = await import('./index.ts');
  queuesByName(names);
  const { openServices } = await import('#src/open-services.ts');
  const log = createLog(config.LOG_LEVEL);
  await runUntilSignal(
    'workers',
    async (signal) => {
      const services = await openServices(config, { log, signal });
      const workers = await startWorkers(services, names);
      const { HOST: host, METRICS_PORT: port } = config;
      const metrics =
        port === undefined
          ? null
          : await serveMetrics(services.metrics, () => workers.isAlive(), { host, port });
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
    log,
  );
}

main(process.argv.slice(2)).catch(exitOnStartFailure);
