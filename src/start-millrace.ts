import { startWorkers } from '#workers/index.ts';
import { openServices, type StartOptions } from './open-services.ts';
import type { Config } from './platform/config.ts';
import type { ShutdownPhase } from './platform/lifecycle.ts';
import { recoverAfterCrash } from './reconcile.ts';
import type { Services } from './services.ts';
import { startApi } from './start-api.ts';

export interface RunningMillrace {
  readonly services: Services;
  readonly url: string;
  /** An admin key that was made just now, to be shown once. */
  readonly newAdminKey: string | null;
  /** The admin key that this process knows, from the settings or the data directory. */
  readonly adminKey: string | null;
  /** How to stop, in order. */
  readonly phases: ShutdownPhase[];
}

/** API and all workers in one process. */
export async function startMillrace(
  config: Config,
  options: StartOptions = {},
): Promise<RunningMillrace> {
  const services = await openServices(config, options);
  try {
    // One process owns the embedded database, so whatever was claimed is nobody's now.
    if (config.size === 'embedded') await recoverAfterCrash(services);
    // A port that is taken is the likeliest failure: it comes before anything that would have to be stopped.
    const { server, newAdminKey, adminKey } = await startApi(services);
    const workers = await startWorkers(services).catch(async (error: unknown) => {
      await server.close(0);
      throw error;
    });
    const deadlineMs = config.SHUTDOWN_TIMEOUT_SECONDS * 1_000;
    return {
      services,
      url: server.url,
      newAdminKey,
      adminKey,
      phases: [
        { name: 'requests', timeoutMs: deadlineMs + 5_000, run: () => server.close(deadlineMs) },
        { name: 'jobs', timeoutMs: deadlineMs + 10_000, run: () => workers.close(deadlineMs) },
        { name: 'services', timeoutMs: 10_000, run: async () => services[Symbol.asyncDispose]() },
      ],
    };
  } catch (error) {
    await services[Symbol.asyncDispose]();
    throw error;
  }
}
