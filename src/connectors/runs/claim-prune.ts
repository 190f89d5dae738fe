import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { CcPairId, PruneAttemptId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { PruneAttemptStatus } from '#src/tables/connectors.ts';
import { LEASE_SECONDS } from './claim-run.ts';
import { nextDue } from './next-run.ts';
import { lockPair, type PairRow, readPair } from './open-pair.ts';
import { hasPlace } from './prune-turns.ts';
import { findOpenPrune, openPrune } from './request-prune.ts';

export interface ClaimedPrune {
  id: PruneAttemptId;
  token: string;
  pair: PairRow;
  /** Documents seen after this stay, whatever the listing says. */
  startedAt: Date;
  confirmed_gone: number | null;
  outages: number;
}

/**
 * Claims the pair's open prune, or opens the one that is due: only for active pairs that had a successful run.
 * @returns null when there is nothing to do, another worker holds it, or its workspace has no place for another prune:
 * it then stays open, and the end of one of them sends it
 */
export async function claimPrune(
  { config, db, clock }: Pick<ConnectorServices, 'config' | 'db' | 'clock'>,
  ccPairId: CcPairId,
): Promise<ClaimedPrune | null> {
  return db.transaction().execute(async (trx) => {
    const pair = await readPair(trx, ccPairId, 'lock');
    if (!pair || pair.status === 'DELETING') return null;
    const now = clock();
    const found = await findOpenPrune(trx, pair);
    if (found !== null) return claim(trx, config, { pair, id: found, now });
    const due = await scheduleNext(trx, pair, now);
    if (due?.status !== 'ACTIVE' || due.last_success_at === null) return null;
    return claim(trx, config, { pair: due, id: await openPrune(trx, due, null), now });
  });
}

/** Says when the next prune is due. Null when none is due yet. */
async function scheduleNext(
  trx: DatabaseTransaction,
  pair: PairRow,
  now: Date,
): Promise<PairRow | null> {
  if (pair.next_prune_at === null || pair.next_prune_at > now) return null;
  const next = nextDue(pair.next_prune_at, pair.prune_freq, now);
  await trx.updateTable('cc_pair').set({ next_prune_at: next }).where('id', '=', pair.id).execute();
  return { ...pair, next_prune_at: next };
}

async function claim(
  trx: DatabaseTransaction,
  config: ConnectorServices['config'],
  { pair, id, now }: { pair: PairRow; id: PruneAttemptId; now: Date },
): Promise<ClaimedPrune | null> {
  if (!(await hasPlace(trx, config, pair.workspace_id))) return null;
  const token = randomUUID();
  const { rows } = await sql<Pick<ClaimedPrune, 'id' | 'confirmed_gone' | 'outages'>>`
    update prune_attempt set status = 'in_progress', claim_token = ${token},
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}), started_at = ${now},
      next_attempt_at = null,
      outages = outages + case when claimed_until is null then 0 else 1 end
    where id = ${id} and (claimed_until is null or claimed_until < now())
      and (next_attempt_at is null or next_attempt_at <= ${new Date(now.getTime() + 1_000)})
    returning id, confirmed_gone, outages`.execute(trx);
  const [prune] = rows;
  return prune ? { ...prune, token, pair, startedAt: now } : null;
}

/**
 * @returns false when it was canceled or another worker holds it
 */
export async function renewPrune(db: Database, prune: ClaimedPrune): Promise<boolean> {
  const { rows } = await sql`
    update prune_attempt set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${prune.id} and claim_token = ${prune.token} and status = 'in_progress'
    returning id`.execute(db);
  return rows.length === 1;
}

/** The next worker lists the source from the start. */
export async function releasePrune(
  db: Database,
  prune: ClaimedPrune,
  wait: { at: Date; reason: string } | null,
): Promise<void> {
  await sql`
    update prune_attempt set claim_token = null, claimed_until = null, queued_at = now(),
      next_attempt_at = ${wait?.at ?? null}, error = ${wait ? cleanText(wait.reason) : null},
      outages = outages + ${wait ? 1 : 0}
    where id = ${prune.id} and claim_token = ${prune.token}`.execute(db);
}

/** Closes the prune and deletes the listing. */
export async function endPrune(
  db: Database,
  prune: ClaimedPrune,
  status: Exclude<PruneAttemptStatus, 'not_started' | 'in_progress'>,
  error: string | null,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockPair(trx, prune.pair.id);
    const { rows } = await sql`
      update prune_attempt set status = ${status}, error = ${error && cleanText(error)}, finished_at = ${now},
        claim_token = null, claimed_until = null, next_attempt_at = null
      where id = ${prune.id} and claim_token = ${prune.token} and status = 'in_progress'
      returning id`.execute(trx);
    if (rows.length === 0) return;
    await trx.deleteFrom('prune_listing').where('prune_attempt_id', '=', prune.id).execute();
    if (status !== 'success') return;
    await sql`delete from connector_memory m where m.cc_pair_id = ${prune.pair.id}
      and m.document_id is not null and not exists (select 1 from ${LINKED_DOCUMENTS}
        where l.cc_pair_id = m.cc_pair_id and d.workspace_id = ${prune.pair.workspace_id}
          and d.external_id = m.document_id)`.execute(trx);
    await trx
      .updateTable('cc_pair')
      .set({ last_pruned_at: now })
      .where('id', '=', prune.pair.id)
      .execute();
  });
}
