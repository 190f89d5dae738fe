import { sql } from 'kysely';
import { z } from 'zod';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { ChatSessionId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { titleFromWords } from './session-title.ts';

const CURSOR = /^(\d{1,16}):([0-9a-f-]{36})$/;
/** All are listed, up to this many. */
const MAX_PAGE = 1_000;

const cursor = z
  .string()
  .transform((text) => CURSOR.exec(Buffer.from(text, 'base64url').toString()))
  .refine((match) => match !== null, 'must be the cursor of a Link header')
  .transform((match) => ({ micros: match?.[1] ?? '', id: match?.[2] ?? '' }))
  .refine(({ id }) => z.guid().safeParse(id).success, 'must be the cursor of a Link header');

export const summariesQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE),
  cursor: cursor.optional().describe('From the Link header of the page before.'),
});

export interface SessionSummary {
  sessionId: ChatSessionId;
  /** '' when it has neither a name nor a question. */
  title: string;
  createdAt: Date;
  /** The creation time for a session without messages. */
  lastMessageAt: Date;
  messageCount: number;
}

interface SummaryRow {
  id: ChatSessionId;
  title: string | null;
  created_at: Date;
  micros: string;
  message_count: number;
  last_message_at: Date | null;
  question: string | null;
}

/** Last used first; `total` counts all of them. Sessions that are created meanwhile do not shift the pages. */
export async function listSessionSummaries(
  db: Database,
  owner: ChatOwner,
  query: z.output<typeof summariesQuerySchema>,
): Promise<{ summaries: SessionSummary[]; total: number; nextCursor: string | null }> {
  const [rows, total] = await Promise.all([readPage(db, owner, query), countSessions(db, owner)]);
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    summaries: shown.map(summarize),
    total,
    nextCursor: last ? Buffer.from(`${last.micros}:${last.id}`).toString('base64url') : null,
  };
}

async function readPage(
  db: Database,
  { workspaceId, userId }: ChatOwner,
  query: z.output<typeof summariesQuerySchema>,
): Promise<SummaryRow[]> {
  const after = query.cursor ?? null;
  const { rows } = await sql<SummaryRow>`
    select session.id, session.title, session.created_at,
      (extract(epoch from session.updated_at) * 1000000)::bigint::text as micros,
      counted.message_count, counted.last_message_at, first.question
    from (
      select id, title, created_at, updated_at from chat_session
      where workspace_id = ${workspaceId} and user_id = ${userId} and deleted_at is null
        and (${after?.id ?? null}::uuid is null or (updated_at, id) <
          ('epoch'::timestamptz + ${after?.micros ?? '0'}::bigint * interval '1 microsecond',
            ${after?.id ?? null}::uuid))
      order by updated_at desc, id desc limit ${query.limit + 1}) session
    cross join lateral (
      select count(*)::integer as message_count, max(created_at) as last_message_at
      from chat_message where chat_session_id = session.id and role <> 'system') counted
    left join lateral (
      select left(content, 400) as question from chat_message
      where chat_session_id = session.id and role = 'user' order by id limit 1) first
      on session.title is null
    order by session.updated_at desc, session.id desc`.execute(db);
  return rows;
}

async function countSessions(db: Database, { workspaceId, userId }: ChatOwner): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from chat_session
    where workspace_id = ${workspaceId} and user_id = ${userId} and deleted_at is null`.execute(db);
  return rows[0]?.total ?? 0;
}

function summarize(row: SummaryRow): SessionSummary {
  return {
    sessionId: row.id,
    title: row.title ?? titleFromWords(row.question ?? '') ?? '',
    createdAt: row.created_at,
    lastMessageAt: row.last_message_at ?? row.created_at,
    messageCount: row.message_count,
  };
}
