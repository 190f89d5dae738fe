import { countAnswers } from '#src/chat/sessions/count-answers.ts';
import { indexedByMinute, ingestionStats } from '#src/documents/store.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { countDeliveries } from '#src/webhooks/workspace-deliveries.ts';
import { readAttention } from './attention.ts';
import { searchesByMinute } from './count-searches.ts';
import type { OperationsServices } from './operations-services.ts';
import { workspaceFailures, workspaceFailuresByHour } from './workspace-failures.ts';

const DAY_MS = 24 * 3_600_000;

/** What a workspace does, and what needs attention; for operators including alarms. */
export async function readOverview(
  { clock, db }: Pick<OperationsServices, 'clock' | 'db'>,
  { workspaceId, isOperator }: { workspaceId: WorkspaceId; isOperator: boolean },
) {
  const now = clock();
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const { counts, documentsPerSecond, oldestPendingSeconds } = await ingestionStats(
    db,
    workspaceId,
  );
  const deliveries = await countDeliveries(db, workspaceId);
  const failures = await workspaceFailures(db, workspaceId, dayAgo);
  const searches = await searchesByMinute(db, workspaceId, now);
  const attention = await readAttention(db, { workspaceId, isOperator, now, dayAgo, failures });
  return {
    at: now.toISOString(),
    documents: {
      ...counts,
      indexed_per_minute: Math.round(documentsPerSecond * 60),
      oldest_pending_seconds: oldestPendingSeconds,
    },
    searches_per_minute: searches.at(-1) ?? 0,
    answers_per_minute: await countAnswers(db, workspaceId),
    deliveries: {
      pending: deliveries.pending,
      delivered_last_day: deliveries.delivered,
      failed_last_day: deliveries.failed,
    },
    failures_last_day: failures.map(({ kind, count, last_at: lastAt }) => ({
      kind,
      count,
      last_at: lastAt.toISOString(),
    })),
    minutes: { indexed: await indexedByMinute(db, workspaceId), searches },
    failures_by_hour: await workspaceFailuresByHour(db, workspaceId, now),
    attention: attention.map((one) => ({ ...one, since: one.since.toISOString() })),
  };
}
