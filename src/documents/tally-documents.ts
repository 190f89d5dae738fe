import { documentIndex } from '#queues/document-index.ts';
import type { AttemptEnd } from '#src/platform/work-tally.ts';
import type { Claim, ClaimedDocument } from './claim-documents.ts';
import type { DocumentServices } from './document-services.ts';

/** Counts attempts at documents. Those that were handed back did not take place and are not counted. */
export function tallyDocuments(
  { workTally }: Pick<DocumentServices, 'workTally'>,
  claim: Claim,
  documents: readonly ClaimedDocument[],
  end: AttemptEnd,
): void {
  const runMs = performance.now() - claim.takenAtMs;
  for (const { attempts, waited_ms: waitedMs } of documents) {
    workTally.count(documentIndex.name, end, { waitMs: attempts > 1 ? null : waitedMs, runMs });
  }
}
