import { countAnswers } from '#src/chat/sessions/count-answers.ts';
import { troubledPairs } from '#src/connectors/administration/troubled-pairs.ts';
import { ingestionStats } from '#src/documents/store.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { countDeliveries, troubledEndpoints } from '#src/webhooks/workspace-deliveries.ts';
import { openAlarms } from './alarms.ts';
import { countSearches } from './count-searches.ts';
import { countWorkspaceFailures } from './failures.ts';
import type { OperationsServices } from './operations-services.ts';

const MAX_ATTENTION = 20;
const DAY_MS = 24 * 3_600_000;

/** Something that needs somebody. `danger`: it does not go on by itself. */
export interface Attention {
  level: 'danger' | 'warning';
  kind: 'connector' | 'endpoint' | 'alarm';
  text: string;
  since: Date;
  subject: { kind: string; id: string };
}

/** What a workspace does, and what needs somebody; for operators also the alarms. */
export async function readOverview(
  { clock, db }: Pick<OperationsServices, 'clock' | 'db'>,
  { workspaceId, isOperator }: { workspaceId: WorkspaceId; isOperator: boolean },
) {
  const now = clock();
  const { counts, documentsPerSecond, oldestPendingSeconds } = await ingestionStats(
    db,
    workspaceId,
  );
  const deliveries = await countDeliveries(db, workspaceId);
  const attention = [
    ...(isOperator ? await alarmsAsAttention(db) : []),
    ...(await connectorsInTrouble(db, workspaceId)),
    ...(await endpointsInTrouble(db, workspaceId)),
  ];
  return {
    at: now.toISOString(),
    documents: {
      ...counts,
      indexed_per_minute: Math.round(documentsPerSecond * 60),
      oldest_pending_seconds: oldestPendingSeconds,
    },
    searches_per_minute: await countSearches(db, workspaceId, now),
    answers_per_minute: await countAnswers(db, workspaceId),
    deliveries: {
      pending: deliveries.pending,
      delivered_last_day: deliveries.delivered,
      failed_last_day: deliveries.failed,
    },
    failures_last_day: await countWorkspaceFailures(
      db,
      workspaceId,
      new Date(now.getTime() - DAY_MS),
    ),
    attention: attention
      .toSorted((a, b) => a.level.localeCompare(b.level))
      .slice(0, MAX_ATTENTION)
      .map((one) => ({ ...one, since: one.since.toISOString() })),
  };
}

async function alarmsAsAttention(db: Database): Promise<Attention[]> {
  const alarms = await openAlarms(db);
  return alarms.map(({ queue, kind, message, since }) => ({
    level: kind === 'falling_behind' ? 'warning' : 'danger',
    kind: 'alarm',
    text: message,
    since,
    subject: { kind: 'queue', id: queue },
  }));
}

async function connectorsInTrouble(db: Database, workspaceId: WorkspaceId): Promise<Attention[]> {
  const pairs = await troubledPairs(db, workspaceId, MAX_ATTENTION);
  return pairs.map((pair) => {
    const isStopped = pair.status === 'PAUSED' || pair.status === 'INVALID';
    const reason = pair.statusReason ?? pair.error ?? 'the reason is not known';
    const times = pair.failedRuns === 1 ? 'once' : `${pair.failedRuns} times`;
    return {
      level: isStopped ? 'danger' : 'warning',
      kind: 'connector',
      text: isStopped
        ? `The connector "${pair.name}" is stopped: ${reason}`
        : `The connector "${pair.name}" failed ${times}: ${reason}`,
      since: pair.since,
      subject: { kind: 'connector', id: String(pair.id) },
    };
  });
}

async function endpointsInTrouble(db: Database, workspaceId: WorkspaceId): Promise<Attention[]> {
  const endpoints = await troubledEndpoints(db, workspaceId, MAX_ATTENTION);
  return endpoints.map(({ id, url, disabledReason, since }) => ({
    level: disabledReason === null ? 'warning' : 'danger',
    kind: 'endpoint',
    text:
      disabledReason === null
        ? `The webhook endpoint ${url} does not answer and is left alone for now.`
        : `The webhook endpoint ${url} is disabled: ${disabledReason}`,
    since,
    subject: { kind: 'endpoint', id },
  }));
}
