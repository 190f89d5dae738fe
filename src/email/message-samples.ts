import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { GaugeSample } from '#src/platform/gauges.ts';

/** Messages of all workspaces by status, and the age of the oldest that is due but not started. */
export async function messageSamples(db: Database): Promise<GaugeSample[]> {
  const { rows } = await sql<{ status: string | null; value: number | null }>`
    select status, count(*)::float8 as value from email_message
      where finished_at is null or finished_at > now() - interval '1 day' group by status
    union all
    select null, extract(epoch from now() - min(coalesce(next_attempt_at, created_at)))
      from email_message where finished_at is null and status = 'queued'
        and (next_attempt_at is null or next_attempt_at < now())`.execute(db);
  return rows.map(({ status, value: found }): GaugeSample => {
    // The minimum over no rows is null: nothing is waiting.
    const value = found ?? 0;
    return status === null
      ? { gauge: 'outreachOldestDueSeconds', labels: { kind: 'email_message' }, value }
      : { gauge: 'emailMessages', labels: { status }, value };
  });
}
