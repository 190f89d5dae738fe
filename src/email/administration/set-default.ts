import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { type AccountAddress, findAccount } from '#src/email/accounts.ts';

/**
 * Makes this account the only default of its workspace.
 * @throws Problem NOT_FOUND
 */
export async function setDefault(
  db: Database,
  address: AccountAddress,
): Promise<{ email: string }> {
  const { workspaceId, id } = address;
  return db.transaction().execute(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const { email } = await findAccount(trx, address);
    await trx
      .updateTable('email_account')
      .set({ is_default: false, updated_at: sql<Date>`now()` })
      .where('workspace_id', '=', workspaceId)
      .where('is_default', '=', true)
      .where('id', '<>', id)
      .execute();
    await trx
      .updateTable('email_account')
      .set({ is_default: true, updated_at: sql<Date>`now()` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where('is_default', '=', false)
      .execute();
    return { email };
  });
}
