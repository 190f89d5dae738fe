import { GiveUp } from '#src/platform/errors.ts';
import type { TimedTask } from '#src/platform/guarded-threads.ts';
import { startThreadClock } from '#src/platform/thread-clock.ts';
import { extractPage } from './extract-page.ts';
import type { ExtractedPage, PageToExtract } from './extracted-page.ts';

/** A plain value, because errors lose their class between threads. */
export type ExtractOutcome =
  | { kind: 'extracted'; page: ExtractedPage }
  | { kind: 'given-up'; reason: string };

/** The entry point of an extractor thread. It never throws because of a bad page. */
export function extractInThread({ task: page, clock }: TimedTask<PageToExtract>): ExtractOutcome {
  startThreadClock(clock);
  try {
    return { kind: 'extracted', page: extractPage(page) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'given-up', reason: `The page cannot be read: ${detail}` };
  }
}
