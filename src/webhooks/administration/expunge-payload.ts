import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import type { EventAddress } from './events.ts';
import { unknownEvent } from './path-ids.ts';

const REASON = 'The payload was expunged.';

/**
 * Deletes the content of an event and of the receivers' answers to it, and cancels what was still to be sent; the
 * record that and when it happened stays. A request in progress still arrives, but is never sent again.
 * @throws Problem NOT_FOUND
 */
export async function expungePayload(
  db: Database,
  { workspaceId, id }: EventAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const expunged = await trx
      .updateTable('webhook_event')
      .set({ payload: null })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!expunged) throw unknownEvent(id);
    await trx
      .updateTable('webhook_delivery')
      .set({
        status: 'canceled',
        error: REASON,
        finished_at: sql<Date>`now()`,
        next_attempt_at: null,
      })
      .where('webhook_event_id', '=', id)
      .where('status', 'in', ['pending', 'waiting'])
      .execute();
    await sql`
      update webhook_attempt a set answer = null from webhook_delivery d
      where d.webhook_event_id = ${id} and a.webhook_delivery_id = d.id
        and a.answer is not null`.execute(trx);
  });
}
