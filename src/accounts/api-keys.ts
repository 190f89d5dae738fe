import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Role } from '#src/tables/accounts.ts';

const PREFIX_LENGTH = 7;

/** What can be shown of a key after it was created. */
export interface ApiKey {
  id: ApiKeyId;
  name: string;
  role: Role;
  prefix: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface NewApiKey {
  workspaceId: WorkspaceId;
  userId: UserId;
  name: string;
  role: Role;
  /** Null if the key never expires. */
  expiresInDays: number | null;
}

/** SHA-256 of the key, the only form in which it is stored. 32 random bytes need no slow hash. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** What is stored of a key: its hash, and its first and last characters so that people can tell keys apart. */
export function describeApiKey(key: string): {
  key_hash: Buffer;
  prefix: string;
  last_four: string;
} {
  return {
    key_hash: hashApiKey(key),
    prefix: key.slice(0, PREFIX_LENGTH),
    last_four: key.slice(-4),
  };
}

/** Creates a key for a user account. `key` is returned only here. */
export async function createApiKey(
  db: Database | DatabaseTransaction,
  { workspaceId, userId, name, role, expiresInDays }: NewApiKey,
): Promise<ApiKey & { key: string }> {
  const key = `mr_${randomBytes(32).toString('base64url')}`;
  const described = describeApiKey(key);
  const row = await db
    .insertInto('api_key')
    .values({
      ...described,
      id: randomUUID() as ApiKeyId, // a new row's id is branded at its source
      workspace_id: workspaceId,
      user_id: userId,
      name,
      role,
      is_bootstrap: false,
      expires_at:
        expiresInDays === null
          ? null
          : sql<Date>`now() + make_interval(days => ${expiresInDays}::int)`,
    })
    .returning(['id', 'created_at', 'expires_at'])
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    name,
    role,
    key,
    prefix: described.prefix,
    lastFour: described.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: null,
  };
}

/** The keys of a workspace that are not revoked, oldest first, including expired keys. */
export async function listApiKeys(db: Database, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_key')
    .select([
      'id',
      'name',
      'role',
      'prefix',
      'last_four',
      'created_at',
      'expires_at',
      'last_used_at',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    role: row.role,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }));
}

/**
 * Revokes a key; every process rejects it within 5 s.
 * @throws Problem NOT_FOUND when the workspace has no such key or it is already revoked
 */
export async function revokeApiKey(
  db: Database,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: string },
): Promise<void> {
  const revoked = await db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`now()` })
    // Compared as text, so that a malformed UUID is an unknown id instead of a database error.
    .where(sql<string>`id::text`, '=', id.toLowerCase())
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!revoked) {
    throw new Problem(
      'NOT_FOUND',
      `There is no API key with the id ${JSON.stringify(id.slice(0, 100))}. GET /account/api-keys lists the keys of this workspace.`,
    );
  }
}
