import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import { dropDocuments } from '#src/documents/drop-documents.ts';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { CcPairId, DocumentId } from '#src/ids.ts';
import { keepLease, LeaseLost } from '#src/platform/keep-lease.ts';
import {
  claimPrune,
  type ClaimedPrune,
  endPrune,
  releasePrune,
  renewPrune,
} from './claim-prune.ts';
import { connectorContext, EngineFault } from '#src/connectors/source/connector-context.ts';
import { openPair } from './open-pair.ts';
import { nextWaitingPrune } from './prune-turns.ts';
import { MAX_OUTAGES, outageDelayMs, requestedDelayMs } from './outage-delay.ts';
import { sendPrune } from './send-jobs.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { isTimeout, type SyncServices } from './sync-connector.ts';

const DOCUMENTS_PER_STEP = 500;
/** No document has a longer id. */
const MAX_ID_BYTES = 2_048;
/** If more than this share of a pair's documents is gone at once, an error is likelier than a clean-up. */
const SUSPICIOUS_SHARE = 0.5;
/** The number that an administrator confirmed may have grown by this factor since. */
const CONFIRMED_GROWTH = 1.1;

/** How a prune ended in this job, for the log. */
interface PruneFacts {
  ccPairId: CcPairId;
  end: 'nothing to do' | 'ended' | 'waiting' | 'failed' | 'canceled';
}

/**
 * Lists the source, and removes the pair's documents that it no longer has. Removes nothing when any part of the
 * listing fails, or when more than half would be removed: that needs an administrator's confirmation. Keeps documents
 * that were pushed into the pair, and those seen since the listing began.
 */
export async function pruneConnector(
  services: SyncServices,
  ccPairId: CcPairId,
  signal: AbortSignal,
): Promise<PruneFacts> {
  const prune = await claimPrune(services, ccPairId);
  if (!prune) return { ccPairId, end: 'nothing to do' };
  try {
    return await pruneClaimed(services, prune, signal);
  } finally {
    await sendNextPrune(services, prune);
  }
}

async function pruneClaimed(
  services: SyncServices,
  prune: ClaimedPrune,
  signal: AbortSignal,
): Promise<PruneFacts> {
  const ccPairId = prune.pair.id;
  let end: PruneFacts['end'] = 'ended';
  using lease = keepLease(() => renewPrune(services.db, prune));
  try {
    await pruneNow(services, prune, AbortSignal.any([signal, lease.signal]));
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) return { ccPairId, end: 'canceled' };
    if (signal.aborted && !isTimeout(signal)) {
      await releasePrune(services.db, prune, null).catch(() => undefined);
      throw error;
    }
    end = await waitOrFail(services, prune, isTimeout(signal) ? timedOut() : error);
    if (error instanceof EngineFault) throw error;
  }
  const next = prune.pair.next_prune_at;
  if (next) await sendPrune(services, ccPairId, next);
  return { ccPairId, end };
}

/** One of its workspace may have found no place. `reconcile` sends it when this fails. */
async function sendNextPrune(services: SyncServices, { pair }: ClaimedPrune): Promise<void> {
  const ended = { workspaceId: pair.workspace_id, ccPairId: pair.id };
  const next = await nextWaitingPrune(services.db, ended, services.clock()).catch(() => null);
  if (next !== null) await sendPrune(services, next);
}

async function pruneNow(
  services: SyncServices,
  prune: ClaimedPrune,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = services;
  await listSource(services, prune, signal);
  const { known, gone } = await compare(services, prune);
  const agreed = (prune.confirmed_gone ?? 0) * CONFIRMED_GROWTH;
  if (gone > known * SUSPICIOUS_SHARE && gone > agreed) {
    const reason = `${gone} of ${known} documents are no longer listed by the source, which is more than half. Nothing was removed. If that is right, confirm: POST /manage/admin/cc-pair/${prune.pair.id}/prune with {"confirm_prune_attempt_id": ${prune.id}}.`;
    await endPrune(db, prune, 'needs_confirmation', reason, clock());
    return;
  }
  while ((await removeSome(services, prune)) > 0) signal.throwIfAborted();
  await endPrune(db, prune, 'success', null, clock());
}

