import { sql } from 'kysely';

import { cleanJson } from '#src/documents/clean-text.ts';
import type { Database } from '#src/platform/database.ts';
import { jsonList } from './begin-turns.ts';
import type { ChatOwner } from './chat-owner.ts';
import type { Packet } from '#src/chat/wire/packets.ts';

export interface FinishedTurn {
  content: string;
  /** Citation number → document id. */
  citations: Record<string, string>;
  reasoning: string | null;
  /** Null when nothing was searched. */
  documents: readonly unknown[] | null;
  packets: readonly Packet[];
  isClarification: boolean;
  /** The model that answered; null when none did. */
  model: string | null;
  durationMs: number;
  /** Why `content` is incomplete; null when it is complete. */
  error: string | null;
  now: Date;
}

/** A finished turn, as input of the statement. */
export interface EndedTurn {
  messageId: number;
  /** JSON of `COLUMNS`. */
  json: string;
}

const COLUMNS = sql.raw(`message_id integer, workspace_id uuid, user_id uuid, content text,
  citations json, reasoning text, documents json, packets json, is_clarification boolean,
  model text, duration_ms integer, error text, finished_at timestamptz`);

export function endTurn(
  { workspaceId, userId }: ChatOwner,
  messageId: number,
  { isClarification, durationMs, now, ...finished }: FinishedTurn,
): EndedTurn {
  const json = cleanJson({
    ...finished,
    message_id: messageId,
    workspace_id: workspaceId,
    user_id: userId,
    is_clarification: isClarification,
    duration_ms: Math.round(durationMs),
    finished_at: now,
  });
  return { messageId, json };
}

/**
 * Fills the rows that `beginTurns` reserved, all in one statement; rows of deleted sessions are skipped.
 * @param rows `unfinished` skips rows that the answer's own process has filled meanwhile
 */
export async function finishTurns(
  db: Database,
  turns: readonly EndedTurn[],
  rows: 'all' | 'unfinished' = 'all',
): Promise<void> {
  const ids = turns.map(({ messageId }) => messageId);
  await sql`
    with ended as materialized (
      select * from json_to_recordset(${jsonList(turns)}::json) as ended (${COLUMNS})),
    message as (
      update chat_message as message set
        content = ended.content, citations = ended.citations, reasoning = ended.reasoning,
        documents = ended.documents, packets = ended.packets,
        is_clarification = ended.is_clarification, model = ended.model,
        duration_ms = ended.duration_ms, error = ended.error, finished_at = ended.finished_at
      from ended
      where message.id = ended.message_id and message.id = any(${ids}::integer[])
        and message.workspace_id = ended.workspace_id
        and (${rows === 'all'}::boolean or message.finished_at is null)
        and ended.user_id = (select session.user_id from chat_session session
          where session.id = message.chat_session_id and session.workspace_id = ended.workspace_id)
      returning message.id, message.finished_at)
    update chat_run set finished_at = message.finished_at
    from message
    where chat_run.chat_message_id = message.id
      and chat_run.chat_message_id = any(${ids}::integer[])`.execute(db);
}
