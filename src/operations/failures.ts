import { type RawBuilder, sql } from 'kysely';
import { FAILED_USER_FILES } from '#src/chat/user-files/user-file-figures.ts';
import { FAILED_PRUNES, FAILED_RUNS } from '#src/connectors/runs/run-figures.ts';
import { FAILED_DOCUMENTS } from '#src/documents/document-figures.ts';
import { failedMessages } from '#src/email/message-figures.ts';
import { FAILED_SCRAPES } from '#src/leads/scrapes/scrape-figures.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { FailedRow } from '#src/platform/work-figures.ts';
import { FAILED_DELIVERIES } from '#src/webhooks/delivery-figures.ts';
import { errorGroup } from './error-group.ts';

const MAX_GROUPS = 100;

/** Queues whose failures are rows, and what the rows are. */
const KINDS = {
  'document-index': 'document',
  'connector-sync': 'run',
  'connector-prune': 'prune',
  'lead-scrape': 'scrape',
  'email-verify': 'message',
  'email-send': 'message',
  'webhook-deliver': 'delivery',
  'user-file': 'file',
} as const;

export type FailingQueue = keyof typeof KINDS;

export const FAILING_QUEUES = Object.keys(KINDS) as FailingQueue[]; // the keys are known

export function isFailingQueue(queue: string): queue is FailingQueue {
  return queue in KINDS;
}

export function kindOfFailure(queue: FailingQueue): string {
  return KINDS[queue];
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
  const choice = { since, group: null, id: null };
  for (const queue of FAILING_QUEUES) counts.set(queue, await countChosen(db, queue, choice));
  return counts;
}

/** The failures of a queue since then, by message, the largest group first. */
export async function groupFailures(
  db: Database,
  queue: FailingQueue,
  since: Date,
): Promise<{ groups: FailureGroup[]; total: number; otherGroups: number }> {
  const { rows } = await sql<
    Omit<FailureGroup, 'example'> & { example: unknown; of_all: number; groups: number }
  >`
    with failed as (
      select f.*, ${errorGroup(sql<string>`f.message`)} as shown
      from (${openRowsOf(queue)}) f where f.failed_at >= ${since}
    )
    select shown as message, md5(shown) as group, count(*)::int as count,
      min(failed_at) as first_at, max(failed_at) as last_at,
      (array_agg(to_json(failed) order by failed_at desc))[1] as example,
      sum(count(*)) over ()::int as of_all, (count(*) over ())::int as groups
    from failed group by shown order by count desc, last_at desc limit ${MAX_GROUPS}`.execute(db);
  return {
    groups: rows.map(({ of_all: _, groups: __, example, ...group }) => ({
      ...group,
      example: readExample(example),
    })),
    total: rows[0]?.of_all ?? 0,
    otherGroups: (rows[0]?.groups ?? 0) - rows.length,
  };
}

/** Summarizes the failures of a queue: since when, and the message of most of the latest. */
export interface FailureSummary {
  firstAt: Date;
  message: string;
  /** Whether all failures have this message. */
  isAll: boolean;
}

/** Enough to distinguish an outage from unrelated failures. */
const MAX_COMPARED = 1_000;

/** Summarizes the failures since then; null when there are none. */
export async function summarizeFailures(
  db: Database,
  queue: FailingQueue,
  since: Date,
): Promise<FailureSummary | null> {
  const { rows } = await sql<FailureSummary>`
    with latest as (
      select f.message, f.failed_at from (${openRowsOf(queue)}) f where f.failed_at >= ${since}
      order by f.failed_at desc limit ${MAX_COMPARED}
    )
    select ${errorGroup(sql<string>`l.message`)} as message, (count(*) over ()) = 1 as "isAll",
      coalesce((select min(f.failed_at) from (${openRowsOf(queue)}) f where f.failed_at >= ${since}),
        ${since}::timestamptz) as "firstAt"
    from latest l group by 1 order by count(*) desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** A row as JSON has its time as text. */
function readExample(example: unknown): FailedRow {
  // The statement made it from the columns of a failed row.
  const row = example as Omit<FailedRow, 'failed_at'> & { failed_at: string };
  const { id, workspace_id, message, attempts } = row;
  return { id, workspace_id, message, attempts, failed_at: new Date(row.failed_at) };
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
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${openRowsOf(queue)}) f where ${isChosen(choice)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Failures of a choice, in the order of their time. */
export async function listFailures(
  db: Database,
  queue: FailingQueue,
  choice: FailureChoice,
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<FailedRow[]> {
  const order = page.order === 'asc' ? sql`f.failed_at, f.id` : sql`f.failed_at desc, f.id desc`;
  const { rows } = await sql<FailedRow>`
    select f.id, f.workspace_id, f.message, f.attempts, f.failed_at
    from (${openRowsOf(queue)}) f where ${isChosen(choice)}
    order by ${order} limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/**
 * Hides chosen failures from operators, the oldest first.
 * @returns how many
 */
export async function recordDiscards(
  trx: DatabaseTransaction,
  queue: FailingQueue,
  choice: FailureChoice,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    insert into failure_discard as d (queue, row_id, failed_at)
    select ${queue}, f.id, f.failed_at from (${openRowsOf(queue)}) f where ${isChosen(choice)}
    order by f.failed_at, f.id limit ${limit}
    on conflict (queue, row_id) do update
      set failed_at = greatest(d.failed_at, excluded.failed_at), discarded_at = now()
    returning row_id`.execute(trx);
  return rows.length;
}

function isChosen({ since, group, id }: FailureChoice): RawBuilder<boolean> {
  return sql`f.failed_at >= ${since} and (${id}::text is null or f.id = ${id}::text)
    and (${group}::text is null or md5(${errorGroup(sql<string>`f.message`)}) = ${group}::text)`;
}

/** The failed rows that operators have not discarded. */
function openRowsOf(queue: FailingQueue): RawBuilder<FailedRow> {
  return sql`select r.* from (${rowsOf(queue)}) r where not exists (select 1 from failure_discard d
    where d.queue = ${queue} and d.row_id = r.id and d.failed_at >= r.failed_at)`;
}

/** The failed rows of a queue, over all workspaces. */
export function rowsOf(queue: FailingQueue): RawBuilder<FailedRow> {
  switch (queue) {
    case 'document-index':
      return FAILED_DOCUMENTS;
    case 'connector-sync':
      return FAILED_RUNS;
    case 'connector-prune':
      return FAILED_PRUNES;
    case 'lead-scrape':
      return FAILED_SCRAPES;
    case 'email-verify':
      return failedMessages('verification');
    case 'email-send':
      return failedMessages('message');
    case 'webhook-deliver':
      return FAILED_DELIVERIES;
    case 'user-file':
      return FAILED_USER_FILES;
  }
}
