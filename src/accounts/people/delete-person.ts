import type { PersonId } from '#src/ids.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { findMember, whyNotLeave } from '#src/accounts/members.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

/**
 * Deletes a person with their user accounts, sessions and passwords. What the accounts created for their workspaces
 * stays, as when an admin removes a member.
 * @throws Problem CONFLICT when the person owns a workspace or is its last admin
 */
export async function deletePerson(db: Database, personId: PersonId): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const accounts = await trx
      .selectFrom('user_account')
      .select(['id', 'workspace_id'])
      .where('person_id', '=', personId)
      .orderBy('workspace_id') // the order in which all lock several
      .execute();
    for (const { id, workspace_id: workspaceId } of accounts) {
      await lockWorkspace(trx, workspaceId);
      const member = await findMember(trx, workspaceId, id);
      const refusal = member && (await whyNotLeave(trx, workspaceId, member));
      if (refusal !== null) throw new Problem('CONFLICT', `Workspace ${workspaceId}: ${refusal}`);
    }
    await trx.deleteFrom('person').where('id', '=', personId).execute();
  });
}
