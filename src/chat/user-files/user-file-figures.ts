import { type RawBuilder, sql } from 'kysely';
import { userFile } from '#queues/user-file.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

/** The work of `user-file`. */
export async function userFileFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<WorkFigures>`
    with work as (
      select claimed_until > now() as is_active, created_at as due_at from user_file
      where status = 'PROCESSING' limit ${MAX_COUNTED}
    )
    select ${userFile.name} as queue, count(*) filter (where is_active is not true)::int as waiting,
      count(*) filter (where is_active)::int as active, 0 as delayed,
      min(due_at) filter (where is_active is not true) as oldest_due_at
    from work`.execute(db);
  return rows;
}

/** Files that could not be read. */
export const FAILED_USER_FILES: RawBuilder<FailedRow> = sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, attempts,
    queued_at as failed_at
  from user_file where status = 'FAILED'`;
