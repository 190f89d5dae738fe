import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { type SecretBox, UnreadableSecret } from '#src/platform/crypto.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';
import { StartError } from '#src/platform/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { countValuesByKey, findKeysInUse, sampleValues } from './keys-in-use.ts';
import { rowNameOf } from './sealed-columns.ts';

/** Arbitrary; differs from every other lock of Millrace. */
const KEY_RING_LOCK = 7_202_612;
/** More than one, because a value may be damaged. */
const MAX_SAMPLES = 20;

interface RecordedKey {
  id: string;
  check_value: string | null;
  lost_at: Date | null;
}

/**
 * Called at the start of every process that seals or opens values, so that a missing or wrong key is reported then and
 * not by the first mail that fails. Records the keys of the process.
 * @throws StartError naming the key id and the remedy
 */
export async function assertKeyRing(db: Database, ring: KeyRing): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${KEY_RING_LOCK})`.execute(trx);
    const rows: RecordedKey[] = await trx
      .selectFrom('encryption_key')
      .select(['id', 'check_value', 'lost_at'])
      .execute();
    const recorded = new Map(rows.map((row) => [row.id, row]));
    for (const key of ring.keys) {
      await checkKey(trx, ring, { key, recorded: recorded.get(keyIdOf(key)) ?? null });
    }
    const missing = [...(await findKeysInUse(trx))].filter(
      (id) => !ring.secrets.keyIds.includes(id) && !recorded.get(id)?.lost_at,
    );
    if (missing.length > 0) throw await keysMissing(trx, ring, missing);
  });
}

/** Ids are short: check values distinguish two keys with the same id. */
async function checkKey(
  trx: DatabaseTransaction,
  { secrets, setting }: KeyRing,
  { key, recorded }: { key: Buffer; recorded: RecordedKey | null },
): Promise<void> {
  const id = keyIdOf(key);
  const check = checkValueOf(key);
  const known = recorded?.check_value ?? null;
  if (known === check && !recorded?.lost_at) return;
  const isRight = known === null ? await canOpenAnyValue(trx, secrets, id) : known === check;
  if (!isRight && !recorded?.lost_at) {
    throw new StartError(
      `${setting} has a key ${id} that is not the one under which values in the database are encrypted: only the ids are the same. Start with the right key.`,
    );
  }
  await sql`insert into encryption_key (id, check_value) values (${id}, ${check})
    on conflict (id) do update set check_value = excluded.check_value, lost_at = null`.execute(trx);
}

/** Reveals nothing about the key: a pseudorandom function of all its 32 bytes (HMAC, RFC 2104). */
function checkValueOf(key: Buffer): string {
  return createHmac('sha256', key).update('millrace encryption key').digest('hex');
}

/** For keys of versions that did not record them. Also true when the key has sealed nothing. */
async function canOpenAnyValue(
  trx: DatabaseTransaction,
  secrets: SecretBox,
  keyId: string,
): Promise<boolean> {
  const samples = await sampleValues(trx, keyId, MAX_SAMPLES);
  return (
    samples.length === 0 ||
    samples.some(({ column, id, sealed }) => opens(secrets, sealed, rowNameOf(column, id)))
  );
}

function opens(secrets: SecretBox, sealed: string, rowName: string): boolean {
  try {
    secrets.open(sealed, rowName);
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
}

async function keysMissing(
  trx: DatabaseTransaction,
  { secrets, setting }: KeyRing,
  missing: readonly string[],
): Promise<StartError> {
  const counts = await countValuesByKey(trx);
  const needed = missing
    .map(
      (id) =>
        `the key ${id}, under which ${valuesOf(counts.get(id) ?? 0)} encrypted in this database`,
    )
    .join(', and ');
  const [lost] = missing;
  return new StartError(
    `${setting} lacks ${needed} (it has ${secrets.keyIds.join(', ')}). Add the missing keys, separated by commas; if a key is lost for good, run: npm run migrate -- --accept-lost-key ${lost}`,
  );
}

function valuesOf(count: number): string {
  return count === 1 ? '1 value is' : `${count} values are`;
}
