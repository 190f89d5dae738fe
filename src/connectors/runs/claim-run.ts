import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import type { CcPairId, IndexAttemptId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { findOpenRun, isRunDue, isRunnable, openRun } from './open-run.ts';
import { hashSettings, type PairRow, readPair } from './open-pair.ts';

/** A claim that is not renewed for this long is considered a dead worker's. */
export const LEASE_SECONDS = 20;

/** 1 when the previous worker did not release the claim. */
const LOST_WORKER = sql.raw(`case when claimed_until is null then 0 else 1 end`);

/** A run that only this worker holds. */
export interface ClaimedRun {
  id: IndexAttemptId;
  token: string;
  pair: PairRow;
  from_beginning: boolean;
  poll_range_start: Date | null;
  poll_range_end: Date;
  checkpoint: unknown;
  /** Of the settings that it polls with. */
  /** Set when the run started where an earlier run had ended early. */
  resumed_from: IndexAttemptId | null;
  /** How often in a row, with no page in between, the source was down or the worker died. */
  outages: number;
}

/**
 * Claims the pair's open run, or opens the one that is due. Two workers never hold the same run.
 * @returns null when there is nothing to do: not due, paused, waiting for its source, or held by another worker
 */
export async function claimRun(
  { db, clock }: Pick<ConnectorServices, 'db' | 'clock'>,
  ccPairId: CcPairId,
): Promise<ClaimedRun | null> {
  return db.transaction().execute(async (trx) => {
    const pair = await readPair(trx, ccPairId, 'lock');
    if (!pair || !isRunnable(pair)) return null;
    const now = clock();
    const open = await findOpenRun(trx, pair);
    if (open === null && !isRunDue(pair, now)) return null;
    if (open === null) {
      return claim(trx, pair, await openRun(trx, pair, { now, fromBeginning: false }), now);
    }
    if (await endOutdated(trx, pair, open)) {
      return claim(trx, pair, await openRun(trx, pair, { now, fromBeginning: true }), now);
    }
    return claim(trx, pair, open, now);
  });
}

/** A checkpoint is invalid under other settings: what lies before it was read without them. */
async function endOutdated(
  trx: DatabaseTransaction,
  { settings }: PairRow,
  id: IndexAttemptId,
): Promise<boolean> {
  const { rows } = await sql`
    update index_attempt set status = 'canceled', finished_at = now(), updated_at = now(),
      error = 'Canceled: the settings were changed. A run from the beginning takes its place.',
      claim_token = null, claimed_until = null, next_attempt_at = null, waiting_for = null
    where id = ${id} and settings_hash <> ${hashSettings(settings)}
      and (claimed_until is null or claimed_until < now())
    returning id`.execute(trx);
  return rows.length === 1;
}

async function claim(
  trx: DatabaseTransaction,
  pair: PairRow,
  id: IndexAttemptId,
  now: Date,
): Promise<ClaimedRun | null> {
  const token = randomUUID();
  const { rows } = await sql<Omit<ClaimedRun, 'pair' | 'token'>>`
    update index_attempt set status = 'in_progress', claim_token = ${token},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      started_at = coalesce(started_at, ${now}), updated_at = ${now},
      next_attempt_at = null,
      resumptions = resumptions + ${LOST_WORKER}, outages = outages + ${LOST_WORKER}
    where id = ${id} and (claimed_until is null or claimed_until < now())
      and (next_attempt_at is null or next_attempt_at <= ${soon(now)})
    returning id, from_beginning, poll_range_start, poll_range_end, checkpoint,
      resumed_from, outages`.execute(trx);
  const [run] = rows;
  if (!run) return null;
  if (pair.status === 'SCHEDULED') {
    await trx
      .updateTable('cc_pair')
      .set({ status: 'INITIAL_INDEXING' })
      .where('id', '=', pair.id)
      .execute();
  }
  return { ...run, token, pair };
}

/** A delayed job may arrive slightly early. */
function soon(now: Date): Date {
  return new Date(now.getTime() + 1_000);
}

/**
 * @returns false when the run was canceled or another worker holds it
 */
export async function renewRun(
  db: Database,
  { id, token }: Pick<ClaimedRun, 'id' | 'token'>,
): Promise<boolean> {
  const { rows } = await sql`
    update index_attempt set updated_at = now(),
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and claim_token = ${token} and status = 'in_progress' returning id`.execute(
    db,
  );
  return rows.length === 1;
}

/**
 * Lets another worker continue from the checkpoint, at once or at `at`. The reason for the wait stays through every
 * retry, until a page comes (`save-page.ts`) or the run ends.
 */
export async function releaseRun(
  db: Database,
  { id, token }: Pick<ClaimedRun, 'id' | 'token'>,
  wait: { at: Date; reason: string; isOutage: boolean } | null = null,
): Promise<void> {
  await sql`
    update index_attempt set claim_token = null, claimed_until = null, queued_at = now(),
      next_attempt_at = ${wait?.at ?? null}, waiting_for = ${wait ? cleanText(wait.reason) : sql`waiting_for`},
      outages = outages + ${wait?.isOutage ? 1 : 0}
    where id = ${id} and claim_token = ${token} and status = 'in_progress'`.execute(db);
}
