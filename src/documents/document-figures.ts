import { type RawBuilder, sql } from 'kysely';
import { documentIndex } from '#queues/document-index.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';
import { DUE, listWaitingLanes } from './waiting-lanes.ts';

/** The work of `document-index`. Documents to be removed are part of it. */
export async function documentFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<
    Omit<WorkFigures, 'queue' | 'oldest_due_at'> & { oldest_deletion: Date | null }
  >`
    select count(*) filter (where status = 'deleting' or status = 'accepted' and ${DUE})::int as waiting,
      count(*) filter (where status = 'indexing')::int as active,
      count(*) filter (where status = 'accepted' and not ${DUE})::int as delayed,
      min(queued_at) filter (where status = 'deleting') as oldest_deletion
    from (select status, next_attempt_at, accepted_at, queued_at from document
      where status in ('accepted', 'indexing', 'deleting') limit ${MAX_COUNTED}) unfinished`.execute(
    db,
  );
  const { oldest_deletion: deletion, ...counts } = rows[0] ?? NOTHING;
  const { lanes } = await listWaitingLanes(db, null);
  const times = [...lanes.map((lane) => lane.due_at), ...(deletion ? [deletion] : [])];
  const oldest = times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
  return [{ queue: documentIndex.name, ...counts, oldest_due_at: oldest }];
}

const NOTHING = { waiting: 0, active: 0, delayed: 0, oldest_deletion: null };

/** Documents that could not be indexed. */
export const FAILED_DOCUMENTS: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, attempts,
    coalesce(indexing_started_at, accepted_at) as failed_at
  from document where status = 'failed'`;
