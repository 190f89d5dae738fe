import { GiveUp } from '#src/platform/errors.ts';
import type { TimedTask } from '#src/platform/guarded-threads.ts';
import { startThreadClock } from '#src/platform/thread-clock.ts';
import { parseFile } from './parse-file.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

/** A plain value, because an error loses its class when it crosses a thread. */
export type ParseOutcome =
  | { kind: 'parsed'; file: ParsedFile }
  | { kind: 'given-up'; reason: string };

/**
 * Entry point of a parser thread. Never throws for a bad file: any error that a library throws becomes the reason why
 * this one file fails.
 */
export async function parseInThread({
  task: file,
  clock,
}: TimedTask<FileToParse>): Promise<ParseOutcome> {
  startThreadClock(clock);
  try {
    // The pool terminates the whole thread at its deadline, so no signal is passed in.
    const signal = new AbortController().signal;
    return { kind: 'parsed', file: await parseFile({ ...file, signal }) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'given-up', reason: `${file.name} cannot be parsed: ${detail}` };
  }
}
