import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Waiting documents of one workspace and source. A crawl thus does not hold up the workspace's other documents. */
export interface WaitingLane {
  workspace_id: WorkspaceId;
  source: string;
  /** When its first document became due. */
  due_at: Date;
}

/** Where a listing stopped. */
export type LaneCursor = Pick<WaitingLane, 'workspace_id' | 'source'>;

/** Bounds the cost of a turn when many workspaces are waiting: the next turn continues after these lanes. */
const MAX_LANES = 500;

/** The expression of the index `document_turn`. */
export const DUE_AT: RawBuilder<Date> = sql`coalesce(next_attempt_at, accepted_at)`;
/** The delayed job of a postponed document may run a moment early. */
export const DUE: RawBuilder<boolean> = sql`${DUE_AT} <= now() + interval '1 second'`;

const BEFORE_ALL = sql`('00000000-0000-0000-0000-000000000000'::uuid, ''::text)`;

/**
 * The lanes with a document that is due. Takes one index probe per lane, however many documents wait in it (a loose
 * index scan, https://wiki.postgresql.org/wiki/Loose_indexscan).
 * @param after where the previous listing stopped; null to start at the beginning
 * @returns `next`: where the next listing continues, or null if this one reached the end
 */
export async function listWaitingLanes(
  db: Database,
  after: LaneCursor | null,
): Promise<{ lanes: WaitingLane[]; next: LaneCursor | null }> {
  const start = after ? sql`(${after.workspace_id}::uuid, ${after.source}::text)` : BEFORE_ALL;
  const { rows } = await sql<WaitingLane & { is_due: boolean }>`
    with recursive lane as (
      (${firstBehind(start, sql`1`)})
      union all
      select following.* from lane, lateral (
        ${firstBehind(sql`(lane.workspace_id, lane.source)`, sql`lane.n + 1`)}) following
      where lane.n < ${MAX_LANES}
    )
    select workspace_id, source, due_at, due_at <= now() + interval '1 second' as is_due
    from lane order by n`.execute(db);
  const last = rows.at(-1);
  return {
    lanes: rows.filter((row) => row.is_due),
    next: last && rows.length === MAX_LANES ? last : null,
  };
}

function firstBehind(lane: RawBuilder<unknown>, n: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select d.workspace_id, d.source, ${DUE_AT} as due_at, ${n} as n from document d
    where d.status = 'accepted' and (d.workspace_id, d.source) > ${lane}
    order by d.workspace_id, d.source, ${DUE_AT}, d.id limit 1`;
}
