import { sql } from 'kysely';

import type { RunServices } from './run-services.ts';

/** How long a reader at another process counts after its last sign; it renews it well before. */
const FOLLOWED_MS = 15_000;

/**
 * Resolves when nobody has followed an answer for `graceMs`: no reader of this process, who would abort the signal, and
 * none of another one, who would have updated its row.
 * @throws the signal's reason
 */
export async function untilAbandoned(
  { db, wait }: Pick<RunServices, 'db' | 'wait'>,
  { messageId, graceMs, signal }: { messageId: number; graceMs: number; signal: AbortSignal },
): Promise<void> {
  for (let leftMs = graceMs; leftMs > 0;) {
    await wait(leftMs, signal);
    leftMs = await msUntilAbandoned(db, messageId, graceMs);
  }
}

/** Records that there is a reader of the answer at this process. */
export async function markFollowed(db: RunServices['db'], messageId: number): Promise<void> {
  await sql`update chat_run set followed_until = now() + ${FOLLOWED_MS} * interval '1 millisecond'
    where chat_message_id = ${messageId} and finished_at is null`.execute(db);
}

async function msUntilAbandoned(
  db: RunServices['db'],
  messageId: number,
  graceMs: number,
): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from followed_until - now()) * 1000 + ${graceMs})::float8 as ms
    from chat_run where chat_message_id = ${messageId}`.execute(db);
  return rows[0]?.ms ?? 0;
}
