import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createSecretBox, type SecretBox, UnreadableSecret } from '#src/platform/crypto.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { keyIdOf } from '#src/platform/encryption-keys.ts';

/** Any number that no other lock of Millrace uses. */
const UNSUBSCRIBE_KEY_LOCK = 7_202_613;

interface KeyRow {
  id: string;
  sealed_key: string;
  makes_links: boolean;
}

/**
 * The keys of unsubscribe links. They are rows, sealed by the deployment's keys and independent of them: a message lies
 * in a mailbox for years, and its link outlives every rotation. The first start makes one.
 * @param ringKeys under these, links were made before there were keys for links; they are kept for those
 */
export async function openUnsubscribeKeys(
  db: Database,
  secrets: SecretBox,
  ringKeys: readonly Buffer[],
): Promise<SecretBox> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${UNSUBSCRIBE_KEY_LOCK})`.execute(trx);
    const { rows } = await sql<KeyRow>`
      select id, sealed_key, makes_links from unsubscribe_key order by created_at desc, id`.execute(
      trx,
    );
    const readable = rows.flatMap((row) => openRow(secrets, row));
    const making = readable.filter(({ makesLinks }) => makesLinks);
    const reading = readable.filter(({ makesLinks }) => !makesLinks);
    if (rows.length === 0 && (await isOlderDeployment(trx))) {
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
  /** False: it only reads links that were made before. */
  makesLinks: boolean;
}

/** Links of a key whose own key was given up are lost with it. */
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
  await sql`insert into unsubscribe_key (id, sealed_key, makes_links)
    values (${id}, ${sealed}, ${makesLinks})`.execute(trx);
}

/** A new database has no workspace yet when its first process starts. */
async function isOlderDeployment(trx: DatabaseTransaction): Promise<boolean> {
  const { rows } = await sql`select 1 from workspace limit 1`.execute(trx);
  return rows.length > 0;
}

function rowName(id: string): string {
  return `unsubscribe_key:${id}`;
}
