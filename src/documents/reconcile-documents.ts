import { sql } from 'kysely';
import { documentIndex, MAX_DOCUMENTS_PER_JOB } from '#queues/document-index.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentServices } from './document-services.ts';

/** A job that was sent longer ago than this, and is not waiting in the queue, is lost. */
const STALE_MS = 20_000;
/** A job that waits behind a backlog is not lost, so rows must be older than the head of the queue by this much. */
const BACKLOG_MARGIN_MS = 30_000;
const MAX_JOBS_PER_RUN = 400;

type SendServices = Pick<DocumentServices, 'db' | 'producer'>;

/**
 * Sends jobs again for overdue documents: the queue may have lost its jobs, but the rows are still there.
 * @returns how many documents were sent again
 */
export async function reconcileDocuments(
  services: SendServices,
  signal: AbortSignal,
): Promise<number> {
  const oldest = await services.producer.oldestWaitingAgeMs(documentIndex);
  const waitingMs = oldest === null ? STALE_MS : Math.max(STALE_MS, oldest + BACKLOG_MARGIN_MS);
  return sendUnfinished(services, signal, waitingMs);
}

/**
 * Sends jobs for all unfinished rows whose last job was sent at least `lostAfterMs` ago. A row that a worker held when
 * it died does not wait behind a backlog, so for it `STALE_MS` is enough.
 */
export async function sendUnfinished(
  { db, producer }: SendServices,
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

async function databaseTime(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A select without a table returned no row.');
  return row.now;
}

/** The bounds are fixed for a run: rows that the run has already sent are newer, and are not taken again. */
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
