import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { hasWorkspaces } from '#src/accounts/find-workspace.ts';
import { createSecretBox, type SecretBox, UnreadableSecret } from '#src/platform/crypto.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';

/** Must differ from every other lock id in Millrace. */
const UNSUBSCRIBE_KEY_LOCK = 7_202_613;

interface KeyRow {
  id: string;
  sealed_key: string;
  makes_links: boolean;
}

/**
 * Opens the keys of unsubscribe links. They are stored as rows, sealed with the deployment's keys but independent of
 * them: a message stays in a mailbox for years, and its link must survive every key rotation. The first start creates
 * one.
 * @param ringKeys links were sealed with these before link keys existed; kept so that those links still work
 */
export async function openUnsubscribeKeys(
  db: Database,
  secrets: SecretBox,
  ringKeys: readonly Buffer[],
): Promise<SecretBox> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${UNSUBSCRIBE_KEY_LOCK})`.execute(trx);
    const rows = await trx
      .selectFrom('unsubscribe_key')
      .select(['id', 'sealed_key', 'makes_links'])
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    const readable = rows.flatMap((row) => openRow(secrets, row));
    const making = readable.filter(({ makesLinks }) => makesLinks);
    const reading = readable.filter(({ makesLinks }) => !makesLinks);
    if (rows.length === 0 && (await hasWorkspaces(trx))) {
      for (const key of ringKeys) {
        await insertKey(trx, secrets, { key, makesLinks: false });
        reading.push({ key, makesLinks: false });
      }
    }
    if (making.length === 0) {
      const made = { key: randomBytes(32), makesLinks: true };
      await insertKey(trx, secrets, made);
      making.push(made);
    }
    return createSecretBox([...making, ...reading].map(({ key }) => key));
  });
}

interface LinkKey {
  key: Buffer;
  /** False: the key only reads existing links. */
  makesLinks: boolean;
}

/** Skips a link key whose sealing key was retired; links made with it no longer work. */
function openRow(secrets: SecretBox, row: KeyRow): LinkKey[] {
  try {
    const key = Buffer.from(secrets.open(row.sealed_key, rowName(row.id)), 'base64');
    return [{ key, makesLinks: row.makes_links }];
  } catch (error) {
    if (error instanceof UnreadableSecret) return [];
    throw error;
  }
}

async function insertKey(
  trx: DatabaseTransaction,
  secrets: SecretBox,
  { key, makesLinks }: LinkKey,
): Promise<void> {
  const id = keyIdOf(key);
  const sealed = secrets.seal(key.toString('base64'), rowName(id));
  await trx
    .insertInto('unsubscribe_key')
    .values({ id, sealed_key: sealed, makes_links: makesLinks })
    .execute();
}

function rowName(id: string): string {
  return `unsubscribe_key:${id}`;
}
