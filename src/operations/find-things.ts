import { QUEUES } from '#queues/index.ts';
import { findConnectors, findRuns } from '#src/connectors/administration/find-connectors.ts';
import { findDocuments } from '#src/documents/find-documents.ts';
import { findAccounts, findMessages } from '#src/email/administration/find-messages.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { findScrapes } from '#src/leads/scrapes/find-scrapes.ts';
import type { Database } from '#src/platform/database.ts';
import {
  type FoundRow,
  MAX_OF_KIND,
  type LookupTerm,
  parseLookupTerm,
} from '#src/platform/found-row.ts';
import { findDeliveries, findEndpoints } from '#src/webhooks/administration/find-deliveries.ts';
import type { OperationsServices } from './operations-services.ts';

/** What the finder finds, and what the caller must be allowed for it. */
const KINDS = [
  { kind: 'document', page: 'document', scope: 'read-or-ingest', find: findDocuments },
  { kind: 'connector', page: 'connector', scope: 'admin', find: findConnectors },
  { kind: 'run', page: 'connector', scope: 'admin', find: findRuns },
  { kind: 'endpoint', page: 'endpoint', scope: 'admin', find: findEndpoints },
  { kind: 'delivery', page: 'delivery', scope: 'admin', find: findDeliveries },
  { kind: 'message', page: 'account', scope: 'read', find: findMessages },
  { kind: 'account', page: 'account', scope: 'read', find: findAccounts },
  { kind: 'scrape', page: 'scrape', scope: 'read', find: findScrapes },
] as const;
const MAX_RESULTS = 30;

export interface Found extends Omit<FoundRow, 'page_id' | 'at'> {
  kind: string;
  at: string | null;
  /** What to open. */
  subject: { kind: string; id: string };
}

export type FinderScope = (typeof KINDS)[number]['scope'] | 'operator-read';

export interface Finder {
  workspaceId: WorkspaceId;
  userId: UserId;
  may: (scope: FinderScope) => boolean;
}

/** Things of the workspace with this id, title or address; for operators also jobs. Exact ids come first. */
export async function findThings(
  { db, producer }: Pick<OperationsServices, 'db' | 'producer'>,
  { workspaceId, userId, may }: Finder,
  text: string,
): Promise<Found[]> {
  const sought = parseLookupTerm(text, { workspaceId, userId });
  const results: { found: Found; rank: number }[] = [];
  const add = (found: Found, index: number): number =>
    results.push({ found, rank: found.id === text || found.id === sought.uuid ? -1 : index });
  for (const one of KINDS) {
    if (!may(one.scope)) continue;
    (await presented(db, one, sought)).forEach(add);
  }
  if (may('operator-read')) (await findJobs(producer, sought)).forEach(add);
  // The best of each kind come before the second best of any.
  return results
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_RESULTS)
    .map(({ found }) => found);
}

async function presented(
  db: Database,
  { kind, page, find }: (typeof KINDS)[number],
  sought: LookupTerm,
): Promise<Found[]> {
  const rows = await find(db, sought);
  return rows.map(({ page_id: id, at, ...row }) => ({
    kind,
    ...row,
    at: at.toISOString(),
    subject: { kind: page, id },
  }));
}

/** Jobs with this id. Nothing else is lost while the store of the queues is away. */
async function findJobs(
  producer: OperationsServices['producer'],
  { text, number }: LookupTerm,
): Promise<Found[]> {
  if (number === null) return [];
  const names = new Set<string>(QUEUES.map(({ name }) => name));
  const queues = producer.openQueues().filter(({ name }) => names.has(name));
  const found = await Promise.all(
    queues.map(async (queue): Promise<Found | null> => {
      try {
        const job = await queue.getJob(text);
        if (!job) return null;
        return {
          kind: 'job',
          id: text,
          title: `${queue.name} ${text}`,
          state: await job.getState(),
          detail: job.failedReason ?? null,
          at: new Date(job.timestamp).toISOString(),
          subject: { kind: 'job', id: `${queue.name}/${text}` },
        };
      } catch {
        return null;
      }
    }),
  );
  return found.filter((one) => one !== null).slice(0, MAX_OF_KIND);
}
