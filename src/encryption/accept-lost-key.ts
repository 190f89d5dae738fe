import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { StartError } from '#src/platform/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { countValuesByKey } from './keys-in-use.ts';

/**
 * Lets processes start without a key that is permanently lost. Values sealed with it stay unreadable until they are
 * entered again; adding the key back to the ring restores them.
 * @returns the number of those values
 * @throws StartError when the key is present, or has sealed nothing
 */
export async function acceptLostKey(
  db: Database,
  { secrets, setting }: KeyRing,
  keyId: string,
): Promise<number> {
  if (secrets.keyIds.includes(keyId)) {
    throw new StartError(`The key ${keyId} is not lost: ${setting} has it.`);
  }
  const values = (await countValuesByKey(db)).get(keyId) ?? 0;
  if (values === 0) {
    throw new StartError(
      `--accept-lost-key ${keyId}: no value in this database is encrypted with a key of that id.`,
    );
  }
  await sql`insert into encryption_key (id, lost_at) values (${keyId}, now())
    on conflict (id) do update set lost_at = excluded.lost_at`.execute(db);
  return values;
}
