import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { StartError } from '#src/platform/errors.ts';
import { describeApiKey, hashApiKey } from './api-keys.ts';
import { insertWorkspace } from './workspaces.ts';

/** Must differ from every other lock id in Millrace. */
const BOOTSTRAP_LOCK = 7_202_601;

export interface Bootstrap {
  workspaceId: WorkspaceId;
  /** The owner, which the bootstrap key acts as. */
  userId: UserId;
  createdWorkspace: boolean;
  /** `revoked`: an admin revoked this key and a restart does not restore it; set another one. */
  bootstrapKey: 'created' | 'replaced' | 'unchanged' | 'revoked' | 'not-set';
  /** False: nobody can sign in yet, so whoever starts the service should create a key. */
  hasAdminKey: boolean;
}

/**
 * Ensures that the bootstrap workspace exists and that the key in `BOOTSTRAP_ADMIN_API_KEY` opens it. A changed setting
 * replaces the earlier key; an absent setting keeps it. Safe when several processes start at once.
 * @throws StartError when the setting holds a key that was created through the API
 */
export async function ensureBootstrap(
  db: Database,
  { bootstrapKey }: { bootstrapKey: string | null },
): Promise<Bootstrap> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`.execute(transaction);
    const found = await findBootstrapWorkspace(transaction);
    const ids =
      found ??
      (await insertWorkspace(transaction, {
        name: 'Bootstrap',
        planTier: 'Enterprise',
        isBootstrap: true,
      }));
    return {
      ...ids,
      createdWorkspace: found === null,
      bootstrapKey:
        bootstrapKey === null ? 'not-set' : await placeBootstrapKey(transaction, ids, bootstrapKey),
      hasAdminKey: await hasAdminKey(transaction, ids.workspaceId),
    };
  });
}

async function findBootstrapWorkspace(
  transaction: DatabaseTransaction,
): Promise<{ workspaceId: WorkspaceId; userId: UserId } | null> {
  const row = await transaction
    .selectFrom('workspace')
    .innerJoin('user_account', 'user_account.workspace_id', 'workspace.id')
    .select(['workspace.id as workspaceId', 'user_account.id as userId'])
    .where('workspace.is_bootstrap', '=', true)
    .orderBy('user_account.created_at')
    .orderBy('user_account.id')
    .executeTakeFirst();
  return row ?? null;
}

async function placeBootstrapKey(
  transaction: DatabaseTransaction,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  key: string,
): Promise<Bootstrap['bootstrapKey']> {
  const existing = await transaction
    .selectFrom('api_key')
    .select(['is_bootstrap', 'revoked_at'])
    .where('key_hash', '=', hashApiKey(key))
    .executeTakeFirst();
  if (existing && !existing.is_bootstrap) {
    throw new StartError(
      'BOOTSTRAP_ADMIN_API_KEY holds an API key that was made through the API. Set a value of its own; make one with: openssl rand -hex 32',
    );
  }
  // Replaced keys are deleted so that an earlier value works again; revoked keys stay so that it does not.
  const replaced = await transaction
    .deleteFrom('api_key')
    .where('is_bootstrap', '=', true)
    .where('revoked_at', 'is', null)
    .where('key_hash', '!=', hashApiKey(key))
    .returning('id')
    .execute();
  if (existing) return existing.revoked_at === null ? 'unchanged' : 'revoked';
  await transaction
    .insertInto('api_key')
    .values({
      ...describeApiKey(key),
      id: randomUUID() as ApiKeyId, // a new row's id is branded at its source
      workspace_id: workspaceId,
      user_id: userId,
      name: 'BOOTSTRAP_ADMIN_API_KEY',
      role: 'admin',
      is_bootstrap: true,
    })
    .execute();
  return replaced.length > 0 ? 'replaced' : 'created';
}

async function hasAdminKey(
  transaction: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('api_key')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .where('revoked_at', 'is', null)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  return row !== undefined;
}
