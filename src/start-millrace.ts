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
  /** A newly created admin key, to be shown once. */
  readonly newAdminKey: string | null;
  /** The admin key known to this process, from the settings or the data directory. */
  readonly adminKey: string | null;
  /** For the first person to sign in; null when there is an owner. */
  readonly ownerLink: string | null;
  /** The ordered phases of stopping. */
  readonly phases: ShutdownPhase[];
}

/** Runs the API and all workers in one process. */
export async function startMillrace(
  config: Config,
  options: StartOptions = {},
): Promise<RunningMillrace> {
  const services = await openServices(config, options);
  try {
    // One process owns the embedded database, so existing claims are stale.
    if (config.size === 'embedded') await recoverAfterCrash(services);
    // A port in use is the most likely failure, so it is tried before anything that would have to be stopped.
    const { server, newAdminKey, adminKey, ownerLink } = await startApi(services);
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
      ownerLink,
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