/** Writes to a table, so that memory use does not depend on the size of the source. */
async function listSource(
  services: SyncServices,
  prune: ClaimedPrune,
  signal: AbortSignal,
): Promise<void> {
  const { connector, settings, credential } = openPair(services, prune.pair);
  const context = connectorContext(services, {
    workspaceId: prune.pair.workspace_id,
    connector,
    ccPairId: prune.pair.id,
    signal,
  });
  await services.db.deleteFrom('prune_listing').where('prune_attempt_id', '=', prune.id).execute();
  for await (const ids of connector.listIds(settings, credential, context)) {
    signal.throwIfAborted();
    await sql`insert into prune_listing (prune_attempt_id, document_id)
      select distinct ${prune.id}::int, id from unnest(${ids.map(cleanText)}::text[]) as id
      where octet_length(id) <= ${MAX_ID_BYTES}
      on conflict do nothing`.execute(services.db);
  }
}

async function compare(
  { db }: SyncServices,
  prune: ClaimedPrune,
): Promise<{ known: number; gone: number }> {
  const { rows } = await sql<{ known: number; gone: number }>`
    update prune_attempt a set known = counted.known, gone = counted.gone, listed = counted.listed
    from (select count(*)::int as known,
        count(*) filter (where ${isGone(prune)})::int as gone,
        (select count(*)::int from prune_listing where prune_attempt_id = ${prune.id}) as listed
      from ${LINKED_DOCUMENTS}
      where l.cc_pair_id = ${prune.pair.id} and l.seen_at is not null and d.status <> 'deleting'
    ) counted
    where a.id = ${prune.id} and a.claim_token = ${prune.token} and a.status = 'in_progress'
    returning a.known, a.gone`.execute(db);
  const [row] = rows;
  if (!row) throw new LeaseLost('The prune was canceled or taken over.');
  return row;
}

function isGone({ id, startedAt }: ClaimedPrune) {
  return sql<boolean>`(l.seen_at < ${startedAt} and not exists (select 1 from prune_listing x
    where x.prune_attempt_id = ${id} and x.document_id = d.external_id))`;
}

async function removeSome(
  { db, documentAcceptor }: SyncServices,
  prune: ClaimedPrune,
): Promise<number> {
  const { marked, left } = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId }>`
      select d.id from ${LINKED_DOCUMENTS}
      where l.cc_pair_id = ${prune.pair.id} and l.seen_at is not null and d.status <> 'deleting'
        and ${isGone(prune)}
      order by d.id limit ${DOCUMENTS_PER_STEP}`.execute(trx);
    const dropped = await dropDocuments(
      trx,
      prune.pair.id,
      rows.map(({ id }) => id),
      prune.startedAt,
    );
    const { rows: held } = await sql`
      update prune_attempt set removed = removed + ${dropped.left}
      where id = ${prune.id} and claim_token = ${prune.token} and status = 'in_progress'
      returning id`.execute(trx);
    if (held.length === 0) throw new LeaseLost('The prune was canceled or taken over.');
    return dropped;
  });
  await documentAcceptor.enqueue(marked, null);
  return left;
}

function timedOut(): SourceUnavailable {
  return new SourceUnavailable('The source could not be listed within the time limit of a job.');
}

async function waitOrFail(
  services: SyncServices,
  prune: ClaimedPrune,
  error: unknown,
): Promise<'waiting' | 'failed'> {
  const { db, clock } = services;
  const words = error instanceof Error ? error.message : String(error);
  const mayPass = error instanceof SourceUnavailable || error instanceof EngineFault;
  if (!mayPass || prune.outages >= MAX_OUTAGES) {
    await endPrune(db, prune, 'failed', `Nothing was removed. ${words}`, clock());
    return 'failed';
  }
  const asked = error instanceof SourceUnavailable ? error.retryAfterMs : null;
  const at = new Date(
    clock().getTime() + (requestedDelayMs(asked) ?? outageDelayMs(prune.outages)),
  );
  await releasePrune(db, prune, { at, reason: words });
  await sendPrune(services, prune.pair.id, at);
  return 'waiting';
}
