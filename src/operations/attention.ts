import { troubledPairs, waitingRuns } from '#src/connectors/administration/troubled-pairs.ts';
import {
  accountsWithFailures,
  unverifiedAccounts,
} from '#src/email/administration/troubled-accounts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { troubledEndpoints } from '#src/webhooks/workspace-deliveries.ts';
import { openAlarms } from './alarms.ts';
import type { WorkspaceFailures } from './workspace-failures.ts';

const MAX_ATTENTION = 20;
const MINUTE_MS = 60_000;
/** Shorter outages of a source need no attention. */
const OUTAGE_MS = 2 * MINUTE_MS;

/** Something that needs attention. `danger`: it is blocked until someone acts. */
export interface Attention {
  level: 'danger' | 'warning';
  kind: 'connector' | 'endpoint' | 'alarm' | 'account' | 'document';
  text: string;
  since: Date;
  /** What to open: one object, or for `documents` all in a state. */
  subject: { kind: string; id: string };
}

interface Viewed {
  workspaceId: WorkspaceId;
  isOperator: boolean;
  now: Date;
  /** The start of the last 24 hours. */
  dayAgo: Date;
  failures: readonly WorkspaceFailures[];
}

/** What needs attention in a workspace, worst first; for operators including alarms. */
export async function readAttention(db: Database, viewed: Viewed): Promise<Attention[]> {
  const { workspaceId } = viewed;
  const all = [
    ...(viewed.isOperator ? await alarmsAsAttention(db) : []),
    ...(await connectorsInTrouble(db, workspaceId)),
    ...(await connectorsThatWait(db, viewed)),
    ...(await endpointsInTrouble(db, workspaceId)),
    ...(await accountsInTrouble(db, viewed)),
    ...documentsInTrouble(viewed.failures),
  ];
  return all.toSorted((a, b) => a.level.localeCompare(b.level)).slice(0, MAX_ATTENTION);
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
    return {
      level: isStopped ? 'danger' : 'warning',
      kind: 'connector',
      text: isStopped
        ? `The connector "${pair.name}" is stopped: ${reason}`
        : `The connector "${pair.name}" failed ${timesText(pair.failedRuns)}: ${reason}`,
      since: pair.since,
      subject: { kind: 'connector', id: String(pair.id) },
    };
  });
}

async function connectorsThatWait(
  db: Database,
  { workspaceId, now }: Pick<Viewed, 'workspaceId' | 'now'>,
): Promise<Attention[]> {
  const before = new Date(now.getTime() - OUTAGE_MS);
  const runs = await waitingRuns(db, workspaceId, { before, limit: MAX_ATTENTION });
  return runs.map(({ pairId, name, reason, since }) => ({
    level: 'warning',
    kind: 'connector',
    text: `The connector "${name}" waits for its source: ${reason}`,
    since,
    subject: { kind: 'connector', id: String(pairId) },
  }));
}

async function endpointsInTrouble(db: Database, workspaceId: WorkspaceId): Promise<Attention[]> {
  const endpoints = await troubledEndpoints(db, workspaceId, MAX_ATTENTION);
  return endpoints.map(({ id, url, disabledReason, failures, isLeftAlone, since }) => {
    const what = isLeftAlone
      ? 'does not answer and is left alone for now'
      : `failed ${timesText(failures)} in a row`;
    return {
      level: disabledReason === null ? 'warning' : 'danger',
      kind: 'endpoint',
      text:
        disabledReason === null
          ? `The webhook endpoint ${url} ${what}.`
          : `The webhook endpoint ${url} is disabled: ${disabledReason}`,
      since,
      subject: { kind: 'endpoint', id },
    };
  });
}

async function accountsInTrouble(
  db: Database,
  { workspaceId, dayAgo }: Pick<Viewed, 'workspaceId' | 'dayAgo'>,
): Promise<Attention[]> {
  const unverified = await unverifiedAccounts(db, workspaceId, MAX_ATTENTION);
  const failing = await accountsWithFailures(db, workspaceId, {
    since: dayAgo,
    limit: MAX_ATTENTION,
  });
  return [
    ...unverified.map(({ id, email, error, since }) => ({
      level: 'danger' as const,
      kind: 'account' as const,
      text: `The sender account ${email} could not be verified: ${error}`,
      since,
      subject: { kind: 'account', id },
    })),
    ...failing.map(({ id, email, error, failed, since }) => ({
      level: 'warning' as const,
      kind: 'account' as const,
      text: `${failed === 1 ? '1 message' : `${failed} messages`} of ${email} could not be sent in the last day${latestText(failed, error)}`,
      since,
      subject: { kind: 'account', id },
    })),
  ];
}

function documentsInTrouble(failures: readonly WorkspaceFailures[]): Attention[] {
  const documents = failures.find(({ kind }) => kind === 'document');
  if (documents === undefined) return [];
  const { count, message, first_at: since } = documents;
  return [
    {
      level: 'warning',
      kind: 'document',
      text: `${count === 1 ? '1 document' : `${count} documents`} could not be indexed in the last day${latestText(count, message)}`,
      since,
      subject: { kind: 'documents', id: 'failed' },
    },
  ];
}

function latestText(count: number, message: string): string {
  if (message === '') return '.';
  return count === 1 ? `: ${message}` : `. The latest: ${message}`;
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
