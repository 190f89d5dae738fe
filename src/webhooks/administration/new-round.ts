import { type RawBuilder, sql } from 'kysely';

/** Column changes that send a delivery again: the schedule of attempts restarts. */
export function newRound(nextAttemptAt: RawBuilder<Date> = sql<Date>`now()`): RawBuilder<unknown> {
  return sql`status = 'pending', round = round + 1, round_attempts = 0, own_outages = 0,
    next_attempt_at = ${nextAttemptAt}, claim_token = null, finished_at = null, error = null`;
}
