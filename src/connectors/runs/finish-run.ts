import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { IndexAttemptStatus } from '#src/tables/connectors.ts';
import type { ToDeliver } from '#src/webhooks/emit-event.ts';
import { announceRun } from './announce-run.ts';
import type { ClaimedRun } from './claim-run.ts';
import { nextDue } from './next-run.ts';
import { lockPair } from './open-pair.ts';

/** A run with more failures than this, and a greater share of them, has failed as a whole. */
const TOLERATED_FAILURES = 3;
const TOLERATED_SHARE = 0.1;

/** The final status of a run that reached the end of its poll. */
export function endStatus(counts: {
  fetched: number;
  failed: number;
}): Extract<IndexAttemptStatus, 'success' | 'completed_with_errors' | 'failed'> {
  const { fetched, failed } = counts;
  if (failed === 0) return 'success';
  const isTooMuch = failed > TOLERATED_FAILURES && failed > fetched * TOLERATED_SHARE;
  return isTooMuch ? 'failed' : 'completed_with_errors';
}

export interface FinishedRun {
  /** When the next run is due; null when none is planned. */
  next: Date | null;
  /** For `sendDeliveries`: the webhook deliveries about the run. */
  toDeliver: ToDeliver;
}

/** The run was canceled or taken over in the meantime: its new owner plans and notifies. */
const NOT_OURS: FinishedRun = { next: null, toDeliver: [] };

/** Ends a run that reached the end of its poll. */
export async function endRun(
  db: Database,
  run: ClaimedRun,
  now: Date,
  refetchesSingly: boolean,
): Promise<FinishedRun> {
  return db.transaction().execute(async (trx) => {
    const next = await planNext(trx, run, now);
    const { rows } = await sql<{ fetched: number; failed: number }>`
      select fetched, failed from index_attempt
      where id = ${run.id} and claim_token = ${run.token} and status = 'in_progress'
      for update`.execute(trx);
    const [counts] = rows;
    if (!counts) return NOT_OURS;
    const status = endStatus(counts);
    const error =
      status === 'failed'
        ? `${counts.failed} of ${counts.fetched} documents failed: more than ${TOLERATED_FAILURES} and more than ${TOLERATED_SHARE * 100} %. See the errors of the pair.`
        : null;
    await closeAttempt(trx, run, status, error, now);
    if (status === 'failed') {
      // A finished run has nothing to resume: the next one reads the whole window again.
      await sql`update index_attempt set checkpoint = null where id = ${run.id}`.execute(trx);
      await countFailure(trx, run, next);
    } else {
      await resolveUnrepeated(trx, run, refetchesSingly);
      await advancePair(trx, run, now, next);
    }
    return { next, toDeliver: await announceRun(trx, run.id) };
  });
}

/** Ends a run that cannot continue. `pause` takes the pair off its schedule until an admin acts. */
export async function failRun(
  db: Database,
  run: ClaimedRun,
  reason: string,
  { pause, now }: { pause: boolean; now: Date },
): Promise<FinishedRun> {
  return db.transaction().execute(async (trx) => {
    const next = await planNext(trx, run, now);
    if (!(await closeAttempt(trx, run, 'failed', reason, now))) return NOT_OURS;
    await countFailure(trx, run, next);
    if (pause) await pausePair(trx, run, reason);
    return { next: pause ? null : next, toDeliver: await announceRun(trx, run.id) };
  });
}

async function pausePair(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  reason: string,
): Promise<void> {
  await trx
    .updateTable('cc_pair')
    .set({ status: 'PAUSED', status_reason: cleanText(reason), next_run_at: null })
    .where('id', '=', pair.id)
    .where('status', '<>', 'DELETING')
    .execute();
}

/**
 * @returns false when the run was canceled or taken over in the meantime
 */
async function closeAttempt(
  trx: DatabaseTransaction,
  { id, token }: ClaimedRun,
  status: IndexAttemptStatus,
  error: string | null,
  now: Date,
): Promise<boolean> {
  const closed = await trx
    .updateTable('index_attempt')
    .set({
      status,
      error: error && cleanText(error),
      finished_at: now,
      updated_at: now,
      claim_token: null,
      claimed_until: null,
      next_attempt_at: null,
      waiting_for: null,
    })
    .where('id', '=', id)
    .where('claim_token', '=', token)
    .where('status', '=', 'in_progress')
    .returning('id')
    .executeTakeFirst();
  return closed !== undefined;
}

/** When the next run is due. Due times that passed during this run are skipped. */
async function planNext(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  now: Date,
): Promise<Date | null> {
  const plan = await lockPair(trx, pair.id);
  const due = plan?.next_run_at ?? null;
  if (due === null || due > now || plan?.refresh_freq === null) return due;
  return nextDue(due, plan?.refresh_freq ?? null, now);
}

async function countFailure(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  next: Date | null,
): Promise<void> {
  await trx
    .updateTable('cc_pair')
    .set((eb) => ({ failed_runs: eb('failed_runs', '+', 1), next_run_at: next }))
    .where('id', '=', pair.id)
    .execute();
}

async function advancePair(
  trx: DatabaseTransaction,
  { id, pair, poll_range_end }: ClaimedRun,
  now: Date,
  next: Date | null,
): Promise<void> {
  await sql`
    update cc_pair set failed_runs = 0, synced_until = ${poll_range_end}, last_success_at = ${now},
      settings_hash = (select settings_hash from index_attempt where id = ${id}), next_run_at = ${next},
      status = case when status in ('SCHEDULED', 'INITIAL_INDEXING') then 'ACTIVE' else status end
    where id = ${pair.id}`.execute(trx);
}

/**
 * Resolves failures of earlier runs that this run did not repeat, because it read everything they concerned. Where
 * failed documents are refetched singly, only the refetch resolves those.
 */
async function resolveUnrepeated(
  trx: DatabaseTransaction,
  { pair, id, poll_range_start, resumed_from }: ClaimedRun,
  refetchesSingly: boolean,
): Promise<void> {
  // A resumed run did not read what lies before the earlier run's checkpoint.
  if (resumed_from !== null) return;
  await sql`update index_attempt_error set is_resolved = true, resolved_at = now()
    where cc_pair_id = ${pair.id} and not is_resolved and stage = 'fetch'
      and index_attempt_id <> ${id}
      and (${poll_range_start}::timestamptz is null or failed_from >= ${poll_range_start})
      and (${!refetchesSingly} or document_id is null)`.execute(trx);
}
