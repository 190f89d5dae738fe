import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { cancelDeliveries } from '#src/webhooks/disable-endpoint.ts';
import { CHANGED_NOW, type EndpointAddress } from './endpoints.ts';
import { unknownEndpoint } from './path-ids.ts';

/**
 * Its secrets are deleted at once and nothing more is sent; its deliveries can still be looked up. @throws Problem
 * NOT_FOUND
 */
export async function deleteEndpoint(
  db: Database,
  { workspaceId, id }: EndpointAddress,
): Promise<void> {
  const deleted = await db
    .updateTable('webhook_endpoint')
    .set({
      deleted_at: sql<Date>`now()`,
      enabled: false,
      secret: '',
      previous_secret: null,
      previous_secret_until: null,
      updated_at: CHANGED_NOW,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw unknownEndpoint(id);
  await cancelDeliveries(db, id, 'The endpoint was deleted.');
}
