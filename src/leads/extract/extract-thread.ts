import { GiveUp } from '#src/platform/errors.ts';
import { startThreadClock, type ThreadClock } from '#src/platform/thread-clock.ts';
import { extractPage } from './extract-page.ts';
import type { ExtractedPage, PageToExtract } from './extracted-page.ts';

export interface ExtractTask {
  page: PageToExtract;
  clock: ThreadClock;
}

/** A plain value, because an error that crosses a thread loses its class. */
export type ExtractOutcome =
  | { kind: 'extracted'; page: ExtractedPage }
  | { kind: 'given-up'; reason: string };

/** The entry of an extractor thread. It never throws for a bad page. */
export function extractInThread({ page, clock }: ExtractTask): ExtractOutcome {
  startThreadClock(clock);
  try {
    return { kind: 'extracted', page: extractPage(page) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'given-up', reason: `The page cannot be read: ${detail}` };
  }
}
