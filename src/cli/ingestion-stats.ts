import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { Patience } from './retry-call.ts';

const stats = z.object({
  counts: z.object({
    accepted: z.number(),
    indexing: z.number(),
    indexed: z.number(),
    failed: z.number(),
    deleting: z.number(),
  }),
  documents_per_second: z.number(),
  oldest_pending_seconds: z.number().nullable(),
  estimated_seconds_to_drain: z.number().nullable(),
});

/** The states of the workspace's documents. */
export type IngestionStats = z.output<typeof stats>;

export function readIngestionStats(
  client: ApiClient,
  patience?: Patience,
): Promise<IngestionStats> {
  return client.json('GET', '/service-api/ingestion/stats', stats, patience ? { patience } : {});
}

/** Number of documents accepted but not yet searchable. */
export function pendingOf({ counts }: IngestionStats): number {
  return counts.accepted + counts.indexing;
}
