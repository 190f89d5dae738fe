import type { UserId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** Serializes inserts that are counted against a limit of the user. */
export async function lockUser(trx: DatabaseTransaction, userId: UserId): Promise<void> {
  await trx
    .selectFrom('user_account')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .execute();
}
