import { sql } from 'kysely';

import type { RunServices } from './run-services.ts';

/** A reader at another process is known for so long; it says so again well before. */
const FOLLOWED_MS = 15_000;

/**
 * Resolves when nobody has followed an answer for `graceMs`: no reader of this process, who aborts the signal, and none of
 * another one, who has left word in its row.
 * @throws the signal's reason
 */
export async function untilForgotten(
  { db, wait }: Pick<RunServices, 'db' | 'wait'>,
  { messageId, graceMs, signal }: { messageId: number; graceMs: number; signal: AbortSignal },
): Promise<void> {
  for (let leftMs = graceMs; leftMs > 0;) {
    await wait(leftMs, signal);
    leftMs = await msUntilForgotten(db, messageId, graceMs);
  }
}

/** Leaves word that somebody follows the answer at this process. */
export async function markFollowed(db: RunServices['db'], messageId: number): Promise<void> {
  await sql`update chat_run set followed_until = now() + ${FOLLOWED_MS} * interval '1 millisecond'
    where chat_message_id = ${messageId} and finished_at is null`.execute(db);
}

async function msUntilForgotten(
  db: RunServices['db'],
  messageId: number,
  graceMs: number,
): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from followed_until - now()) * 1000 + ${graceMs})::float8 as ms
    from chat_run where chat_message_id = ${messageId}`.execute(db);
  return rows[0]?.ms ?? 0;
}
