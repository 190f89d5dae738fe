import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { UserId } from '#src/ids.ts';
import { type Operator, recordAction } from './audit.ts';

/** The author, time and reason of a pause. */
export interface Pause {
  queue: string;
  userId: UserId | null;
  userName: string;
  reason: string | null;
  pausedAt: Date;
}

/** The paused queues. */
export async function listPauses(db: Database | DatabaseTransaction): Promise<Pause[]> {
  return db
    .selectFrom('queue_pause')
    .select([
      'queue',
      'user_id as userId',
      'user_name as userName',
      'reason',
      'paused_at as pausedAt',
    ])
    .orderBy('queue')
    .execute();
}

/** Pauses a queue, unless it is paused already. Workers follow within seconds; active jobs continue. */
export async function pauseQueue(
  db: Database,
  operator: Operator,
  { queue, reason }: { queue: string; reason: string | null },
): Promise<Pause> {
  return db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows: inserted } = await trx
      .insertInto('queue_pause')
      .values({ queue, reason, user_id: operator.userId, user_name: operator.name })
      .onConflict((conflict) => conflict.column('queue').doNothing())
      .executeTakeFirst();
    if (inserted === 1n)
      await recordAction(trx, operator, { action: 'queue.pause', queue, detail: { reason } });
    const pause = (await listPauses(trx)).find((one) => one.queue === queue);
    if (!pause) throw new Error(`The pause of ${queue} is not in its table.`);
    return pause;
  });
}

/** Resumes a queue; does nothing when it is not paused. */
export async function resumeQueue(db: Database, operator: Operator, queue: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const ended = await trx
      .deleteFrom('queue_pause')
      .where('queue', '=', queue)
      .returning(['user_name', 'paused_at'])
      .executeTakeFirst();
    if (!ended) return;
    const detail = { paused_by: ended.user_name, paused_at: ended.paused_at.toISOString() };
    await recordAction(trx, operator, { action: 'queue.resume', queue, detail });
  });
}
