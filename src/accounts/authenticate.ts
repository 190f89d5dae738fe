import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { ApiKeyId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { hashApiKey } from './api-keys.ts';
import type { Principal } from './principal.ts';

/** A revoked key must fail within 5 s in every process; 3 s leaves time for the lookup itself. */
const CACHE_MS = 3_000;
/** About 5 MB. Unknown keys are cached too, so the size needs a limit. */
const CACHE_ENTRIES = 10_000;
const LAST_USED_EVERY_MS = 60_000;

interface KnownKey {
  principal: Principal & { keyId: ApiKeyId };
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Looks up the principal of a key; null for an unknown, expired or revoked key. */
export type Authenticate = (key: string) => Promise<Principal | null>;

export interface AuthenticationServices {
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Creates an `Authenticate` that queries the database at most once in 3 s for the same key. */
export function createAuthenticator(services: AuthenticationServices): Authenticate {
  const cache = new Map<string, { readAtMs: number; known: Promise<KnownKey | null> }>();

  return async function authenticate(key) {
    const hash = hashApiKey(key);
    const cacheKey = hash.toString('base64');
    const now = services.clock();
    let entry = cache.get(cacheKey);
    if (!entry || now.getTime() - entry.readAtMs >= CACHE_MS) {
      entry = { readAtMs: now.getTime(), known: lookUp(services, hash, now) };
      // Delete before inserting: a Map keeps insertion order, so the first entry is the oldest and is evicted.
      cache.delete(cacheKey);
      cache.set(cacheKey, entry);
      evictOldest(cache);
    }
    const known = await entry.known.catch((error: unknown) => {
      cache.delete(cacheKey);
      throw error;
    });
    if (known === null) return null;
    return known.expiresAt !== null && known.expiresAt <= now ? null : known.principal;
  };
}

function evictOldest(cache: Map<string, unknown>): void {
  if (cache.size <= CACHE_ENTRIES) return;
  const oldest = cache.keys().next();
  if (!oldest.done) cache.delete(oldest.value);
}

async function lookUp(
  services: AuthenticationServices,
  hash: Buffer,
  now: Date,
): Promise<KnownKey | null> {
  const known = await findKey(services.db, hash);
  if (known !== null) await recordUse(services, known, now);
  return known;
}

async function findKey(db: Database, hash: Buffer): Promise<KnownKey | null> {
  const row = await db
    .selectFrom('api_key')
    .innerJoin('workspace', 'workspace.id', 'api_key.workspace_id')
    .select([
      'api_key.id',
      'api_key.workspace_id',
      'api_key.user_id',
      'api_key.role',
      'api_key.key_hash',
      'api_key.expires_at',
      'api_key.last_used_at',
      'workspace.plan_tier',
      'workspace.is_bootstrap',
    ])
    .where('api_key.key_hash', '=', hash)
    .where('api_key.revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || !timingSafeEqual(row.key_hash, hash)) return null;
  return {
    principal: {
      workspaceId: row.workspace_id,
      userId: row.user_id,
      keyId: row.id,
      sessionId: null,
      role: row.role,
      plan: row.plan_tier,
      isBootstrapWorkspace: row.is_bootstrap,
    },
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

/**
 * Records that a key is in use, at most once a minute. The timestamp is only informative, so a failed write does not
 * fail the request.
 */
async function recordUse(
  { db, log }: AuthenticationServices,
  { principal, expiresAt, lastUsedAt }: KnownKey,
  now: Date,
): Promise<void> {
  if (expiresAt !== null && expiresAt <= now) return;
  const minuteAgo = new Date(now.getTime() - LAST_USED_EVERY_MS);
  if (lastUsedAt !== null && lastUsedAt > minuteAgo) return;
  try {
    await db
      .updateTable('api_key')
      .set({ last_used_at: now })
      .where('id', '=', principal.keyId)
      .where((where) =>
        where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', minuteAgo)]),
      )
      .execute();
  } catch (error) {
    log.warn({ err: error, keyId: principal.keyId }, 'last_used_at of an API key was not written');
  }
}
