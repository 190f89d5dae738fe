import { type RawBuilder, sql } from 'kysely';
import { connectorPrune } from '#queues/connector-prune.ts';
import { connectorSync } from '#queues/connector-sync.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

/** The work of `connector-sync` and `connector-prune`: open runs, and pairs whose next one is due or scheduled. */
export async function runFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<WorkFigures>`
    with work as (
      select ${connectorSync.name} as queue, claimed_until > now() as is_active,
        greatest(updated_at, next_attempt_at) as due_at
      from index_attempt where status in ('not_started', 'in_progress')
      union all
      select ${connectorSync.name}, false, p.next_run_at from cc_pair p
      where p.next_run_at is not null and p.status in ('SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE')
        and not exists (select 1 from index_attempt a where a.cc_pair_id = p.id
          and a.status in ('not_started', 'in_progress'))
      union all
      select ${connectorPrune.name}, claimed_until > now(), greatest(created_at, next_attempt_at)
      from prune_attempt where status in ('not_started', 'in_progress')
      union all
      select ${connectorPrune.name}, false, p.next_prune_at from cc_pair p
      where p.next_prune_at is not null and p.status <> 'DELETING'
        and not exists (select 1 from prune_attempt a where a.cc_pair_id = p.id
          and a.status in ('not_started', 'in_progress'))
      limit ${MAX_COUNTED}
    )
    select queue, count(*) filter (where is_active is not true and due_at <= now())::int as waiting,
      count(*) filter (where is_active)::int as active,
      count(*) filter (where is_active is not true and due_at > now())::int as delayed,
      min(due_at) filter (where is_active is not true and due_at <= now()) as oldest_due_at
    from work group by queue`.execute(db);
  return rows;
}

/** Runs that failed. */
export const FAILED_RUNS: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, outages as attempts,
    finished_at as failed_at
  from index_attempt where status = 'failed' and finished_at is not null`;

/** Prunes that failed. */
export const FAILED_PRUNES: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, outages as attempts,
    finished_at as failed_at
  from prune_attempt where status = 'failed' and finished_at is not null`;
