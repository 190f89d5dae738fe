import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';

/**
 * Unfinished deliveries by status, endpoints by state, and the lateness of the oldest due delivery, over all
 * workspaces.
 */
export async function webhookSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{
    kind: 'delivery' | 'endpoint' | 'late';
    label: string;
    value: number;
  }>`
    select 'delivery' as kind, status as label, count(*)::float8 as value from webhook_delivery
      where next_attempt_at is not null group by status
    union all
    select 'endpoint', case when not enabled then 'disabled' when breaker_until > now() then 'open'
        when failing_since is not null then 'failing' else 'healthy' end, count(*)
      from webhook_endpoint where deleted_at is null group by 2
    union all
    select 'late', '', coalesce(greatest(0, extract(epoch from now() - min(d.next_attempt_at))), 0)
      from webhook_endpoint e cross join lateral (
        select next_attempt_at from webhook_delivery where webhook_endpoint_id = e.id
          and next_attempt_at is not null order by next_attempt_at limit 1) d
      where e.enabled and e.deleted_at is null and e.failing_since is null`.execute(db);
  return rows.map(({ kind, label, value }): GaugeSample => {
    switch (kind) {
      case 'delivery':
        return { gauge: 'webhookDeliveries', labels: { status: label }, value };
      case 'endpoint':
        return { gauge: 'webhookEndpoints', labels: { state: label }, value };
      case 'late':
        return { gauge: 'webhookOldestDueSeconds', labels: {}, value };
    }
  });
}
