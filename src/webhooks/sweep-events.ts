import { sql } from 'kysely';
import type { Services } from '#src/services.ts';

const BATCH = 1_000;

/** Deletes events past retention with their deliveries and attempts; what still waits to be delivered stays. */
export async function sweepEvents(
  { db, config }: Pick<Services, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  for (let swept = 0; ;) {
    signal.throwIfAborted();
    const { rows } = await sql`
      delete from webhook_event where id in (
        select e.id from webhook_event e
        where e.created_at < now() - make_interval(days => ${config.WEBHOOK_RETENTION_DAYS})
          and not exists (select 1 from webhook_delivery d where d.webhook_event_id = e.id
            and (d.status in ('pending', 'delivering', 'waiting')
              or d.finished_at > now() - interval '1 day'))
        order by e.created_at limit ${BATCH})
      returning id`.execute(db);
    swept += rows.length;
    if (rows.length < BATCH) return swept;
  }
}
