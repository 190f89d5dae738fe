import { sql } from 'kysely';
import { settleLapsedPlans } from './billing/settle-plan.ts';
import { recoverRuns } from './chat/runs/sweep-runs.ts';
import { reconcileUserFiles, recoverUserFiles } from './chat/user-files/reconcile-user-files.ts';
import { reconcileConnectors, recoverConnectors } from './connectors/reconcile-connectors.ts';
import { takeBackClaims } from './documents/claim-documents.ts';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import type { DocumentId } from './ids.ts';
import { reconcileMessages, recoverMessages } from './email/reconcile-messages.ts';
import { reconcileScrapes, recoverScrapes } from './leads/reconcile-scrapes.ts';
import type { Database } from './platform/database.ts';
import type { Services } from './services.ts';
import { reconcileWebhooks, recoverWebhooks } from './webhooks/reconcile-webhooks.ts';

/** A row whose job was sent longer ago than this, and is not waiting in the queue, has lost it. */
const STALE_MS = 20_000;
/** A job that waits behind a backlog is not lost: its rows are as old as the head of the queue. */
const BACKLOG_MARGIN_MS = 30_000;
const MAX_JOBS_PER_RUN = 400;

type ReconcileServices = Pick<Services, 'clock' | 'config' | 'db' | 'log' | 'producer'>;

/**
 * Sends jobs again for rows that are past due: the queue may have lost everything, the rows have
 * not. Sending one too many is harmless, since a job only says "look at these rows".
 * @returns how many documents were sent again
 */
export async function reconcile(services: ReconcileServices, signal: AbortSignal): Promise<number> {
  const oldest = await services.producer.oldestWaitingAgeMs(documentIndex);
  const waitingMs = oldest === null ? STALE_MS : Math.max(STALE_MS, oldest + BACKLOG_MARGIN_MS);
  const sent = await sendUnfinished(services, signal, waitingMs);
  await reconcileConnectors(services, signal);
  signal.throwIfAborted();
  await reconcileWebhooks(services);
  await reconcileScrapes(services);
  await reconcileMessages(services);
  await reconcileUserFiles(services);
  const { clock, config } = services;
  await settleLapsedPlans(services.db, { now: clock(), graceDays: config.PAYMENT_GRACE_DAYS });
  return sent;
}

/**
 * Sends one job for every unfinished row whose last one was sent at least `lostAfterMs` ago. A row
 * that a worker held when it died is not behind the backlog, so it need not be older than that.
 */
export async function sendUnfinished(
  { db, producer }: Pick<ReconcileServices, 'db' | 'producer'>,
  signal: AbortSignal,
  lostAfterMs: number,
): Promise<number> {
  const startedAt = await databaseTime(db);
  const before = {
    waiting: new Date(startedAt.getTime() - lostAfterMs),
    abandoned: new Date(startedAt.getTime() - Math.min(lostAfterMs, STALE_MS)),
  };
  let sent = 0;
  for (let job = 0; job < MAX_JOBS_PER_RUN; job += 1) {
    signal.throwIfAborted();
    const documentIds = await takeDueDocuments(db, before);
    if (documentIds.length === 0) break;
    await producer.enqueue(documentIndex, { documentIds });
    sent += documentIds.length;
  }
  return sent;
}

/**
 * What one process does when it starts and knows that no other runs: every claim is that of a dead
 * worker, so nothing has to wait for a lease to end. The attempt counts: it may be what killed it.
 */
export async function recoverAfterCrash(services: ReconcileServices): Promise<void> {
  await takeBackClaims(services.db, 'all');
  await sendUnfinished(services, new AbortController().signal, 0);
  await recoverConnectors(services);
  await recoverWebhooks(services);
  await recoverScrapes(services);
  await recoverMessages(services);
  await recoverUserFiles(services);
  await recoverRuns(services);
}

async function databaseTime(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A select without a table gave no row.');
  return row.now;
}

/** The bounds are fixed for a run: what the run itself has sent is newer and is not taken twice. */
async function takeDueDocuments(
  db: Database,
  before: { waiting: Date; abandoned: Date },
): Promise<DocumentId[]> {
  const { rows } = await sql<{ id: DocumentId }>`
    with due as (
      select id from document
      where queued_at < ${before.waiting} and (status = 'deleting'
          or status = 'accepted' and (next_attempt_at is null or next_attempt_at <= now()))
        or queued_at < ${before.abandoned} and status = 'indexing' and claimed_until < now()
      order by queued_at limit ${MAX_DOCUMENTS_PER_JOB} for update skip locked
    )
    update document d set queued_at = now() from due where d.id = due.id returning d.id`.execute(
    db,
  );
  return rows.map((row) => row.id);
}
