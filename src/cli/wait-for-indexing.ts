import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import { CommandFailure } from './exit.ts';
import { pendingOf, readIngestionStats } from './ingestion-stats.ts';
import type { Progress } from './progress.ts';

const POLL_MS = 1_000;
/** Waits out a restart of the service as long as sending does. */
const PATIENCE = { unreachableMs: 120_000, busyMs: 120_000 };
/** When no document finishes for this long, the workers are not running. */
const STALLED_MS = 10 * 60_000;
/** Allows for clock skew between two machines and a second of polling. */
const MARGIN_SECONDS = 2;

/**
 * Waits until nothing that was sent before now is pending. Others may keep sending: documents that became pending after
 * our last one do not count.
 * @throws CommandFailure when nothing finishes for ten minutes
 */
export async function waitForIndexing(
  client: ApiClient,
  progress: Progress,
  nowMs: () => number = () => performance.now(),
): Promise<void> {
  const startedMs = nowMs();
  let most = 0;
  let latest = -1;
  let movedMs = startedMs;
  for (;;) {
    const stats = await readIngestionStats(client, PATIENCE);
    const pending = pendingOf(stats);
    most = Math.max(most, pending);
    progress.update({
      done: most - pending,
      total: most,
      secondsLeft: stats.estimated_seconds_to_drain,
    });
    const waitedSeconds = (nowMs() - startedMs) / 1000;
    const oldest = stats.oldest_pending_seconds;
    if (pending === 0 || (oldest !== null && oldest + MARGIN_SECONDS < waitedSeconds)) return;
    if (stats.counts.indexed !== latest) movedMs = nowMs();
    latest = stats.counts.indexed;
    if (nowMs() - movedMs > STALLED_MS) {
      throw new CommandFailure(
        `${pending} documents are accepted and none was indexed for ${STALLED_MS / 60_000} minutes. Are the workers running? See "millrace status".`,
      );
    }
    await client.wait(POLL_MS);
  }
}

const failedPage = z.object({
  documents: z.array(z.object({ document_id: z.string(), error: z.string().nullish() })),
  next_cursor: z.string().nullish(),
});
const MAX_PAGES = 100;

/** The workspace's documents that could not be indexed, in the service's order, newest pages first. */
export async function* listFailedDocuments(
  client: ApiClient,
): AsyncGenerator<{ documentId: string; reason: string }> {
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: string = new URLSearchParams({
      status: 'failed',
      ...(cursor === null ? {} : { cursor }),
    }).toString();
    const answer: z.output<typeof failedPage> = await client.json(
      'GET',
      `/service-api/ingestion?${query}`,
      failedPage,
    );
    for (const { document_id, error } of answer.documents) {
      yield { documentId: document_id, reason: error ?? 'it could not be indexed' };
    }
    cursor = answer.next_cursor ?? null;
    if (cursor === null) return;
  }
}
