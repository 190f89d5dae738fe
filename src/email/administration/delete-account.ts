import type { Database } from '#src/platform/database.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { unknownAccount } from '#src/email/path-ids.ts';

/**
 * Deletes an account with its password and its messages; unsent messages are not sent. No other account becomes the
 * default in its place.
 * @throws Problem NOT_FOUND
 */
export async function deleteAccount(
  db: Database,
  { workspaceId, id }: AccountAddress,
): Promise<{ email: string; wasDefault: boolean }> {
  return db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const deleted = await trx
      .deleteFrom('email_account')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .returning(['email', 'is_default as wasDefault'])
      .executeTakeFirst();
    if (!deleted) throw unknownAccount(id);
    return deleted;
  });
}
