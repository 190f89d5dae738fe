import { sql } from 'kysely';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** The deliveries of a workspace: those that are not finished, and those that ended in the last day. */
export async function countDeliveries(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ pending: number; delivered: number; failed: number }> {
  const { rows } = await sql<{ pending: number; delivered: number; failed: number }>`
    select count(*) filter (where next_attempt_at is not null)::int as pending,
      count(*) filter (where status = 'delivered')::int as delivered,
      count(*) filter (where status = 'exhausted')::int as failed
    from webhook_delivery d join webhook_endpoint e on e.id = d.webhook_endpoint_id
    where d.workspace_id = ${workspaceId} and (next_attempt_at is not null and e.enabled
      or finished_at > now() - interval '1 day')`.execute(db);
  return rows[0] ?? { pending: 0, delivered: 0, failed: 0 };
}

/** An endpoint that fails to receive its deliveries. */
export interface TroubledEndpoint {
  id: WebhookEndpointId;
  url: string;
  /** Null while it is enabled. */
  disabledReason: string | null;
  /** Failures since the last success. */
  failures: number;
  /** Whether deliveries to it are suspended. */
  isLeftAlone: boolean;
  since: Date;
}

/** Fewer failures in a row are not reported. */
const NOTABLE_FAILURES = 3;

/** Endpoints that are disabled, do not answer, or fail repeatedly. */
export async function troubledEndpoints(
  db: Database,
  workspaceId: WorkspaceId,
  limit: number,
): Promise<TroubledEndpoint[]> {
  const { rows } = await sql<TroubledEndpoint>`
    select id, url, disabled_reason as "disabledReason", failures,
      coalesce(breaker_until > now(), false) as "isLeftAlone",
      coalesce(disabled_at, failing_since, updated_at) as since
    from webhook_endpoint where workspace_id = ${workspaceId} and deleted_at is null
      and (not enabled and disabled_reason is not null or breaker_until > now()
        or enabled and failures >= ${NOTABLE_FAILURES})
    order by enabled, since desc limit ${limit}`.execute(db);
  return rows;
}
