import type { Database } from '#src/platform/database.ts';
import type { BounceMailboxAddress } from '#src/email/bounces/bounce-mailboxes.ts';
import { unknownBounceMailbox } from '#src/email/path-ids.ts';

/**
 * Deletes a bounce mailbox and its password or token. The mail in it is kept.
 * @throws Problem NOT_FOUND
 */
export async function deleteBounceMailbox(
  db: Database,
  { workspaceId, id }: BounceMailboxAddress,
): Promise<void> {
  const deleted = await db
    .deleteFrom('bounce_mailbox')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw unknownBounceMailbox(id);
}
