import { sql } from 'kysely';
import { inBatches } from '#src/platform/in-batches.ts';
import type { EmailServices } from './email-services.ts';

const BATCH = 1_000;

/**
 * Deletes messages that finished longer ago than the retention period.
 * @returns how many
 */
export async function sweepMessages(
  { db, config }: Pick<EmailServices, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  await sweepPaces(db);
  return inBatches(BATCH, signal, () =>
    sql`
      delete from email_message where id in (
        select id from email_message
        where finished_at < now() - make_interval(days => ${config.EMAIL_RETENTION_DAYS})
        order by finished_at limit ${BATCH} for update skip locked)
      returning id`.execute(db),
  );
}

/** Deletes rows that no decision depends on any longer; there is one per SMTP user, and one per hour of each. */
async function sweepPaces(db: EmailServices['db']): Promise<void> {
  await sql`delete from smtp_pace_hour where hour < now() - interval '2 days'`.execute(db);
  await sql`delete from smtp_pace where next_send_at < now() - interval '2 days'
    and line_end_at < now() - interval '2 days'`.execute(db);
}
