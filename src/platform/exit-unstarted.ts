import { inspect } from 'node:util';
import { ConfigError } from './config.ts';
import { StartError } from './errors.ts';

/** For a start that failed: on stderr the sentence alone when it has a remedy, else the stack; exit code 1. */
export function exitUnstarted(error: unknown): void {
  process.stderr.write(`Millrace cannot start. ${explainFailure(error)}\n`);
  process.exit(1);
}

/** What an operator reads of a start that failed. */
export function explainFailure(error: unknown): string {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
    return `No space is left on a disk (${error.message}). Make room there.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}
