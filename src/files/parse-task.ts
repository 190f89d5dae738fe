import { GiveUp } from '#src/platform/errors.ts';
import { messageOf } from '#src/platform/message-of.ts';
import { parseFile } from './parse-file.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

/** A plain value, because an error loses its class between processes. */
export type ParseOutcome =
  | { kind: 'parsed'; file: ParsedFile }
  | { kind: 'given-up'; reason: string };

/**
 * What a parser process does with a file. Never throws for a bad one: any error that a library throws becomes the reason
 * why this one file fails.
 */
export async function parseTask(file: FileToParse): Promise<ParseOutcome> {
  try {
    // The pool ends the whole process at its deadline, so no signal is passed in.
    const signal = new AbortController().signal;
    return { kind: 'parsed', file: await parseFile({ ...file, signal }) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    return { kind: 'given-up', reason: `${file.name} cannot be parsed: ${messageOf(error)}` };
  }
}
