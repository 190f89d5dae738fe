import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { minuteOf } from './job-history.ts';
import type { OperationsServices } from './operations-services.ts';

const MINUTE_MS = 60_000;
/** More workspaces than this in a minute are not counted. */
const MAX_WORKSPACES = 10_000;

/** Counts the searches of workspaces in this process. Nothing here touches the database. */
export class SearchTally {
  #counts = new Map<WorkspaceId, number>();

  count(workspaceId: WorkspaceId): void {
    const known = this.#counts.get(workspaceId);
    if (known === undefined && this.#counts.size >= MAX_WORKSPACES) return;
    this.#counts.set(workspaceId, (known ?? 0) + 1);
  }

  take(): [WorkspaceId, number][] {
    const taken = [...this.#counts];
    this.#counts = new Map();
    return taken;
  }
}

/** Adds the counts to the current minute; does nothing without searches. */
export async function writeSearches({
  clock,
  db,
  searchTally,
}: Pick<OperationsServices, 'clock' | 'db' | 'searchTally'>): Promise<void> {
  const counts = searchTally.take();
  if (counts.length === 0) return;
  await sql`
    insert into search_minute as s (minute, workspace_id, searches)
    select ${minuteOf(clock())}::timestamptz, x.* from unnest(
      ${counts.map(([id]) => id)}::uuid[], ${counts.map(([, count]) => count)}::int[]) as x(id, n)
    order by x.id
    on conflict (workspace_id, minute) do update set searches = s.searches + excluded.searches`.execute(
    db,
  );
}

const SHOWN_MINUTES = 60;

/** Searches of a workspace per minute, over the last 60 full minutes, oldest first. */
export async function searchesByMinute(
  db: Database,
  workspaceId: WorkspaceId,
  now: Date,
): Promise<number[]> {
  const end = minuteOf(now).getTime();
  const begin = end - SHOWN_MINUTES * MINUTE_MS;
  const rows = await db
    .selectFrom('search_minute')
    .select(['minute', 'searches'])
    .where('workspace_id', '=', workspaceId)
    .where('minute', '>=', new Date(begin))
    .where('minute', '<', new Date(end))
    .execute();
  const counts = new Map(rows.map(({ minute, searches }) => [minute.getTime(), searches]));
  return Array.from(
    { length: SHOWN_MINUTES },
    (_, index) => counts.get(begin + index * MINUTE_MS) ?? 0,
  );
}
