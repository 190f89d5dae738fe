import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, listApiKeys, revokeApiKey } from '#src/accounts/api-keys.ts';
import { createAuthenticator } from '#src/accounts/authenticate.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { CALLER_SCOPES, type Principal, scopesOf, whyForbidden } from '#src/accounts/principal.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { Database } from '#src/platform/database.ts';
import { openTestDatabase } from '#test/unit/api/harness.ts';

const log = pino({ level: 'silent' });
const FIRST_KEY = 'first-bootstrap-key-0123456789';
const SECOND_KEY = 'second-bootstrap-key-0123456789';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  await db.deleteFrom('workspace').execute();
});
afterAll(() => db.destroy());

function authenticateAt(clock: () => Date = () => new Date()) {
  return createAuthenticator({ db, clock, log });
}

describe('API keys', () => {
  it('are never stored as text', async () => {
    const { workspaceId, apiKey } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const row = await db.selectFrom('api_key').selectAll().executeTakeFirstOrThrow();
    expect(apiKey).toMatch(/^mr_[\w-]{43}$/);
    expect(row.key_hash).toEqual(hashApiKey(apiKey));
    expect(JSON.stringify(row)).not.toContain(apiKey);
    expect([row.prefix, row.last_four]).toEqual([apiKey.slice(0, 7), apiKey.slice(-4)]);
    const listed = await listApiKeys(db, workspaceId);
    expect(JSON.stringify(listed)).not.toContain(apiKey);
  });

  it('of another workspace can be neither listed nor revoked', async () => {
    const one = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const two = await createWorkspace(db, { name: 'Two', planTier: 'Pro' });
    const [foreign] = await listApiKeys(db, two.workspaceId);
    const id = foreign?.id ?? '';
    await expect(revokeApiKey(db, { workspaceId: one.workspaceId, id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await authenticateAt()(two.apiKey)).toMatchObject({ workspaceId: two.workspaceId });
  });

  it('cannot be revoked twice', async () => {
    const { workspaceId } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const [key] = await listApiKeys(db, workspaceId);
    const revoke = () => revokeApiKey(db, { workspaceId, id: key?.id ?? '' });
    await revoke();
    await expect(revoke()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await listApiKeys(db, workspaceId)).toEqual([]);
  });
});

describe('authentication', () => {
  it('refuses a revoked key within 5 s without querying the database each time', async () => {
    let now = Date.now();
    const authenticate = authenticateAt(() => new Date(now));
    const { workspaceId, apiKey } = await createWorkspace(db, { name: 'One', planTier: 'Pro' });
    expect(await authenticate(apiKey)).toMatchObject({ role: 'admin', plan: 'Pro' });
    const [key] = await listApiKeys(db, workspaceId);
    await revokeApiKey(db, { workspaceId, id: key?.id ?? '' });
    expect(await authenticate(apiKey)).not.toBeNull();
    now += 3_000;
    expect(await authenticate(apiKey)).toBeNull();
  });

  it('refuses a key at the moment it expires, cached or not', async () => {
    let now = Date.now();
    const authenticate = authenticateAt(() => new Date(now));
    const { workspaceId, userId } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const made = await createApiKey(db, {
      workspaceId,
      userId,
      name: 'short',
      role: 'read',
      expiresInDays: 1,
    });
    now = (made.expiresAt?.getTime() ?? 0) - 1;
    expect(await authenticate(made.key)).toMatchObject({ role: 'read' });
    now += 1;
    expect(await authenticate(made.key)).toBeNull();
    expect(await authenticateAt(() => new Date(now))(made.key)).toBeNull();
  });

  it('records the use of a key at most once a minute', async () => {
    let now = Date.now();
    const authenticate = authenticateAt(() => new Date(now));
    const { workspaceId, apiKey } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const lastUsed = async () => (await listApiKeys(db, workspaceId))[0]?.lastUsedAt?.getTime();
    const start = now;
    await authenticate(apiKey);
    expect(await lastUsed()).toBe(start);
    now += 59_000;
    await authenticate(apiKey);
    expect(await lastUsed()).toBe(start);
    now += 2_000;
    await authenticate(apiKey);
    now += 3_000;
    await authenticate(apiKey);
    expect(await lastUsed()).toBe(start + 64_000);
  });

  it('does not cache a database failure', async () => {
    const { apiKey } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    const authenticate = authenticateAt();
    await sql`alter table api_key rename to api_key_away`.execute(db);
    await expect(authenticate(apiKey)).rejects.toThrow('api_key');
    await sql`alter table api_key_away rename to api_key`.execute(db);
    expect(await authenticate(apiKey)).not.toBeNull();
  });
});

describe('the bootstrap workspace', () => {
  it('is created once, even by concurrent starts', async () => {
    const starts = await Promise.all(
      [1, 2, 3].map(() => ensureBootstrap(db, { bootstrapKey: FIRST_KEY })),
    );
    expect(starts.filter((start) => start.createdWorkspace)).toHaveLength(1);
    expect(new Set(starts.map((start) => start.workspaceId)).size).toBe(1);
    expect(await authenticateAt()(FIRST_KEY)).toMatchObject({
      role: 'admin',
      plan: 'Enterprise',
      isBootstrapWorkspace: true,
    });
    const pairs = await db.selectFrom('cc_pair').selectAll().execute();
    expect(pairs).toMatchObject([{ is_default: true, source: 'ingestion_api' }]);
  });

  it('uses the configured key, also when it changes back and forth', async () => {
    for (const key of [FIRST_KEY, SECOND_KEY, FIRST_KEY]) {
      await ensureBootstrap(db, { bootstrapKey: key });
      expect(await authenticateAt()(key)).not.toBeNull();
    }
    expect(await authenticateAt()(SECOND_KEY)).toBeNull();
    const again = await ensureBootstrap(db, { bootstrapKey: FIRST_KEY });
    expect(again).toMatchObject({ createdWorkspace: false, bootstrapKey: 'unchanged' });
  });

  it('keeps its key when a process starts without the setting', async () => {
    await ensureBootstrap(db, { bootstrapKey: FIRST_KEY });
    const started = await ensureBootstrap(db, { bootstrapKey: null });
    expect(started).toMatchObject({ bootstrapKey: 'not-set', hasAdminKey: true });
    expect(await authenticateAt()(FIRST_KEY)).not.toBeNull();
  });

  it('does not restore a key that an admin revoked', async () => {
    const { workspaceId } = await ensureBootstrap(db, { bootstrapKey: FIRST_KEY });
    const [key] = await listApiKeys(db, workspaceId);
    await revokeApiKey(db, { workspaceId, id: key?.id ?? '' });
    const started = await ensureBootstrap(db, { bootstrapKey: FIRST_KEY });
    expect(started).toMatchObject({ bootstrapKey: 'revoked', hasAdminKey: false });
    expect(await authenticateAt()(FIRST_KEY)).toBeNull();
  });

  it('rejects a setting that holds a key of another workspace', async () => {
    const { apiKey } = await createWorkspace(db, { name: 'One', planTier: 'Free' });
    await expect(ensureBootstrap(db, { bootstrapKey: apiKey })).rejects.toThrow(
      'BOOTSTRAP_ADMIN_API_KEY',
    );
  });
});

describe('scopes', () => {
  it.each([
    ['admin', true, 'any read ingest read-or-ingest member admin bootstrap-admin operator-read'],
    ['admin', false, 'any read ingest read-or-ingest member admin'],
    ['member', true, 'any read ingest read-or-ingest member'],
    ['ingest', true, 'any ingest read-or-ingest'],
    ['read', true, 'any read read-or-ingest'],
    ['observer', true, 'any operator-read'],
    ['observer', false, 'any'],
  ] as const)(
    'give a key with role %s (bootstrap: %s) %s',
    (role, isBootstrapWorkspace, allowed) => {
      const principal = { role, isBootstrapWorkspace, sessionId: null } as Principal;
      const granted = CALLER_SCOPES.filter((scope) => whyForbidden(principal, scope) === null);
      expect(granted.join(' ')).toBe(allowed);
      // The console shows pages by this list, so it must match what the service permits.
      expect(scopesOf(role, isBootstrapWorkspace)).toEqual(granted);
    },
  );

  it('name the required role and the role of the key', () => {
    const principal = { role: 'read', isBootstrapWorkspace: true, sessionId: null } as Principal;
    expect(whyForbidden(principal, 'ingest')).toContain('admin, member or ingest');
    expect(whyForbidden(principal, 'ingest')).toContain('role read');
  });
});
