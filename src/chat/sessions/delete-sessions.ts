import { type RawBuilder, sql } from 'kysely';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { Database } from '#src/platform/database.ts';
import { type SessionAddress, unknownSession } from './session-ids.ts';

/**
 * Hides a session, or deletes it with all its messages when `isFinal`, hidden or not. An answer in progress stops.
 * Attached files stay: they belong to the user.
 * @throws Problem NOT_FOUND
 */
export async function deleteSession(
  db: Database,
  address: SessionAddress,
  { isFinal, now }: { isFinal: boolean; now: Date },
): Promise<void> {
  const one = sql`${ownedBy(address)} and id = ${address.id}`;
  const deleted = isFinal ? await remove(db, one) : await hide(db, one, now);
  if (deleted === 0) throw unknownSession(address.id);
}

/** The same for all sessions of the owner. */
export async function deleteAllSessions(
  db: Database,
  owner: ChatOwner,
  { isFinal, now }: { isFinal: boolean; now: Date },
): Promise<void> {
  await (isFinal ? remove(db, ownedBy(owner)) : hide(db, ownedBy(owner), now));
}

function ownedBy({ workspaceId, userId }: ChatOwner): RawBuilder<unknown> {
  return sql`workspace_id = ${workspaceId} and user_id = ${userId}`;
}

async function hide(db: Database, which: RawBuilder<unknown>, now: Date): Promise<number> {
  const { rows } = await sql`
    with hidden as (
      update chat_session set deleted_at = ${now} where ${which} and deleted_at is null returning id),
    stopped as (
      update chat_run set stop_requested_at = coalesce(stop_requested_at, ${now})
      where finished_at is null and chat_session_id in (select id from hidden))
    select id from hidden`.execute(db);
  return rows.length;
}

/** Dependent rows are deleted with it; a process writing an answer there finds its run gone. */
async function remove(db: Database, which: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql`delete from chat_session where ${which} returning id`.execute(db);
  return rows.length;
}
