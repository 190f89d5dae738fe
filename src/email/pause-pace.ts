import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { LimitPeriod } from './limit-period.ts';
import { decideTurn, pauseMs } from './send-pace.ts';
import { lockPace, moveLine, moveNext, type TakenTurn } from './take-turn.ts';

/**
 * Pauses sending after the server reported a reached limit. Further refusals of messages that were sent at the same
 * time count as one pause. Turns granted before become void.
 * @returns when to retry the refused message, and whether it has a turn then
 */
export async function pausePace(
  db: Database,
  { paceKey, limit, strikes }: TakenTurn,
  period: LimitPeriod,
): Promise<{ delayMs: number; hasTurn: boolean }> {
  return db.transaction().execute(async (trx) => {
    const before = await lockPace(trx, paceKey, limit);
    const isNew = before.strikes === strikes;
    const nextSendMs = Math.max(before.nextSendMs, pauseMs(period, strikes));
    const pace = {
      ...before,
      nextSendMs,
      lineEndMs: isNew ? nextSendMs : before.lineEndMs,
      strikes: isNew ? strikes + 1 : before.strikes,
    };
    await moveNext(trx, paceKey, nextSendMs);
    if (isNew) {
      await sql`update smtp_pace set strikes = ${pace.strikes}
        where pace_key = ${paceKey}`.execute(trx);
    }
    const turn = decideTurn(pace, limit, false);
    if (turn.kind === 'now') return { delayMs: nextSendMs, hasTurn: false };
    await moveLine(trx, paceKey, turn.lineEndMs ?? pace.lineEndMs);
    return { delayMs: turn.delayMs, hasTurn: turn.lineEndMs !== null };
  });
}

/** Ends the series of pauses after the server accepted a message. */
export async function clearStrikes(db: Database, { paceKey, strikes }: TakenTurn): Promise<void> {
  if (strikes === 0) return;
  await sql`update smtp_pace set strikes = 0
    where pace_key = ${paceKey} and strikes = ${strikes}`.execute(db);
}
