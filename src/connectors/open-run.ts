import { sql } from 'kysely';
import type { IndexAttemptId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { IndexAttemptStatus } from '#src/tables.ts';
import { nextDue, pollStart } from './next-run.ts';
import { hashSettings, type PairRow } from './open-pair.ts';
import { findConnector } from './registry.ts';

/** The delayed job of a run may come a moment early. */
const EARLY_MS = 500;
/** After so many failures in a row the checkpoint itself is suspect: the next run starts without it. */
const RESUMES_OF_FAILED_RUNS = 2;
/** Finished runs that a pair keeps to be looked at. */
const KEPT_RUNS = 1_000;
/** A failure that so many runs could not mend no longer makes each run look back to it. */
export const MAX_WINDOW_TRIES = 5;

/** Pairs in these states run when they are due. */
export const RUNNABLE = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE'] as const;

export function isRunnable({ status }: Pick<PairRow, 'status'>): boolean {
  return RUNNABLE.some((runnable) => runnable === status);
}

export function isRunDue({ next_run_at }: Pick<PairRow, 'next_run_at'>, now: Date): boolean {
  return next_run_at !== null && next_run_at.getTime() <= now.getTime() + EARLY_MS;
}

/** The run that is not over yet; null when there is none. */
export async function findOpenRun(
  trx: DatabaseTransaction,
  { id }: Pick<PairRow, 'id'>,
): Promise<IndexAttemptId | null> {
  const { rows } = await sql<{ id: IndexAttemptId }>`
    select id from index_attempt where cc_pair_id = ${id}
      and status in ('not_started', 'in_progress')`.execute(trx);
  return rows[0]?.id ?? null;
}

/**
 * Begins a run: its row, with the window to poll, and the time of the run after it. The caller holds the pair's lock
 * and has seen that no run is open.
 */
export async function openRun(
  trx: DatabaseTransaction,
  pair: PairRow,
  { now, fromBeginning }: { now: Date; fromBeginning: boolean },
): Promise<IndexAttemptId> {
  const hash = hashSettings(pair.settings);
  const isNew = pair.settings_hash !== null && pair.settings_hash !== hash;
  const afresh = fromBeginning || isNew;
  if (afresh) await sql`delete from connector_memory where cc_pair_id = ${pair.id}`.execute(trx);
  const unfinished = afresh ? null : await findUnfinished(trx, pair, hash);
  const start = unfinished
    ? unfinished.poll_range_start
    : pollStart({
        fromBeginning: afresh,
        syncedUntil: pair.synced_until,
        indexingStart: pair.indexing_start,
        failedSince: await failedSince(trx, pair),
      });
  const { rows } = await sql<{ id: IndexAttemptId }>`
    insert into index_attempt (workspace_id, cc_pair_id, status, from_beginning, poll_range_start,
      poll_range_end, settings_hash, checkpoint, checkpoint_description, resumed_from)
    values (${pair.workspace_id}, ${pair.id}, 'not_started', ${afresh}, ${start},
      ${unfinished?.poll_range_end ?? now}, ${hash}, ${unfinished?.checkpoint ?? null}::json,
      ${unfinished?.checkpoint_description ?? null}, ${unfinished?.id ?? null})
    returning id`.execute(trx);
  if (pair.next_run_at === null || pair.next_run_at <= new Date(now.getTime() + EARLY_MS)) {
    const next = nextDue(pair.next_run_at, pair.refresh_freq, new Date(now.getTime() + EARLY_MS));
    await sql`update cc_pair set next_run_at = ${next} where id = ${pair.id}`.execute(trx);
  }
  await forgetOldRuns(trx, pair);
  const [row] = rows;
  if (!row) throw new Error('An insert into index_attempt returned no row.');
  return row.id;
}

/** Runs whose failures are open stay, however old. */
async function forgetOldRuns(trx: DatabaseTransaction, { id }: PairRow): Promise<void> {
  await sql`
    delete from index_attempt a where a.cc_pair_id = ${id}
      and a.id < (select id from index_attempt where cc_pair_id = ${id}
        order by id desc offset ${KEPT_RUNS} limit 1)
      and not exists (select 1 from index_attempt_error e
        where e.index_attempt_id = a.id and not e.is_resolved)`.execute(trx);
}

interface UnfinishedRun {
  id: IndexAttemptId;
  status: IndexAttemptStatus;
  settings_hash: string;
  checkpoint: string | null;
  checkpoint_description: string | null;
  poll_range_start: Date | null;
  poll_range_end: Date;
}

/** The last run, when it ended early with a checkpoint that is worth going on from. */
async function findUnfinished(
  trx: DatabaseTransaction,
  pair: PairRow,
  hash: string,
): Promise<UnfinishedRun | null> {
  const { rows } = await sql<UnfinishedRun>`
    select id, status, settings_hash, checkpoint::text as checkpoint,
      checkpoint_description, poll_range_start, poll_range_end
    from index_attempt where cc_pair_id = ${pair.id} order by id desc limit 1`.execute(trx);
  const [last] = rows;
  if (!last || last.checkpoint === null || last.settings_hash !== hash) return null;
  const endedEarly = last.status === 'failed' || last.status === 'canceled';
  return endedEarly && pair.failed_runs <= RESUMES_OF_FAILED_RUNS ? last : null;
}

/**
 * For kinds that cannot fetch single documents again: where the earliest failure's window began, null for the very
 * beginning, undefined when there is none.
 */
async function failedSince(
  trx: DatabaseTransaction,
  pair: PairRow,
): Promise<Date | null | undefined> {
  if (findConnector(pair.source)?.fetchAgain) return undefined;
  const { rows } = await sql<{ failures: number; from_start: boolean; since: Date | null }>`
    select count(*)::int as failures, bool_or(failed_from is null) as from_start,
      min(failed_from) as since
    from index_attempt_error where cc_pair_id = ${pair.id} and not is_resolved
      and stage = 'fetch' and tries < ${MAX_WINDOW_TRIES}`.execute(trx);
  const [found] = rows;
  if (!found || found.failures === 0) return undefined;
  return found.from_start ? null : found.since;
}
