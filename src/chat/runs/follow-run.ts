import { sql } from 'kysely';

import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { RunServices } from './run-services.ts';
import { brokenOff, isLastLine } from './last-line.ts';
import { DIED } from './sweep-runs.ts';
import { markFollowed } from './until-abandoned.ts';

const POLL_MS = 300;
/** Number of polls without a new line after which a finished run has no more lines: its last ones are saved by then. */
const LAST_LOOKS = 4;
/** How often the writing process is told that there is a reader; well within `FOLLOWED_MS`. */
const MARK_EVERY_MS = 5_000;

type FollowServices = Pick<RunServices, 'db' | 'answerRuns' | 'wait'>;

/**
 * Streams the latest answer of a session from a line on, including lines still being written, by whichever process. The
 * last line is a `stop` or an `error`, even if the answer is over, broke off with its process, or has fewer lines than
 * `cursor`.
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
  let before: StreamLine | undefined;
  let markedMs = -Infinity;
  for (let emptyLooks = 0; emptyLooks < LAST_LOOKS;) {
    if (performance.now() - markedMs >= MARK_EVERY_MS) {
      await markFollowed(db, messageId);
      markedMs = performance.now();
    }
    const { isOver, parts } = await lookFrom(db, messageId, next);
    const lines = parts.flatMap((part) => part.lines.slice(Math.max(0, next - part.first_line)));
    for (const line of lines) {
      next += 1;
      before = line;
      yield line;
      if (isLastLine(line)) return;
    }
    const last = lines.length === 0 && isOver ? await lastKeptLine(db, messageId) : undefined;
    // A reader who has all lines, or claims to have more, is told how it ended.
    if (last !== undefined && isLastLine(last)) {
      yield last;
      return;
    }
    before ??= last;
    emptyLooks = lines.length > 0 || !isOver ? 0 : emptyLooks + 1;
    if (lines.length === 0) await wait(POLL_MS, signal);
  }
  yield brokenOff(before, await whyBrokenOff(db, messageId));
}

interface Part {
  first_line: number;
  lines: StreamLine[];
}

async function lookFrom(
  db: RunServices['db'],
  messageId: number,
  next: number,
): Promise<{ isOver: boolean; parts: Part[] }> {
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

async function lastKeptLine(
  db: RunServices['db'],
  messageId: number,
): Promise<StreamLine | undefined> {
  const { rows } = await sql<{ line: StreamLine }>`select lines -> -1 as line from chat_run_part
    where chat_message_id = ${messageId} order by first_line desc limit 1`.execute(db);
  return rows[0]?.line;
}

/** The process that wrote the answer died, or the session was deleted. */
async function whyBrokenOff(db: RunServices['db'], messageId: number): Promise<Problem> {
  const message = await db
    .selectFrom('chat_message')
    .select(['error', 'finished_at', 'chat_session_id'])
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (message === undefined)
    return new Problem('NOT_FOUND', 'The chat session was deleted while it was answered.');
  if (message.finished_at === null || message.error !== null)
    return new Problem('SERVICE_UNAVAILABLE', message.error ?? DIED);
  return new Problem(
    'SERVICE_UNAVAILABLE',
    `The end of the stream was lost, but the answer is whole: GET /chat/get-chat-session/${message.chat_session_id} has it.`,
  );
}
