import type { ApiClient } from './api-client.ts';
import type { IngestItem } from './ingest-item.ts';
import type { IngestState } from './ingest-state.ts';
import type { IngestTally } from './ingest-tally.ts';
import { type ItemOutcome, openBatchSender } from './send-batches.ts';

export interface Sending {
  client: ApiClient;
  tally: IngestTally;
  state: IngestState;
  /** Concurrent inputs and requests, which also limits memory. */
  concurrency: number;
  onProgress: () => void;
}

/**
 * Reads inputs and sends their documents in batches, several concurrently, until the inputs end.
 * @param read returns an input's document; null when there is nothing to send
 * @throws the reason for an early end: the first failure that does not concern a single document, or Ctrl-C
 */
export async function sendDocuments<Input>(
  inputs: AsyncGenerator<Input>,
  read: (input: Input) => Promise<IngestItem | null>,
  { client, tally, state, concurrency, onProgress }: Sending,
): Promise<void> {
  const sender = openBatchSender(client, (outcomes) => {
    recordOutcomes(outcomes, tally, state);
    onProgress();
  });
  const interrupted = rejectOnAbort(client.signal);
  let hasFailed = false;
  const loop = async (): Promise<void> => {
    try {
      while (!hasFailed) {
        // Raced against Ctrl-C, because a pipe may stay silent forever.
        const next = await Promise.race([inputs.next(), interrupted]);
        if (next.done) return;
        const item = await read(next.value);
        if (item !== null) await sender.add(item);
        onProgress();
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, loop));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  await sender.flush();
}

function recordOutcomes(
  outcomes: [IngestItem, ItemOutcome][],
  tally: IngestTally,
  state: IngestState,
): void {
  const finished: NonNullable<IngestItem['file']>[] = [];
  for (const [item, outcome] of outcomes) {
    if (outcome.kind === 'failed') tally.fail({ label: item.label, reason: outcome.reason });
    else {
      tally.acceptedAs(outcome.documentId, outcome.alreadyExisted);
      if (item.file) finished.push(item.file);
    }
  }
  state.finish(finished);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const rejectNow = (): void => reject(new DOMException('Interrupted', 'AbortError'));
    if (signal.aborted) rejectNow();
    else signal.addEventListener('abort', rejectNow, { once: true });
  });
  // Ctrl-C may come while nobody is racing; that must not be an unhandled rejection.
  aborted.catch(() => {});
  return aborted;
}
