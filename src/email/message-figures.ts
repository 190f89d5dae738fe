import { sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { Database } from '#src/platform/database.ts';
import { MAX_COUNTED, type WorkFigures } from '#src/platform/work-figures.ts';

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

/** Messages of a kind that were not sent, or of which nobody knows whether they were. */
export function failedMessages(db: Database, kind: 'verification' | 'message') {
  return db
    .selectFrom('email_message')
    .where('status', 'in', ['failed', 'unknown'])
    .where('kind', '=', kind)
    .where('finished_at', 'is not', null)
    .select([
      sql<string>`email_message.id::text`.as('id'),
      'workspace_id',
      sql<string>`coalesce(error, '')`.as('message'),
      'attempts',
      sql<Date>`finished_at`.as('failed_at'),
    ]);
}
