import { type Command, InvalidArgumentError } from 'commander';
import type { MillraceClient } from '#src/client/millrace-client.ts';
import type { ApiClient } from './api-client.ts';
import type { Terminal } from './terminal.ts';

/** What every command gets besides its own arguments. */
export interface CommandContext {
  terminal: Terminal;
  /** `--json` was given: results go to stdout as JSON and nothing else does. */
  wantsJson(): boolean;
  /** Of a mail server, from the environment; null when it is not there. */
  smtpPassword: string | null;
  /**
   * Finds the service and its key.
   * @throws CommandFailure when there is none
   */
  connect(): ApiClient;
  /** The same for chats, and the address that it found. */
  connectChat(): { client: MillraceClient; url: string };
}

/** Adds one command, with its options and its help, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** One JSON value on a line of its own. */
export function printJson(context: CommandContext, value: unknown): void {
  context.terminal.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Parses an option that is a whole number between `min` and `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Collects an option that may be given several times. */
export function repeated(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}
