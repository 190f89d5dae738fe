import type { Logger } from 'pino';
import { FatalError } from './errors.ts';
import { flushLog } from './log.ts';

const FLUSH_TIMEOUT_MS = 1_000;

/** One step of stopping, such as "let the requests finish". */
export interface ShutdownPhase {
  name: string;
  /** After this time the next phase starts, whether or not this one has ended. */
  timeoutMs: number;
  run(): Promise<void>;
}

/** The part of `process` that a lifecycle needs. */
export interface ProcessHost {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
}

/**
 * Starts, waits for SIGTERM or SIGINT, runs the phases in order, each within its deadline, and exits with 0. A second
 * signal exits with 1 at once. An uncaught error stops the process the same way, with 1. A `FatalError` exits with 1 at
 * once, because the phases could not do anything. `signal` is aborted when a stop is requested while `start` is still
 * running; `start` may then reject with the signal's reason. Rejects only when `start` rejects with another error.
 */
export async function runUntilSignal(
  name: string,
  start: (signal: AbortSignal) => Promise<{ phases: ShutdownPhase[] }>,
  log: Logger,
  host: ProcessHost = process,
): Promise<void> {
  const stop = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let exitCode = 0;
  const onSignal = (received: unknown): void => {
    if (stopping.signal.aborted) {
      log.warn({ process: name, signal: received }, 'stopped at once by a second signal');
      void exit(1, log, host);
      return;
    }
    log.info({ process: name, signal: received }, 'stopping');
    stopping.abort();
    stop.resolve();
  };
  let isDead = false;
  const onUncaught = (error: unknown): void => {
    if (isDead) return;
    if (error instanceof FatalError) {
      isDead = true;
      log.fatal({ process: name, err: error }, 'ending at once');
      void exit(1, log, host);
      return;
    }
    log.fatal({ process: name, err: error }, 'stopping after an uncaught error');
    exitCode = 1;
    stopping.abort();
    stop.resolve();
  };
  const listeners: [string, (value: unknown) => void][] = [
    ['SIGTERM', onSignal],
    ['SIGINT', onSignal],
    ['uncaughtException', onUncaught],
    ['unhandledRejection', onUncaught],
  ];
  for (const [event, listener] of listeners) host.on(event, listener);
  try {
    const phases = await phasesOf(start, stopping.signal);
    await stop.promise;
    for (const phase of phases) await runPhase(phase, name, log);
    log.info({ process: name, exitCode }, 'stopped');
    await exit(exitCode, log, host);
  } finally {
    for (const [event, listener] of listeners) host.off(event, listener);
  }
}

/** A start that was aborted by a stop has left nothing to close. */
async function phasesOf(
  start: (signal: AbortSignal) => Promise<{ phases: ShutdownPhase[] }>,
  signal: AbortSignal,
): Promise<ShutdownPhase[]> {
  try {
    return (await start(signal)).phases;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return [];
    throw error;
  }
}

async function exit(code: number, log: Logger, host: ProcessHost): Promise<void> {
  await flushLog(log, FLUSH_TIMEOUT_MS);
  host.exit(code);
}

/** Logs a phase that fails or takes too long; the phases after it still run. */
async function runPhase(phase: ShutdownPhase, name: string, log: Logger): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`not done after ${phase.timeoutMs} ms`)),
    phase.timeoutMs,
  );
  try {
    await Promise.race([phase.run(), late.promise]);
  } catch (err) {
    log.error({ process: name, phase: phase.name, err }, 'a shutdown phase failed');
  } finally {
    clearTimeout(timer);
  }
}
