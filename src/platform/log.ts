import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

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
    pino.destination({ dest: 2, sync: false }),
  );
}
