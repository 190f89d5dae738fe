import { type Command, InvalidArgumentError } from 'commander';
import type { MillraceClient } from '#src/client/millrace-client.ts';
import type { ApiClient } from './api-client.ts';
import type { Terminal } from './terminal.ts';

/** What every command gets besides its own arguments. */
export interface CommandContext {
  terminal: Terminal;
  /** `--json` was given: results, and nothing else, go to stdout as JSON. */
  wantsJson(): boolean;
  /** Password of a mail server, from the environment; null when unset. */
  smtpPassword: string | null;
  /** Password of a bounce mailbox, from the environment; null if unset. */
  mailboxPassword: string | null;
  /**
   * Finds the service and its key.
   * @throws CommandFailure when either is missing
   */
  connect(): ApiClient;
  /** The same for chats, with the address of the service. */
  connectChat(): { client: MillraceClient; url: string };
}

/** Adds one command, with its options and help, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** Prints one JSON value on its own line. */
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

/** Collects an option that may be repeated. */
export function repeated(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}
