import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';

/** Pairs and runs by status, and open failures, in all workspaces. */
export async function connectorSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{
    gauge: 'connectorPairs' | 'connectorRuns' | 'connectorErrors';
    status: string | null;
    value: number;
  }>`
    select 'connectorPairs' as gauge, status, count(*)::int as value from cc_pair
      where connector_id is not null group by status
    union all
    select 'connectorRuns', status, count(*)::int from index_attempt
      where finished_at is null or finished_at > now() - interval '1 hour' group by status
    union all
    select 'connectorErrors', null, count(*)::int from index_attempt_error
      where not is_resolved`.execute(db);
  return rows.map(({ gauge, status, value }) =>
    gauge === 'connectorErrors'
      ? { gauge, labels: {}, value }
      : { gauge, labels: { status: status ?? '' }, value },
  );
}
