import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

/** Limit for lines that the reader has not consumed; newer lines are dropped to bound the process's memory. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** One JSON line per event on stderr, so that a command's stdout stays clean. */
export function createLog(level: Config['LOG_LEVEL']): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors and rows may contain what must not be logged: keys, addresses, text.
      redact: ['*.authorization', '*.api_key', '*.apiKey', '*.password', '*.key'],
    },
    // Only with a minimum write length does `flush` wait for writes in progress.
    pino.destination({ dest: 2, sync: false, minLength: 1, maxLength: MAX_UNREAD_BYTES }),
  );
}

/**
 * Writes buffered lines before the process ends, for at most `timeoutMs`, then gives up; pino itself would retry
 * forever when the reading end of a pipe is gone.
 */
export async function flushLog(log: Logger, timeoutMs: number): Promise<void> {
  const flushed = Promise.withResolvers<void>();
  const timer = setTimeout(flushed.resolve, timeoutMs);
  log.flush(() => flushed.resolve());
  await flushed.promise;
  clearTimeout(timer);
  const destination: unknown = Reflect.get(log, pino.symbols.streamSym);
  if (typeof destination === 'object' && destination !== null) {
    Object.assign(destination, { flushSync: () => undefined });
  }
}
