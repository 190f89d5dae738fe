import { sql } from 'kysely';

import type { ChatOwner } from '#src/chat/insert-session.ts';
import type { StreamLine } from '#src/chat/packets.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';

const POLL_MS = 300;
/** Looks without a new line after which a run that is over has nothing more: its last lines are written by then. */
const LAST_LOOKS = 4;

type FollowServices = Pick<Services, 'db' | 'answerRuns' | 'wait'>;

/**
 * The latest answer of a session from a line on: what there is of it, and what comes while it is being written, by
 * whichever process.
 * @throws Problem NOT_FOUND for a session that the owner does not have, or one without a recent answer
 */
export async function followRun(
  services: FollowServices,
  owner: ChatOwner,
  { sessionId, cursor, signal }: { sessionId: ChatSessionId; cursor: number; signal: AbortSignal },
): Promise<AsyncIterable<StreamLine>> {
  const row = await latestRun(services, owner, sessionId);
  const messageId = row?.chat_message_id;
  if (messageId === undefined) {
    throw new Problem(
      'NOT_FOUND',
      `The chat session ${sessionId} has no answer to follow: none is being written, and the last one ended a while ago. GET /chat/get-chat-session/${sessionId} has its messages.`,
    );
  }
  const own = services.answerRuns.find(messageId);
  return own ? own.follow(cursor, signal) : pollLines(services, messageId, cursor, signal);
}

async function latestRun(
  { db }: FollowServices,
  { workspaceId, userId }: ChatOwner,
  sessionId: ChatSessionId,
): Promise<{ chat_message_id: number } | undefined> {
  return db
    .selectFrom('chat_run as run')
    .innerJoin('chat_session as session', 'session.id', 'run.chat_session_id')
    .select('run.chat_message_id')
    .where('session.id', '=', sessionId)
    .where('session.workspace_id', '=', workspaceId)
    .where('session.user_id', '=', userId)
    .where('session.deleted_at', 'is', null)
    .orderBy('run.chat_message_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function* pollLines(
  { db, wait }: FollowServices,
  messageId: number,
  cursor: number,
  signal: AbortSignal,
): AsyncGenerator<StreamLine, void> {
  let next = cursor;
  for (let emptyLooks = 0; emptyLooks < LAST_LOOKS;) {
    const { isOver, parts } = await lookFrom(db, messageId, next);
    let hasNew = false;
    for (const { first_line, lines } of parts) {
      for (const line of lines.slice(Math.max(0, next - first_line))) {
        hasNew = true;
        next += 1;
        yield line;
        if (isLast(line)) return;
      }
    }
    emptyLooks = hasNew || !isOver ? 0 : emptyLooks + 1;
    if (!hasNew) await wait(POLL_MS, signal);
  }
}

async function lookFrom(
  db: Services['db'],
  messageId: number,
  next: number,
): Promise<{ isOver: boolean; parts: { first_line: number; lines: StreamLine[] }[] }> {
  const { rows } = await sql<{
    is_over: boolean;
    first_line: number | null;
    lines: StreamLine[] | null;
  }>`select run.finished_at is not null or run.alive_until < now() as is_over, part.first_line, part.lines
    from chat_run run left join chat_run_part part on part.chat_message_id = run.chat_message_id
      and part.first_line + json_array_length(part.lines) > ${next}
    where run.chat_message_id = ${messageId} order by part.first_line`.execute(db);
  return {
    // Its session was deleted meanwhile.
    isOver: rows[0]?.is_over ?? true,
    parts: rows.flatMap(({ first_line, lines }) =>
      first_line === null || lines === null ? [] : [{ first_line, lines }],
    ),
  };
}

function isLast(line: StreamLine): boolean {
  return 'obj' in line && (line.obj.type === 'stop' || line.obj.type === 'error');
}
