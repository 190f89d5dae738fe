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
  return inBatches(BATCH, signal, () =>
    sql`
      delete from email_message where id in (
        select id from email_message
        where finished_at < now() - make_interval(days => ${config.EMAIL_RETENTION_DAYS})
        order by finished_at limit ${BATCH} for update skip locked)
      returning id`.execute(db),
  );
}
