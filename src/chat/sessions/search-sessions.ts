import { sql } from 'kysely';
import { z } from 'zod';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import type { Database } from '#src/platform/database.ts';
import { SESSION_COLUMNS, type SessionRow } from './present-session.ts';

const MAX_WORDS = 16;
const MAX_PAGE_NUMBER = 10_000;
const wholeNumber = z.coerce.number().int().min(1);

export const sessionSearchSchema = z.object({
  query: z
    .string()
    .max(1_000)
    .default('')
    .describe('Words that all stand in the name or in one message; none finds everything.'),
  page: wholeNumber.max(MAX_PAGE_NUMBER).default(1),
  page_size: wholeNumber.max(100).default(10),
});

export const GROUP_TITLES = ['Today', 'Yesterday', 'This Week', 'This Month', 'Older'] as const;
type GroupTitle = (typeof GROUP_TITLES)[number];

export interface SessionGroup {
  title: GroupTitle;
  sessions: SessionRow[];
}

/** The owner's sessions that contain the words, last used first, grouped by the days of the owner's time zone. */
export async function searchSessions(
  db: Database,
  { workspaceId, userId }: ChatOwner,
  { query, page, page_size: pageSize }: z.output<typeof sessionSearchSchema>,
  now: Date,
): Promise<{ groups: SessionGroup[]; hasMore: boolean }> {
  const patterns = patternsOf(query);
  const matches = (column: 'title' | 'content') =>
    sql.join(
      [sql`true`, ...patterns.map((pattern) => sql`${sql.ref(column)} ilike ${pattern}`)],
      sql` and `,
    );
  const { rows } = await sql<SessionRow & { days_ago: number }>`
    select ${SESSION_COLUMNS},
      (${now}::timestamptz at time zone zone.name)::date
        - (updated_at at time zone zone.name)::date as days_ago
    from chat_session cross join (
      select time_zone as name from user_account
      where id = ${userId} and workspace_id = ${workspaceId}) zone
    where workspace_id = ${workspaceId} and user_id = ${userId} and deleted_at is null
      and (${patterns.length === 0}::boolean or (title is not null and ${matches('title')}) or exists (
        select 1 from chat_message where chat_session_id = chat_session.id
          and role <> 'system' and ${matches('content')}))
    order by updated_at desc, id
    limit ${pageSize + 1} offset ${(page - 1) * pageSize}`.execute(db);
  return { groups: groupByAge(rows.slice(0, pageSize)), hasMore: rows.length > pageSize };
}

/** Escapes the special characters of LIKE. */
function patternsOf(query: string): string[] {
  const words = cleanText(query).split(/\s+/u).filter(Boolean);
  return words
    .slice(0, MAX_WORDS)
    .map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
}

function groupByAge(rows: readonly (SessionRow & { days_ago: number })[]): SessionGroup[] {
  const byTitle = Map.groupBy(rows, ({ days_ago: daysAgo }) => titleOf(daysAgo));
  return GROUP_TITLES.flatMap((title) => {
    const sessions = byTitle.get(title);
    return sessions ? [{ title, sessions }] : [];
  });
}

function titleOf(daysAgo: number): GroupTitle {
  if (daysAgo <= 0) return 'Today';
  if (daysAgo === 1) return 'Yesterday';
  if (daysAgo < 7) return 'This Week';
  return daysAgo < 30 ? 'This Month' : 'Older';
}
