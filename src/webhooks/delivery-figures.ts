import { type RawBuilder, sql } from 'kysely';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

/**
 * The work of `webhook-deliver`. What waits for an endpoint that is left alone for now, by its breaker or its rate
 * limit, is not due.
 */
export async function deliveryFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<WorkFigures>`
    with work as (
      select d.status = 'delivering' as is_active,
        greatest(d.next_attempt_at, e.breaker_until, e.paced_until) as due_at
      from webhook_delivery d join webhook_endpoint e on e.id = d.webhook_endpoint_id
      where d.next_attempt_at is not null and e.enabled and e.deleted_at is null
      limit ${MAX_COUNTED}
    )
    select ${webhookDeliver.name} as queue,
      count(*) filter (where not is_active and due_at <= now())::int as waiting,
      count(*) filter (where is_active)::int as active,
      count(*) filter (where not is_active and due_at > now())::int as delayed,
      min(due_at) filter (where not is_active and due_at <= now()) as oldest_due_at
    from work`.execute(db);
  return rows;
}

/** Deliveries that were given up. */
export const FAILED_DELIVERIES: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, attempts,
    finished_at as failed_at
  from webhook_delivery where status = 'exhausted' and finished_at is not null
    and error is not null`;
