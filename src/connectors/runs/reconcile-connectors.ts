import { type RawBuilder, sql } from 'kysely';
import { connectorDelete } from '#queues/connector-delete.ts';
import { connectorPrune } from '#queues/connector-prune.ts';
import { connectorSync } from '#queues/connector-sync.ts';
import type { pairPayload } from '#queues/pair-payload.ts';
import type { QueueDefinition } from '#queues/queue.ts';
import type { z } from 'zod';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import { LINK } from '#src/documents/shown-columns.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { mayFindPlace } from './prune-turns.ts';

/** If a job was sent longer ago than this and is no longer waiting in the queue, it is lost. */
const STALE_MS = 20_000;
/** A job that waits behind a backlog is not lost: its rows are as old as the head of the queue. */
const BACKLOG_MARGIN_MS = 30_000;
/** If a run is due for this long without starting, its delayed job is lost. */
const LATE_MS = 2_000;
const MAX_PAIRS_PER_RUN = 1_000;

type ReconcileServices = Pick<ConnectorServices, 'config' | 'db' | 'producer' | 'clock'>;
interface LostPair {
  id: CcPairId;
  workspace_id: WorkspaceId;
}
type PairQueue = QueueDefinition<z.output<typeof pairPayload>>;

/**
 * Sends lost jobs of runs, prunes and deletions again: even if the queue has lost everything, the rows are still
 * there. An extra job is harmless, since it only says "look at this pair".
 * @returns how many were sent again or started late, by queue
 */
export async function reconcileConnectors(
  services: ReconcileServices,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const sent: Record<string, number> = {};
  const work: [PairQueue, (before: Date) => RawBuilder<LostPair>][] = [
    [connectorSync, (before) => openRuns(before, services.clock())],
    [connectorSync, (before) => dueRuns(before, services.clock())],
    [connectorPrune, (before) => openPrunes(services, before)],
    [connectorPrune, (before) => duePrunes(before, services.clock())],
    [connectorDelete, deletions],
  ];
  for (const [queue, lost] of work) {
    signal.throwIfAborted();
    const oldest = await services.producer.oldestWaitingAgeMs(queue);
    const staleMs = oldest === null ? STALE_MS : Math.max(STALE_MS, oldest + BACKLOG_MARGIN_MS);
    const lostPairs = await sendLost(services, queue, lost(new Date(Date.now() - staleMs)));
    sent[queue.name] = (sent[queue.name] ?? 0) + lostPairs;
  }
  await recordIndexFailures(services);
  return sent;
}

/**
 * For a process that starts and knows that no other runs: every claim belongs to a dead worker. Each counts as an
 * outage, because the run may be what killed the worker.
 */
export async function recoverConnectors(services: ReconcileServices): Promise<void> {
  const { db, clock } = services;
  await db
    .updateTable('index_attempt')
    .set((eb) => ({
      outages: eb('outages', '+', 1),
      resumptions: eb('resumptions', '+', 1),
      claimed_until: null,
      claim_token: null,
    }))
    .where('status', '=', 'in_progress')
    .where('claimed_until', 'is not', null)
    .execute();
  await db
    .updateTable('prune_attempt')
    .set((eb) => ({ outages: eb('outages', '+', 1), claimed_until: null, claim_token: null }))
    .where('status', '=', 'in_progress')
    .where('claimed_until', 'is not', null)
    .execute();
  const always = new Date(Date.now() + 1_000);
  await sendLost(services, connectorSync, openRuns(always, clock()));
  await sendLost(services, connectorSync, dueRuns(always, clock()));
  await sendLost(services, connectorPrune, openPrunes(services, always));
  await sendLost(services, connectorDelete, deletions(always));
}

async function sendLost(
  { db, producer }: ReconcileServices,
  queue: PairQueue,
  lost: RawBuilder<LostPair>,
): Promise<number> {
  const { rows } = await lost.execute(db);
  for (const [priority, pairs] of roundRobinByWorkspace(rows)) {
    await producer.enqueueMany(
      queue,
      pairs.map(({ id }) => ({ ccPairId: id })),
      { priority },
    );
  }
  return rows.length;
}

/** The first job of each workspace, then the second of each: a job sent again does not overtake other workspaces. */
function roundRobinByWorkspace(lost: readonly LostPair[]): Map<number, LostPair[]> {
  const sent = new Map<WorkspaceId, number>();
  const turns = new Map<number, LostPair[]>();
  for (const pair of lost) {
    const turn = (sent.get(pair.workspace_id) ?? 0) + 1;
    sent.set(pair.workspace_id, turn);
    turns.set(turn, [...(turns.get(turn) ?? []), pair]);
  }
  return turns;
}

