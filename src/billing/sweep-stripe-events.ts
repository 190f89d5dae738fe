import { sql } from 'kysely';
import type { Services } from '#src/services.ts';

const BATCH = 1_000;

/** Forgets events of Stripe that are past retention: Stripe sends none again after so long. @returns how many */
export async function sweepStripeEvents(
  { db, config }: Pick<Services, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  for (let swept = 0; ;) {
    signal.throwIfAborted();
    const { rows } = await sql`
      delete from stripe_event where id in (
        select id from stripe_event
        where processed_at < now() - make_interval(days => ${config.WEBHOOK_RETENTION_DAYS})
        order by processed_at limit ${BATCH})
      returning id`.execute(db);
    swept += rows.length;
    if (rows.length < BATCH) return swept;
  }
}
