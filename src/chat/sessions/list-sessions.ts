import { sql } from 'kysely';
import { z } from 'zod';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { Database } from '#src/platform/database.ts';
import { SESSION_COLUMNS, type SessionRow } from './present-session.ts';
import { queryId } from './session-ids.ts';

/** A session without a message counts as failed when it is older than this. */
const EMPTY_FOR_MINUTES = 5;

/** A time as text with microseconds, in UTC; without an offset, UTC is assumed. */
const instant = z.iso
  .datetime({
    offset: true,
    local: true,
    error: 'must be an ISO 8601 time, such as the time_updated of the last session that you have',
  })
  .transform((text, context) => {
    const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
    const date = new Date(zoned);
    const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString();
    if (!/^(?!0000)\d{4}-/.test(iso)) {
      context.addIssue('must lie in the years 1 to 9999 of UTC');
      return z.NEVER;
    }
    const micros = (/\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? '').padEnd(3, '0');
    return `${iso.slice(0, -1)}${micros}Z`;
  });

export const sessionsQuerySchema = z.object({
  project_id: queryId.optional().describe('The sessions of this project alone.'),
  only_non_project_chats: z
    .stringbool()
    .default(true)
    .describe('false: those of projects, too. Of no effect beside project_id.'),
  include_failed_chats: z
    .stringbool()
    .default(false)
    .describe('true: also those that have had no message for five minutes after they were made.'),
  page_size: z.coerce.number().int().min(1).max(100).default(50),
  before: instant
    .optional()
    .describe('Only what was updated before then: the time_updated of the last one of a page.'),
});

/**
 * Last used first. `before` is a time, so sessions with the same time are never split: a page may contain a few more
 * than requested.
 */
export async function listSessions(
  db: Database,
  { workspaceId, userId }: ChatOwner,
  query: z.output<typeof sessionsQuerySchema>,
): Promise<{ sessions: SessionRow[]; hasMore: boolean }> {
  const projectId = query.project_id ?? null;
  const shown = sql`workspace_id = ${workspaceId} and user_id = ${userId} and deleted_at is null
    and case when ${projectId}::integer is not null then project_id = ${projectId}::integer
      else project_id is null or not ${query.only_non_project_chats}::boolean end
    and (${query.include_failed_chats}::boolean
      or created_at > now() - make_interval(mins => ${EMPTY_FOR_MINUTES})
      or exists (select 1 from chat_message
        where chat_session_id = chat_session.id and parent_id is not null))`;
  const { rows } = await sql<SessionRow & { updated_at: Date; has_more: boolean }>`
    with page as (
      select ${SESSION_COLUMNS}, updated_at from chat_session
      where ${shown} and (${query.before ?? null}::timestamptz is null or updated_at < ${query.before ?? null}::timestamptz)
      order by updated_at desc fetch first (${query.page_size}::integer) rows with ties)
    select page.*, exists (select 1 from chat_session
      where ${shown} and updated_at < (select min(updated_at) from page)) as has_more
    from page order by page.updated_at desc, page.id`.execute(db);
  return { sessions: rows, hasMore: rows[0]?.has_more ?? false };
}
