import { sql } from 'kysely';
import { inBatches } from '#src/platform/in-batches.ts';
import type { Database } from '#src/platform/database.ts';
import type { WebhookServices } from './webhook-services.ts';

/** Small, because an event may have hundreds of attempts with their answers. */
const BATCH = 100;

/** Deletes events past their retention with their deliveries and attempts; undelivered ones stay. */
export async function sweepEvents(
  { db, config }: Pick<WebhookServices, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  const swept = await inBatches(BATCH, signal, () =>
    sql`
      delete from webhook_event where id in (
        select e.id from webhook_event e
        where e.created_at < now() - make_interval(days => ${config.WEBHOOK_RETENTION_DAYS})
          and not exists (select 1 from webhook_delivery d where d.webhook_event_id = e.id
            and (d.status in ('pending', 'delivering', 'waiting')
              or d.finished_at > now() - interval '1 day'))
        order by e.created_at limit ${BATCH})
      returning id`.execute(db),
  );
  await sweepEndpoints(db);
  return swept;
}

const ENDPOINTS_AT_ONCE = 1_000;

/** Removes deleted endpoints once the last of their deliveries is gone. */
async function sweepEndpoints(db: Database): Promise<void> {
  await sql`
    delete from webhook_endpoint where id in (
      select e.id from webhook_endpoint e
      where e.deleted_at < now() - interval '1 day' and not exists (
          select 1 from webhook_delivery d where d.webhook_endpoint_id = e.id)
      limit ${ENDPOINTS_AT_ONCE})`.execute(db);
}
