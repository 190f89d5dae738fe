import { z } from 'zod';
import type { Principal } from '#src/accounts/principal.ts';
import { ingestionStats } from '#src/documents/store.ts';
import type { Services } from '#src/services.ts';
import { DOCUMENT_STATUSES } from '#src/tables/documents.ts';

export const ingestionStatsSchema = z.object({
  counts: z.record(z.enum(DOCUMENT_STATUSES), z.number().int()),
  documents_per_second: z.number().describe('Indexed, over the last minute.'),
  oldest_pending_seconds: z.number().nullable(),
  estimated_seconds_to_drain: z
    .number()
    .nullable()
    .describe('0 when nothing waits; null when nothing was indexed in the last minute.'),
});

/** The figures of a workspace's documents, for the endpoint and for the live stream. */
export async function ingestionStatsBody(
  { db }: Pick<Services, 'db'>,
  { workspaceId }: Pick<Principal, 'workspaceId'>,
) {
  const stats = await ingestionStats(db, workspaceId);
  return {
    counts: stats.counts,
    documents_per_second: stats.documentsPerSecond,
    oldest_pending_seconds: stats.oldestPendingSeconds,
    estimated_seconds_to_drain: stats.estimatedSecondsToDrain,
  };
}
