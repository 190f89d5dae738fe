import { sql } from 'kysely';
import type { IndexAttemptId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { IndexAttemptStatus } from '#src/tables/connectors.ts';
import { nextDue, pollStart } from './next-run.ts';
import { hashSettings, type PairRow } from './open-pair.ts';
import { findConnector } from '#src/connectors/kinds/registry.ts';

/** The delayed job of a run may arrive slightly early. */
const EARLY_MS = 500;
/** After this many failures in a row the checkpoint itself is suspect: the next run starts without it. */
const RESUMES_OF_FAILED_RUNS = 2;
/** Finished runs kept per pair for inspection. */
const KEPT_RUNS = 1_000;
/** After a failure has survived this many runs, runs look back to it only now and then, eventually once a day. */
const MAX_WINDOW_TRIES = 5;
const LONGEST_PAUSE_MINUTES = 1_440;

/** Pairs in these states run when they are due. */
export const RUNNABLE = ['SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE'] as const;

export function isRunnable({ status }: Pick<PairRow, 'status'>): boolean {
  return RUNNABLE.some((runnable) => runnable === status);
}

export function isRunDue({ next_run_at }: Pick<PairRow, 'next_run_at'>, now: Date): boolean {
  return next_run_at !== null && next_run_at.getTime() <= now.getTime() + EARLY_MS;
}

/** The run that has not ended yet; null when there is none. */
export async function findOpenRun(
  trx: DatabaseTransaction,
  { id }: Pick<PairRow, 'id'>,
): Promise<IndexAttemptId | null> {
  const open = await trx
    .selectFrom('index_attempt')
    .select('id')
    .where('cc_pair_id', '=', id)
    .where('status', 'in', ['not_started', 'in_progress'])
    .executeTakeFirst();
  return open?.id ?? null;
}

/**
 * Begins a run: creates its row, with the window to poll, and sets the time of the next run. The caller holds the
 * pair's lock and has checked that no run is open.
 */
export async function openRun(
  trx: DatabaseTransaction,
  pair: PairRow,
  { now, fromBeginning }: { now: Date; fromBeginning: boolean },
): Promise<IndexAttemptId> {
  const hash = hashSettings(pair.settings);
  const last = await findLastRun(trx, pair);
  const unfinished = last && !fromBeginning && isResumable(last, pair, hash) ? last : null;
  const known = [pair.settings_hash, last?.settings_hash].filter((one) => typeof one === 'string');
  const isOwed =
    (last !== null && mustRestartFromBeginning(last)) || known.some((one) => one !== hash);
  const afresh = fromBeginning || (unfinished === null && isOwed);
  if (afresh) {
    await sql`delete from connector_memory
      where cc_pair_id = ${pair.id} and not lasting`.execute(trx);
  }
  const start = unfinished
    ? unfinished.poll_range_start
    : pollStart({
        fromBeginning: afresh,
        syncedUntil: pair.synced_until,
        indexingStart: pair.indexing_start,
        failedSince: await failedSince(trx, pair, now),
      });
  const { rows } = await sql<{ id: IndexAttemptId }>`
    insert into index_attempt (workspace_id, cc_pair_id, status, from_beginning, poll_range_start,
      poll_range_end, settings_hash, checkpoint, checkpoint_description, resumed_from)
    values (${pair.workspace_id}, ${pair.id}, 'not_started',
      ${unfinished?.from_beginning ?? afresh}, ${start},
      ${unfinished?.poll_range_end ?? now}, ${hash}, ${unfinished?.checkpoint ?? null}::json,
      ${unfinished?.checkpoint_description ?? null}, ${unfinished?.id ?? null})
    returning id`.execute(trx);
  if (pair.next_run_at === null || pair.next_run_at <= new Date(now.getTime() + EARLY_MS)) {
    const next = nextDue(pair.next_run_at, pair.refresh_freq, new Date(now.getTime() + EARLY_MS));
    await trx.updateTable('cc_pair').set({ next_run_at: next }).where('id', '=', pair.id).execute();
  }
  await forgetOldRuns(trx, pair);
  const [row] = rows;
  if (!row) throw new Error('An insert into index_attempt returned no row.');
  return row.id;
}

/** Runs with open failures stay, however old. */
async function forgetOldRuns(trx: DatabaseTransaction, { id }: PairRow): Promise<void> {
  await sql`
    delete from index_attempt a where a.cc_pair_id = ${id}
      and a.id < (select id from index_attempt where cc_pair_id = ${id}
        order by id desc offset ${KEPT_RUNS} limit 1)
      and not exists (select 1 from index_attempt_error e
        where e.index_attempt_id = a.id and not e.is_resolved)`.execute(trx);
}

interface LastRun {
  id: IndexAttemptId;
  from_beginning: boolean;
  status: IndexAttemptStatus;
  settings_hash: string;
  checkpoint: string | null;
  checkpoint_description: string | null;
  poll_range_start: Date | null;
  poll_range_end: Date;
}

async function findLastRun(trx: DatabaseTransaction, pair: PairRow): Promise<LastRun | null> {
  const { rows } = await sql<LastRun>`
    select id, status, from_beginning, settings_hash, checkpoint::text as checkpoint,
      checkpoint_description, poll_range_start, poll_range_end
    from index_attempt where cc_pair_id = ${pair.id} order by id desc limit 1`.execute(trx);
  return rows[0] ?? null;
}

/** The run ended early, with a usable checkpoint. */
function isResumable(last: LastRun, pair: PairRow, hash: string): boolean {
  if (last.checkpoint === null || last.settings_hash !== hash) return false;
  return endedEarly(last) && pair.failed_runs <= RESUMES_OF_FAILED_RUNS;
}

/**
 * The run was meant to read everything but did not. If the next run cannot resume it, it starts from the beginning,
 * too.
 */
function mustRestartFromBeginning(last: LastRun): boolean {
  return last.from_beginning && endedEarly(last);
}

function endedEarly({ status }: LastRun): boolean {
  return status === 'failed' || status === 'canceled';
}

/**
 * Start of the earliest window with failures that only polling it again can fix: null for the very beginning,
 * undefined when there is none. For kinds that refetch single documents, failed documents do not count.
 */
async function failedSince(
  trx: DatabaseTransaction,
  pair: PairRow,
  now: Date,
): Promise<Date | null | undefined> {
  const refetchesSingly = findConnector(pair.source)?.fetchAgain !== undefined;
  const { rows } = await sql<{ failures: number; from_start: boolean; since: Date | null }>`
    select count(*)::int as failures, bool_or(e.failed_from is null) as from_start,
      min(e.failed_from) as since
    from index_attempt_error e join index_attempt a on a.id = e.index_attempt_id
    where e.cc_pair_id = ${pair.id} and not e.is_resolved and e.stage = 'fetch'
      and (${!refetchesSingly} or e.document_id is null)
      and (e.tries < ${MAX_WINDOW_TRIES} or a.created_at < ${now}::timestamptz - make_interval(
        mins => least(${LONGEST_PAUSE_MINUTES}, 2 ^ least(e.tries, 20))::int))`.execute(trx);
  const [found] = rows;
  if (!found || found.failures === 0) return undefined;
  return found.from_start ? null : found.since;
}
