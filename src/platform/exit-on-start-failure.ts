import { inspect } from 'node:util';
import { ConfigError } from './config.ts';
import { StartError } from './errors.ts';

/** Reports a failed start on stderr: only the message if it contains a remedy, else the stack. Exit code 1. */
export function exitOnStartFailure(error: unknown): void {
  process.stderr.write(`Millrace cannot start. ${explainFailure(error)}\n`);
  process.exit(1);
}

/** The message about a failed start, for an operator. */
export function explainFailure(error: unknown): string {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
    return `No space is left on a disk (${error.message}). Make room there.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}
