import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { FAILING_QUEUES, kindOfFailure, rowsOf } from './failures.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** Failures of one kind in a workspace. */
export interface WorkspaceFailures {
  kind: string;
  count: number;
  /** Message of the latest failure. */
  message: string;
  first_at: Date;
  last_at: Date;
}

/** Failures in a workspace since then, by kind; kinds without failures are omitted. */
export async function workspaceFailures(
  db: Database,
  workspaceId: WorkspaceId,
  since: Date,
): Promise<WorkspaceFailures[]> {
  const found = new Map<string, WorkspaceFailures>();
  for (const queue of FAILING_QUEUES) {
    const kind = kindOfFailure(queue);
    const { rows } = await sql<Omit<WorkspaceFailures, 'kind'>>`
      select count(*)::int as count, coalesce((array_agg(f.message order by f.failed_at desc))[1], '') as message,
        coalesce(min(f.failed_at), ${since}::timestamptz) as first_at,
        coalesce(max(f.failed_at), ${since}::timestamptz) as last_at
      from (${rowsOf(queue)}) f
      where f.failed_at >= ${since} and f.workspace_id = ${workspaceId}`.execute(db);
    const [own] = rows;
    if (own && own.count > 0) found.set(kind, joined(found.get(kind), { kind, ...own }));
  }
  return [...found.values()];
}

/** Two queues send messages, so their failures are added. */
function joined(before: WorkspaceFailures | undefined, own: WorkspaceFailures): WorkspaceFailures {
  if (before === undefined) return own;
  const latest = own.last_at > before.last_at ? own : before;
  const first = own.first_at < before.first_at ? own : before;
  return { ...latest, count: before.count + own.count, first_at: first.first_at };
}

/** Failures in a workspace per hour, over the last 24 hours, oldest first. */
export async function workspaceFailuresByHour(
  db: Database,
  workspaceId: WorkspaceId,
  now: Date,
): Promise<number[]> {
  const hours = Array.from({ length: HOURS }, () => 0);
  const since = new Date(now.getTime() - HOURS * HOUR_MS);
  for (const queue of FAILING_QUEUES) {
    const { rows } = await sql<{ hour: number; count: number }>`
      select floor(extract(epoch from f.failed_at - ${since}::timestamptz) / 3600)::int as hour,
        count(*)::int as count
      from (${rowsOf(queue)}) f
      where f.failed_at >= ${since} and f.workspace_id = ${workspaceId} group by hour`.execute(db);
    for (const { hour, count } of rows) {
      const index = Math.min(hour, HOURS - 1);
      hours[index] = (hours[index] ?? 0) + count;
    }
  }
  return hours;
}
