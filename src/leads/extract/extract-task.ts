import { GiveUp } from '#src/platform/errors.ts';
import { messageOf } from '#src/platform/message-of.ts';
import { extractPage } from './extract-page.ts';
import type { ExtractedPage, PageToExtract } from './extracted-page.ts';

/** A plain value, because errors lose their class between processes. */
export type ExtractOutcome =
  | { kind: 'extracted'; page: ExtractedPage }
  | { kind: 'given-up'; reason: string };

/** What an extractor process does with a page. It never throws because of a bad page. */
export function extractTask(page: PageToExtract): ExtractOutcome {
  try {
    return { kind: 'extracted', page: extractPage(page) };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'given-up', reason: error.message };
    return { kind: 'given-up', reason: `The page cannot be read: ${messageOf(error)}` };
  }
}
