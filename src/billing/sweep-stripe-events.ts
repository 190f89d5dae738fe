import { sql } from 'kysely';
import { inBatches } from '#src/platform/in-batches.ts';
import type { BillingServices } from './billing-services.ts';

const BATCH = 1_000;

/**
 * Deletes Stripe events older than the retention period, after which Stripe resends none.
 * @returns how many
 */
export async function sweepStripeEvents(
  { db, config }: Pick<BillingServices, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  return inBatches(BATCH, signal, () =>
    sql`
      delete from stripe_event where id in (
        select id from stripe_event
        where processed_at < now() - make_interval(days => ${config.WEBHOOK_RETENTION_DAYS})
        order by processed_at limit ${BATCH})
      returning id`.execute(db),
  );
}
