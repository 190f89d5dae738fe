import { type RawBuilder, sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { Database } from '#src/platform/database.ts';
import { type FailedRow, MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

/** The work of `email-verify` and `email-send`. */
export async function messageFigures(db: Database): Promise<WorkFigures[]> {
  const { rows } = await sql<WorkFigures>`
    with work as (
      select case when kind = 'verification' then ${emailVerify.name} else ${emailSend.name} end as queue,
        status = 'sending' and claimed_until > now() as is_active,
        coalesce(next_attempt_at, created_at) as due_at
      from email_message where finished_at is null limit ${MAX_COUNTED}
    )
    select queue, count(*) filter (where is_active is not true and due_at <= now())::int as waiting,
      count(*) filter (where is_active)::int as active,
      count(*) filter (where is_active is not true and due_at > now())::int as delayed,
      min(due_at) filter (where is_active is not true and due_at <= now()) as oldest_due_at
    from work group by queue`.execute(db);
  return rows;
}

/** Messages of a kind that failed, or whose fate is unknown. */
export function failedMessages(kind: 'verification' | 'message'): RawBuilder<FailedRow> {
  return sql`
  select id::text as id, workspace_id, coalesce(error, '') as message, attempts,
    finished_at as failed_at
  from email_message
  where status in ('failed', 'unknown') and kind = ${kind} and finished_at is not null`;
}
