import { GiveUp } from '#src/platform/errors.ts';
import type { TimedTask } from '#src/platform/guarded-threads.ts';
import { startThreadClock } from '#src/platform/thread-clock.ts';
import { parseFile } from './parse-file.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';

/** A plain value, because an error that crosses a thread loses its class. */
export type ParseOutcome =
  | { kind: 'parsed'; file: ParsedFile }
  | { kind: 'given-up'; reason: string };

/**
 * The entry of a parser thread. It never throws for a bad file: whatever a library throws over the
 * content is the reason why this file alone fails.
 */
export async function parseInThread({
  task: file,
  clock,
}: TimedTask<FileToParse>): Promise<ParseOutcome> {
  startThreadClock(clock);
  try {
    // The pool ends the whole thread at its deadline, so no signal has to reach in here.
    const signal = new AbortController().signal;
    return { kind: 'parsed', file: await parseFile({ ...file, signal }) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'given-up', reason: `${file.name} cannot be parsed: ${detail}` };
  }
}
