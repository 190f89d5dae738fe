import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { PersonId, UserId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Role } from '#src/tables/accounts.ts';

export interface NewPerson {
  name: string;
  /** In lower case. */
  email: string;
  /** Whether they have shown to read mail at the address. */
  isVerified: boolean;
  passwordHash: string;
}

export interface KnownPerson {
  id: PersonId;
  name: string;
  email: string;
}

export async function findPerson(
  trx: DatabaseTransaction,
  email: string,
): Promise<KnownPerson | null> {
  const row = await trx
    .selectFrom('person')
    .select(['id', 'name', 'email'])
    .where('email', '=', email)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Inserts a person with a password. The caller gives them a workspace in the same transaction.
 * @throws Problem CONFLICT when another transaction has just inserted somebody with the address
 */
export async function insertPerson(
  trx: DatabaseTransaction,
  { name, email, isVerified, passwordHash }: NewPerson,
): Promise<KnownPerson> {
  const person = await trx
    .insertInto('person')
    .values({ name, email, email_verified: isVerified })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!person) {
    throw new Problem(
      'CONFLICT',
      'Somebody signs in with this address since a moment ago. Sign in, then try again.',
    );
  }
  await savePassword(trx, person.id, passwordHash);
  return { id: person.id, name, email };
}

/** Replaces the password of a person, or gives them one. */
export async function savePassword(
  trx: DatabaseTransaction,
  personId: PersonId,
  passwordHash: string,
): Promise<void> {
  // A password's row is known by the person's id.
  await trx
    .insertInto('person_login')
    .values({
      person_id: personId,
      provider_id: 'credential',
      account_id: personId,
      password: passwordHash,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['provider_id', 'account_id'])
        .doUpdateSet({ password: passwordHash, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/**
 * Makes a person a member: of the user account with their address if it has nobody who signs in, else of a new one. The
 * caller has locked the workspace. `isNew` tells whether this takes a seat.
 */
export async function joinWorkspace(
  trx: DatabaseTransaction,
  { workspaceId, person, role }: { workspaceId: WorkspaceId; person: KnownPerson; role: Role },
): Promise<{ userId: UserId; isNew: boolean }> {
  const known = await trx
    .selectFrom('user_account')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', 'is', null)
    .where(sql<boolean>`lower(email) = ${person.email}`)
    .orderBy('created_at')
    .executeTakeFirst();
  if (known) {
    await giveAccount(trx, known.id, { person, role });
    return { userId: known.id, isNew: false };
  }
  const userId = randomUUID() as UserId; // a new row's id is branded at its source
  await trx
    .insertInto('user_account')
    .values({
      id: userId,
      workspace_id: workspaceId,
      display_name: person.name,
      email: person.email,
      person_id: person.id,
      sign_in_role: role,
    })
    .execute();
  return { userId, isNew: true };
}

/** Gives a user account without a person to one. */
export async function giveAccount(
  trx: DatabaseTransaction,
  userId: UserId,
  { person, role }: { person: KnownPerson; role: Role },
): Promise<void> {
  await trx
    .updateTable('user_account')
    .set({
      person_id: person.id,
      sign_in_role: role,
      display_name: person.name,
      email: person.email,
    })
    .where('id', '=', userId)
    .where('person_id', 'is', null)
    .execute();
}
