import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

/** What waits for a reader that does not read; newer lines are dropped, so that the process does not fill with them. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** One JSON line per event on stderr, so that what a command prints on stdout stays clean. */
export function createLog(level: Config['LOG_LEVEL']): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors and rows may carry what a log must not: keys, addresses, text.
      redact: ['*.authorization', '*.api_key', '*.apiKey', '*.password', '*.key'],
    },
    // With the least length of a write, `flush` waits for what is under way.
    pino.destination({ dest: 2, sync: false, minLength: 1, maxLength: MAX_UNREAD_BYTES }),
  );
}

/**
 * Before the process ends: writes what is still unwritten, for at most `timeoutMs`. What cannot be written is given up;
 * pino itself would try for ever when nobody reads the other end of a pipe any more.
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
