import { sql } from 'kysely';
import { failedUserFiles } from '#src/chat/user-files/user-file-figures.ts';
import { failedPrunes, failedRuns } from '#src/connectors/runs/run-figures.ts';
import { failedDocuments } from '#src/documents/document-figures.ts';
import { failedMessages } from '#src/email/message-figures.ts';
import { failedScrapes } from '#src/leads/scrapes/scrape-figures.ts';
import type { Database } from '#src/platform/database.ts';
import type { FailedRow } from '#src/platform/work-figures.ts';
import { failedDeliveries } from '#src/webhooks/delivery-figures.ts';
import { errorGroup } from './error-group.ts';

const MAX_GROUPS = 100;

/** Where the failed rows of each queue are, and what they are called. Queues without rows are missing. */
const SOURCES = {
  'document-index': { kind: 'document', rows: failedDocuments },
  'connector-sync': { kind: 'run', rows: failedRuns },
  'connector-prune': { kind: 'prune', rows: failedPrunes },
  'lead-scrape': { kind: 'scrape', rows: failedScrapes },
  'email-verify': { kind: 'message', rows: (db: Database) => failedMessages(db, 'verification') },
  'email-send': { kind: 'message', rows: (db: Database) => failedMessages(db, 'message') },
  'webhook-deliver': { kind: 'delivery', rows: failedDeliveries },
  'user-file': { kind: 'file', rows: failedUserFiles },
} as const;

export type FailingQueue = keyof typeof SOURCES;

export const FAILING_QUEUES = Object.keys(SOURCES) as FailingQueue[]; // the keys are known

export function isFailingQueue(queue: string): queue is FailingQueue {
  return queue in SOURCES;
}

export function kindOfFailure(queue: FailingQueue): string {
  return SOURCES[queue].kind;
}

/** Failed rows whose messages are alike. */
export interface FailureGroup {
  group: string;
  message: string;
  count: number;
  first_at: Date;
  last_at: Date;
  example: FailedRow;
}

/** How many rows of each queue have failed since then. */
export async function countFailures(
  db: Database,
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const queue of FAILING_QUEUES) counts.set(queue, await countFailed(db, queue, since));
  return counts;
}

async function countFailed(db: Database, queue: FailingQueue, since: Date): Promise<number> {
  const { count } = await failedSince(db, queue, since)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The failures of a queue since then, by message, the largest group first. */
export async function groupFailures(
  db: Database,
  queue: FailingQueue,
  since: Date,
): Promise<{ groups: FailureGroup[]; total: number; otherGroups: number }> {
  const found = await db
    .with('failed', () =>
      failedSince(db, queue, since)
        .selectAll()
        .select((row) => errorGroup(row.ref('f.message')).as('shown')),
    )
    .selectFrom('failed')
    .select((row) => [
      'shown as message',
      sql<string>`md5(shown)`.as('group'),
      row.fn.countAll<number>().as('count'),
      row.fn.min('failed_at').as('first_at'),
      row.fn.max('failed_at').as('last_at'),
      sql<FailedRow>`(array_agg(to_json(failed) order by failed_at desc))[1]`.as('example'),
    ])
    .groupBy('shown')
    .orderBy('count', 'desc')
    .orderBy('last_at', 'desc')
    .execute();
  const groups = found.slice(0, MAX_GROUPS).map(({ example, ...group }) => ({
    ...group,
    example: { ...example, failed_at: new Date(example.failed_at) },
  }));
  return {
    groups,
    total: found.reduce((sum, { count }) => sum + count, 0),
    otherGroups: found.length - groups.length,
  };
}

export interface FailureChoice {
  since: Date;
  /** Null for all. */
  group: string | null;
  /** One row, when it is not null. */
  id: string | null;
}

/** How many failures there are of a choice. */
export async function countChosen(
  db: Database,
  queue: FailingQueue,
  choice: FailureChoice,
): Promise<number> {
  const { count } = await chosen(db, queue, choice)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Failures of a choice, in the order of their time. */
export async function listFailures(
  db: Database,
  queue: FailingQueue,
  choice: FailureChoice,
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<FailedRow[]> {
  return chosen(db, queue, choice)
    .select(['id', 'workspace_id', 'message', 'attempts', 'failed_at'])
    .orderBy('failed_at', page.order)
    .orderBy('id', page.order)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

function failedSince(db: Database, queue: FailingQueue, since: Date) {
  return db.selectFrom(rowsOf(db, queue).as('f')).where('f.failed_at', '>=', since);
}

function chosen(db: Database, queue: FailingQueue, { since, group, id }: FailureChoice) {
  let query = failedSince(db, queue, since);
  if (id !== null) query = query.where('f.id', '=', id);
  if (group !== null) {
    query = query.where((row) => sql<boolean>`md5(${errorGroup(row.ref('f.message'))}) = ${group}`);
  }
  return query;
}

/** All have the columns of `FailedRow`; the compiler cannot join the types of the builders. */
function rowsOf(db: Database, queue: FailingQueue): ReturnType<typeof failedDocuments> {
  return SOURCES[queue].rows(db) as unknown as ReturnType<typeof failedDocuments>;
}
