import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { type PacedSender, paceKeyOf, paceLimitOf } from './pace-key.ts';
import type { ProviderLimit } from './provider-limits.ts';
import { dayRoomOf, decideTurn, gapOf, type Pace, type Turn } from './send-pace.ts';

/** A granted turn to send. */
export interface TakenTurn {
  paceKey: string;
  limit: ProviderLimit | null;
  /** The number of pauses before it, to recognize a new refusal. */
  strikes: number;
  /** The hour that counts it; null when the provider has no daily limit. */
  hour: Date | null;
}

/** A turn now, or when and why to ask again. */
export type Place =
  | { kind: 'now'; waitMs: number; taken: TakenTurn }
  | {
      kind: 'later';
      delayMs: number;
      hasTurn: boolean;
      because: (Turn & { kind: 'later' })['because'];
      limit: ProviderLimit | null;
    };

/**
 * Takes the sender's next turn. A turn counts even if the worker dies before sending.
 * @param hasTurn whether the message was granted a turn before
 */
export async function takeTurn(
  db: Database,
  sender: PacedSender,
  { hasTurn }: { hasTurn: boolean },
): Promise<Place> {
  const paceKey = paceKeyOf(sender);
  const limit = paceLimitOf(sender);
  if (limit === null && !(await hasPace(db, paceKey))) {
    return { kind: 'now', waitMs: 0, taken: { paceKey, limit, strikes: 0, hour: null } };
  }
  return db.transaction().execute(async (trx) => {
    const pace = await lockPace(trx, paceKey, limit);
    const turn = decideTurn(pace, limit, hasTurn);
    if (turn.kind === 'later') {
      const { delayMs, lineEndMs, because } = turn;
      if (lineEndMs !== null) await moveLine(trx, paceKey, lineEndMs);
      return { kind: 'later', delayMs, hasTurn: lineEndMs !== null, because, limit };
    }
    await moveNext(trx, paceKey, turn.nextSendMs);
    const hour = dayRoomOf(limit) === null ? null : await countHour(trx, paceKey);
    return {
      kind: 'now',
      waitMs: turn.waitMs,
      taken: { paceKey, limit, strikes: pace.strikes, hour },
    };
  });
}

/** Removes an unsent message from its day's count. The pace is unchanged. */
export async function giveBackTurn(db: Database, taken: TakenTurn | null): Promise<void> {
  if (taken === null || taken.hour === null) return;
  await sql`update smtp_pace_hour set sent = greatest(0, sent - 1)
    where pace_key = ${taken.paceKey} and hour = ${taken.hour}`.execute(db);
}

/**
 * Counts mail sent without a turn: a verification, or mail of the service itself. The server accepted it, so a pause
 * ends.
 * @returns whether there was a pause
 */
export async function countUnpaced(db: Database, sender: PacedSender): Promise<boolean> {
  const paceKey = paceKeyOf(sender);
  const limit = paceLimitOf(sender);
  if (limit === null && !(await hasPace(db, paceKey))) return false;
  return db.transaction().execute(async (trx) => {
    const { strikes, nextSendMs } = await lockPace(trx, paceKey, limit);
    const fromMs = strikes > 0 ? 0 : Math.max(0, nextSendMs);
    await moveNext(trx, paceKey, fromMs + gapOf(limit, 0));
    if (dayRoomOf(limit) !== null) await countHour(trx, paceKey);
    if (strikes > 0) {
      await sql`update smtp_pace set strikes = 0, line_end_at = next_send_at
        where pace_key = ${paceKey}`.execute(trx);
    }
    return strikes > 0;
  });
}

async function hasPace(db: Database, paceKey: string): Promise<boolean> {
  const { rows } = await sql`select 1 from smtp_pace where pace_key = ${paceKey}`.execute(db);
  return rows.length > 0;
}

/** Reads the pace and locks its row. */
export async function lockPace(
  trx: DatabaseTransaction,
  paceKey: string,
  limit: ProviderLimit | null,
): Promise<Pace> {
  const { rows } = await sql<{ nextSendMs: number; lineEndMs: number; strikes: number }>`
    insert into smtp_pace as pace (pace_key, next_send_at, line_end_at)
    values (${paceKey}, clock_timestamp(), clock_timestamp())
    on conflict (pace_key) do update set strikes = pace.strikes
    returning (extract(epoch from next_send_at - clock_timestamp()) * 1000)::float8 as "nextSendMs",
      (extract(epoch from line_end_at - clock_timestamp()) * 1000)::float8 as "lineEndMs",
      strikes`.execute(trx);
  const pace = rows[0] ?? { nextSendMs: 0, lineEndMs: 0, strikes: 0 };
  const day = dayRoomOf(limit) === null ? NOTHING_SENT : await readDay(trx, paceKey);
  return { ...pace, ...day };
}

const NOTHING_SENT = { sentInDay: 0, dayFreesMs: null };

/** Counts whole hours, so a message counts for 24 to 25 hours. */
async function readDay(
  trx: DatabaseTransaction,
  paceKey: string,
): Promise<Pick<Pace, 'sentInDay' | 'dayFreesMs'>> {
  const { rows } = await sql<{ sentInDay: number; dayFreesMs: number | null }>`
    select coalesce(sum(sent), 0)::int as "sentInDay",
      (extract(epoch from min(hour) + interval '25 hours' - clock_timestamp()) * 1000)::float8
        as "dayFreesMs"
    from smtp_pace_hour
    where pace_key = ${paceKey} and hour > now() - interval '25 hours' and hour <= now()
      and sent > 0`.execute(trx);
  return rows[0] ?? NOTHING_SENT;
}

async function countHour(trx: DatabaseTransaction, paceKey: string): Promise<Date | null> {
  const { rows } = await sql<{ hour: Date }>`
    insert into smtp_pace_hour as one (pace_key, hour, sent)
    values (${paceKey}, date_trunc('hour', now(), 'UTC'), 1)
    on conflict (pace_key, hour) do update set sent = one.sent + 1
    returning hour`.execute(trx);
  return rows[0]?.hour ?? null;
}

export async function moveNext(
  trx: DatabaseTransaction,
  paceKey: string,
  nextSendMs: number,
): Promise<void> {
  await sql`update smtp_pace
    set next_send_at = clock_timestamp() + ${nextSendMs}::float8 * interval '1 millisecond'
    where pace_key = ${paceKey}`.execute(trx);
}

export async function moveLine(
  trx: DatabaseTransaction,
  paceKey: string,
  lineEndMs: number,
): Promise<void> {
  await sql`update smtp_pace
    set line_end_at = clock_timestamp() + ${lineEndMs}::float8 * interval '1 millisecond'
    where pace_key = ${paceKey}`.execute(trx);
}
