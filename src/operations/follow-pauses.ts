import { listPauses } from './pauses.ts';
import type { OperationsServices } from './operations-services.ts';

const LOOK_EVERY_MS = 2_000;

/** A worker that can be told to take no more jobs. */
export interface Pausable {
  readonly queueName: string;
  pause(): void;
  resume(): void;
}

/** Tells the workers of this process that the pauses have changed. */
export class PauseSignal {
  readonly #listeners = new Set<() => Promise<void>>();

  /** Resolves when the workers of this process have followed. */
  async changed(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener()));
  }

  listen(listener: () => Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/**
 * Pauses and resumes the workers of this process as the rows say: when told, and every two seconds where other
 * processes may change the rows. While the database does not answer, workers stay as they are.
 */
export function followPauses(
  services: Pick<OperationsServices, 'config' | 'db' | 'pauseSignal' | 'queueBackend'>,
  workers: readonly Pausable[],
): () => void {
  const follow = async (): Promise<void> => {
    const paused = new Set((await listPauses(services.db)).map(({ queue }) => queue));
    for (const worker of workers) {
      if (paused.has(worker.queueName)) worker.pause();
      else worker.resume();
    }
  };
  const { config, pauseSignal, queueBackend } = services;
  const forget = pauseSignal.listen(() => follow().catch(queueBackend.reportError));
  if (config.size === 'embedded') return forget;
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= follow()
      .catch(queueBackend.reportError)
      .finally(() => {
        looking = null;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    forget();
  };
}
