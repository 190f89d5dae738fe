import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { type AccountAddress, findAccount, lockWorkspace } from '#src/email/accounts.ts';

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
    await sql`update email_account set is_default = false, updated_at = now()
      where workspace_id = ${workspaceId} and is_default and id <> ${id}`.execute(trx);
    await sql`update email_account set is_default = true, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${id} and not is_default`.execute(trx);
    return { email };
  });
}
