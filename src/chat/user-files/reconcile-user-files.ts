import { sql } from 'kysely';
import { userFile } from '#queues/user-file.ts';
import type { UserFileId } from '#src/ids.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { maxOfWorkspace } from './claim-user-file.ts';
import { sendUserFile } from './upload-user-files.ts';

/** A row whose job was sent longer ago than this and is not waiting in the queue has lost it. */
const STALE_MS = 20_000;
/** A job waiting behind a backlog is not lost: its row is only as old as the head of the queue. */
const BACKLOG_MARGIN_MS = 30_000;
const MAX_FILES_PER_RUN = 500;

type ReconcileServices = Pick<ChatServices, 'config' | 'db' | 'log' | 'producer'>;

/**
 * Resends jobs for files whose job or worker was lost. A duplicate job only looks at the row.
 * @returns how many were sent again
 */
export async function reconcileUserFiles(services: ReconcileServices): Promise<number> {
  const oldest = await services.producer.oldestWaitingAgeMs(userFile);
  return sendLost(
    services,
    oldest === null ? STALE_MS : Math.max(STALE_MS, oldest + BACKLOG_MARGIN_MS),
  );
}

/** For the start of a process that knows that it is the only one: every existing claim belongs to a dead worker. */
export async function recoverUserFiles(services: ReconcileServices): Promise<void> {
  await services.db
    .updateTable('user_file')
    .set({ claimed_until: null })
    .where('status', '=', 'PROCESSING')
    .where('claimed_until', 'is not', null)
    .execute();
  await sendLost(services, -1);
}

/** The files of a workspace that is being served are not lost: each file that is done sends the next ones. */
async function sendLost(services: ReconcileServices, staleMs: number): Promise<number> {
  const { rows } = await sql<{ id: UserFileId; place: number }>`
    with served as (
      select workspace_id from user_file where status = 'PROCESSING' and claimed_until > now()
      group by workspace_id having count(*) >= ${maxOfWorkspace(services.config)}),
    lost as materialized (
      select id, workspace_id, queued_at from user_file
      where status = 'PROCESSING' and (claimed_until is null or claimed_until < now())
        and queued_at < now() - make_interval(secs => ${staleMs / 1_000}::float8)
        and workspace_id not in (select workspace_id from served)
      order by queued_at limit ${MAX_FILES_PER_RUN} for update skip locked),
    placed as (
      select id, (row_number() over (partition by workspace_id order by queued_at, id))::int as place
      from lost)
    update user_file f set queued_at = now() from placed where f.id = placed.id
    returning f.id, placed.place`.execute(services.db);
  for (const { id, place } of rows) {
    // Sends with a delay, which means without a job key: a stuck job with the same key must not suppress the new one.
    await sendUserFile(services, id, { requestId: null, place, delayMs: 1 });
  }
  return rows.length;
}
