import type { PersonId } from '#src/ids.ts';
import { insertWorkspace } from '#src/accounts/workspaces.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import {
  findPerson,
  giveAccount,
  insertPerson,
  type KnownPerson,
  type NewPerson,
} from './join-workspace.ts';

interface NewWorkspace {
  name: string;
  planTier: PlanTier;
}

/**
 * Makes a person with a workspace of their own, all or nothing.
 * @throws Problem CONFLICT when somebody signs in with the address
 */
export async function signUp(
  db: Database,
  person: Omit<NewPerson, 'isVerified'>,
  workspace: NewWorkspace,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if ((await findPerson(trx, person.email)) !== null) {
      throw new Problem(
        'CONFLICT',
        'body.email: somebody signs in with this address already. Sign in, or reset the password.',
      );
    }
    await found(trx, await insertPerson(trx, { ...person, isVerified: false }), workspace);
  });
}

/** Makes a workspace for a person who has none. */
export async function createOwnWorkspace(
  db: Database,
  person: KnownPerson,
  planTier: PlanTier,
): Promise<void> {
  const name = `Workspace of ${person.name || person.email}`.slice(0, 200);
  await db.transaction().execute((trx) => found(trx, person, { name, planTier }));
}

async function found(
  trx: DatabaseTransaction,
  person: KnownPerson,
  workspace: NewWorkspace,
): Promise<PersonId> {
  const { userId } = await insertWorkspace(trx, { ...workspace, isBootstrap: false });
  await giveAccount(trx, userId, { person, role: 'admin' });
  return person.id;
}
