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
  const { rows } = await sql`
    update webhook_endpoint set deleted_at = now(), enabled = false, secret = '',
      previous_secret = null, previous_secret_until = null, updated_at = ${CHANGED_NOW}
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
    returning id`.execute(db);
  if (rows.length === 0) throw unknownEndpoint(id);
  await cancelDeliveries(db, id, 'The endpoint was deleted.');
}