function openRuns(before: Date, now: Date): RawBuilder<LostPair> {
  return sql`
    update index_attempt set queued_at = now() where id in (
      select id from index_attempt where status in ('not_started', 'in_progress')
        and (claimed_until is null and queued_at < ${before}
          or claimed_until < now() and queued_at < ${abandonedBefore()})
        and (next_attempt_at is null or next_attempt_at < ${now})
      order by queued_at limit ${MAX_PAIRS_PER_RUN} for update skip locked)
    returning cc_pair_id as id, workspace_id`;
}

/** A run whose worker died is not waiting behind the backlog. */
function abandonedBefore(): RawBuilder<unknown> {
  return sql`now() - make_interval(secs => ${STALE_MS / 1_000})`;
}

function dueRuns(before: Date, now: Date): RawBuilder<LostPair> {
  return sql`
    update cc_pair set queued_at = now() where id in (
      select p.id from cc_pair p where p.next_run_at < ${new Date(now.getTime() - LATE_MS)}
        and p.queued_at < ${before} and p.status in ('SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE')
        and not exists (select 1 from index_attempt a where a.cc_pair_id = p.id
          and a.status in ('not_started', 'in_progress'))
      order by p.next_run_at limit ${MAX_PAIRS_PER_RUN} for update of p skip locked)
    returning id, workspace_id`;
}

function openPrunes({ config, clock }: ReconcileServices, before: Date): RawBuilder<LostPair> {
  return sql`
    update prune_attempt set queued_at = now() where id in (
      select id from prune_attempt where status in ('not_started', 'in_progress')
        and queued_at < ${before} and (claimed_until is null or claimed_until < now())
        and (next_attempt_at is null or next_attempt_at < ${clock()}) and ${mayFindPlace(config)}
      order by queued_at limit ${MAX_PAIRS_PER_RUN} for update skip locked)
    returning cc_pair_id as id, workspace_id`;
}

/** Due prunes have no job before their first attempt: this starts them, too. */
function duePrunes(before: Date, now: Date): RawBuilder<LostPair> {
  return sql`
    update cc_pair set queued_at = now() where id in (
      select p.id from cc_pair p where p.next_prune_at < ${now} and p.queued_at < ${before}
        and p.status <> 'DELETING'
        and not exists (select 1 from prune_attempt a where a.cc_pair_id = p.id
          and a.status in ('not_started', 'in_progress'))
      order by p.next_prune_at limit ${MAX_PAIRS_PER_RUN} for update of p skip locked)
    returning id, workspace_id`;
}

function deletions(before: Date): RawBuilder<LostPair> {
  return sql`
    update cc_pair set queued_at = now() where id in (
      select id from cc_pair where status = 'DELETING' and queued_at < ${before}
      order by queued_at limit ${MAX_PAIRS_PER_RUN} for update skip locked)
    returning id, workspace_id`;
}

/**
 * When a document was accepted by a run and could not be indexed, that run gets a failure, however late: the document
 * moves from accepted (or unchanged, if another pair's run brought it) to failed, and a success becomes one with
 * errors. When the document is indexed after all, the failure is resolved.
 */
async function recordIndexFailures({ db }: ReconcileServices): Promise<void> {
  await sql`
    with failed as (
      select l.cc_pair_id, d.workspace_id, d.external_id, d.error,
        ${LINK} as link,
        coalesce((select max(a.id) from index_attempt a
            where a.cc_pair_id = l.cc_pair_id and a.created_at <= d.accepted_at),
          (select max(a.id) from index_attempt a where a.cc_pair_id = l.cc_pair_id)) as attempt_id
      from ${LINKED_DOCUMENTS}
      where d.status = 'failed' and l.seen_at is not null
        and not exists (select 1 from index_attempt_error e where e.cc_pair_id = l.cc_pair_id
          and e.document_id = d.external_id and not e.is_resolved and e.stage = 'index')
      limit ${MAX_PAIRS_PER_RUN}
    ), recorded as (
      insert into index_attempt_error (workspace_id, cc_pair_id, index_attempt_id, stage,
        document_id, document_link, message)
      select workspace_id, cc_pair_id, attempt_id, 'index', external_id, link,
        coalesce(error, 'The document could not be indexed.')
      from failed where attempt_id is not null
      returning index_attempt_id
    ), counted as (
      select index_attempt_id as id, count(*)::int as n from recorded group by 1
    )
    update index_attempt a set failed = a.failed + least(c.n, a.accepted + a.unchanged),
      accepted = a.accepted - least(c.n, a.accepted),
      unchanged = a.unchanged - least(c.n - least(c.n, a.accepted), a.unchanged),
      status = case when a.status = 'success' then 'completed_with_errors' else a.status end
    from counted c where a.id = c.id`.execute(db);
  await sql`
    update index_attempt_error e set is_resolved = true, resolved_at = now()
    where e.stage = 'index' and not e.is_resolved and not exists (
      select 1 from ${LINKED_DOCUMENTS}
      where d.workspace_id = e.workspace_id and d.external_id = e.document_id
        and l.cc_pair_id = e.cc_pair_id and d.status in ('failed', 'accepted', 'indexing'))`.execute(
    db,
  );
}
