import { type RawBuilder, sql } from 'kysely';
import { isPrivateToOthers } from '#src/documents/document-access.ts';
import type { CcPairId, IndexAttemptId, PruneAttemptId, UserId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { IndexAttemptStatus, PruneAttemptStatus } from '#src/tables/connectors.ts';

/** One page of a list, and the length of the whole list. */
export interface Page<T> {
  items: T[];
  total: number;
}

export interface PageRequest {
  /** From 0. */
  number: number;
  size: number;
}

export interface RunRecord {
  id: IndexAttemptId;
  status: IndexAttemptStatus;
  from_beginning: boolean;
  poll_range_start: Date | null;
  poll_range_end: Date;
  checkpoint_description: string | null;
  waiting_for: string | null;
  pages: number;
  fetched: number;
  accepted: number;
  created: number;
  unchanged: number;
  skipped: number;
  failed: number;
  removed: number;
  skip_reasons: Record<string, number>;
  notes: Record<string, number>;
  estimated_total: number | null;
  error: string | null;
  resumptions: number;
  next_attempt_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  updated_at: Date;
  finished_at: Date | null;
  /** Documents of this run that failed, at the source or in the index. */
  error_count: number;
}

const RUN = sql`a.id, a.status, a.from_beginning, a.poll_range_start, a.poll_range_end,
  a.checkpoint_description, a.waiting_for, a.pages, a.fetched, a.accepted, a.created, a.unchanged,
  a.skipped, a.failed, a.removed, a.skip_reasons, a.notes, a.estimated_total, a.error, a.resumptions,
  a.next_attempt_at, a.created_at, a.started_at, a.updated_at, a.finished_at,
  greatest(a.failed, (select count(*)::int from index_attempt_error e
    where e.index_attempt_id = a.id)) as error_count`;

/** Newest first. */
export async function listRuns(
  db: Database,
  ccPairId: CcPairId,
  page: PageRequest,
): Promise<Page<RunRecord>> {
  const { rows } = await sql<RunRecord>`
    select ${RUN} from index_attempt a where a.cc_pair_id = ${ccPairId}
    order by a.id desc ${within(page)}`.execute(db);
  return { items: rows, total: await countRuns(db, ccPairId) };
}

export async function countRuns(db: Database, ccPairId: CcPairId): Promise<number> {
  return count(db, sql`index_attempt where cc_pair_id = ${ccPairId}`);
}

/** @throws Problem NOT_FOUND */
export async function findRun(db: Database, ccPairId: CcPairId, id: number): Promise<RunRecord> {
  const { rows } = await sql<RunRecord>`
    select ${RUN} from index_attempt a
    where a.cc_pair_id = ${ccPairId} and a.id = ${id}`.execute(db);
  const [found] = rows;
  if (found) return found;
  throw new Problem(
    'NOT_FOUND',
    `The pair ${ccPairId} has no index attempt ${id}. GET /manage/admin/cc-pair/${ccPairId}/index-attempts lists them.`,
  );
}

export interface RunErrorRecord {
  id: number;
  cc_pair_id: CcPairId;
  index_attempt_id: IndexAttemptId;
  stage: 'fetch' | 'index';
  document_id: string | null;
  document_link: string | null;
  entity_id: string | null;
  failed_from: Date | null;
  failed_until: Date | null;
  message: string;
  tries: number;
  is_resolved: boolean;
  created_at: Date;
  resolved_at: Date | null;
}

/**
 * Newest first. For a pair private to another user, only counts and times are shown, not which document failed and
 * why.
 */
export async function listRunErrors(
  db: Database,
  ccPairId: CcPairId,
  {
    userId,
    includeResolved,
    page,
  }: { userId: UserId; includeResolved: boolean; page: PageRequest },
): Promise<Page<RunErrorRecord>> {
  const chosen = sql`index_attempt_error where cc_pair_id = ${ccPairId}
    ${includeResolved ? sql`` : sql`and not is_resolved`}`;
  const { rows } = await sql<RunErrorRecord & { is_private: boolean }>`
    select id, cc_pair_id, index_attempt_id, stage, document_id, document_link, entity_id,
      failed_from, failed_until, message, tries, is_resolved, created_at, resolved_at,
      exists (select 1 from cc_pair p where p.id = ${ccPairId}
        and ${isPrivateToOthers('p', userId)}) as is_private
    from ${chosen} order by id desc ${within(page)}`.execute(db);
  const items = rows.map(({ is_private, ...error }) =>
    is_private ? { ...error, ...UNTOLD } : error,
  );
  return { items, total: await count(db, chosen) };
}

const UNTOLD = {
  document_id: null,
  document_link: null,
  entity_id: null,
  message: 'The connector is private to another user, who sees which document failed and why.',
};

export interface PruneRecord {
  id: PruneAttemptId;
  status: PruneAttemptStatus;
  known: number;
  listed: number;
  gone: number;
  removed: number;
  error: string | null;
  next_attempt_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** Newest first. */
export async function listPrunes(
  db: Database,
  ccPairId: CcPairId,
  page: PageRequest,
): Promise<Page<PruneRecord>> {
  const chosen = sql`prune_attempt where cc_pair_id = ${ccPairId}`;
  const { rows } = await sql<PruneRecord>`
    select id, status, known, listed, gone, removed, error, next_attempt_at, created_at,
      started_at, finished_at
    from ${chosen} order by id desc ${within(page)}`.execute(db);
  return { items: rows, total: await count(db, chosen) };
}

function within({ number, size }: PageRequest) {
  return sql`limit ${size} offset ${number * size}`;
}

async function count(db: Database, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${from}`.execute(db);
  return rows[0]?.n ?? 0;
}
