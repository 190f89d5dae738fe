import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#src/api/route.ts';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Role } from '#src/tables/accounts.ts';
import { ALLOWED } from '#test/support/allowed-roles.ts';
import { createKey, insertPair, insertUser, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

const ROLES: Role[] = ['admin', 'member', 'ingest', 'read', 'observer'];

let millrace: TestMillrace;
let workspaceId: string;
/** Keys of a workspace other than the bootstrap workspace. */
let keys: Record<Role, string>;

beforeAll(async () => {
  millrace = await startTestMillrace({ DEFAULT_PLAN: 'Enterprise' });
  const made = await millrace.createWorkspace();
  workspaceId = made.workspaceId;
  keys = { admin: made.key, member: '', ingest: '', read: '', observer: '' };
  for (const role of ['member', 'ingest', 'read', 'observer'] as const) {
    keys[role] = (await createKey(millrace, made.key, role)).key;
  }
});
afterAll(() => millrace[Symbol.asyncDispose]());

const nameOf = (route: Pick<Route, 'method' | 'path'>) => `${route.method} ${route.path}`;

/** Status of routes that need a setting which this service lacks. */
const WITHOUT_SETTING: Record<string, number> = { 'POST /billing/portal': 409 };

/** A request that passes authentication and then finds nothing to do: no body, and ids that do not exist. */
async function knock(route: Route, key: string | null, headers: Record<string, string> = {}) {
  const path = route.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  return millrace.call(route.method, path, undefined, { key, headers });
}

describe('roles and keys', () => {
  it('list the allowed roles of every route', () => {
    expect(ROUTES.map(nameOf).toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
  });

  it.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
    // Only the embedded size lets a workspace read the metrics; elsewhere they are the operator's.
    const isOperators = name === 'GET /metrics' && millrace.size !== 'embedded';
    const allowed = isOperators ? 'bootstrap-admin' : (ALLOWED[name] ?? []);
    const mayPass = (role: Role, isBootstrap: boolean) => {
      if (allowed === 'public') return true;
      if (allowed === 'bootstrap-admin') return isBootstrap && role === 'admin';
      if (allowed === 'operator-read') return isBootstrap && ['admin', 'observer'].includes(role);
      return allowed.includes(role);
    };
    const bootstrapMember = await createKey(millrace, millrace.adminKey, 'member');
    const observer = await createKey(millrace, millrace.adminKey, 'observer');
    const callers = [
      ...ROLES.map((role) => ({ key: keys[role], role, isBootstrap: false })),
      { key: millrace.adminKey, role: 'admin' as const, isBootstrap: true },
      { key: bootstrapMember.key, role: 'member' as const, isBootstrap: true },
      { key: observer.key, role: 'observer' as const, isBootstrap: true },
    ];
    for (const { key, role, isBootstrap } of callers) {
      const { status, body } = await knock(route, key);
      const passed = WITHOUT_SETTING[name] ?? [200, 400, 404];
      if (allowed === 'session') expect([400, 401], role).toContain(status);
      else if (mayPass(role, isBootstrap)) expect([passed].flat(), role).toContain(status);
      else expect([status, body.error_code], role).toEqual([403, 'UNAUTHORIZED']);
    }
  });

  it('answer 401 to missing, wrong, expired and revoked keys on every route that is not public', async () => {
    const { db } = millrace.services;
    const expired = await createKey(millrace, keys.admin, 'admin');
    await sql`update api_key set expires_at = now() - interval '1 second'
      where id = ${expired.id}`.execute(db);
    const revoked = await createKey(millrace, keys.admin, 'admin');
    const verify = () => millrace.call('GET', '/auth/verify', undefined, { key: revoked.key });
    expect((await verify()).status).toBe(200);
    await millrace.call('DELETE', `/account/api-keys/${revoked.id}`, undefined, {
      key: keys.admin,
    });
    await until(async () => (await verify()).status === 401);

    const nearMiss = `${keys.admin.slice(0, -1)}${keys.admin.endsWith('A') ? 'B' : 'A'}`;
    const bad = [null, 'wrong', nearMiss, keys.admin.toUpperCase(), expired.key, revoked.key];
    const guarded = ROUTES.filter(
      (one) => !['public', 'session'].includes(String(ALLOWED[nameOf(one)])),
    );
    for (const route of guarded) {
      for (const key of bad) {
        const { status, body, headers } = await knock(route, key);
        expect([status, body.error_code], `${nameOf(route)} ${key}`).toEqual([
          401,
          'UNAUTHENTICATED',
        ]);
        expect(headers.get('WWW-Authenticate')).toBe('Bearer');
      }
      const { status } = await knock(route, null, {
        Authorization: `Basic ${btoa(`x:${keys.admin}`)}`,
      });
      expect(status).toBe(401);
    }
  });

  it('let a member key write and delete only the documents of its own pairs', async () => {
    const { db } = millrace.services;
    const owner = await ownerOf(db, workspaceId);
    const others = await insertPair(db, workspaceId, 'Theirs', await insertUser(db, workspaceId));
    const own = await insertPair(db, workspaceId, 'Own', owner);
    const post = (key: string, id: string, cc_pair_id: number | null, text: string) =>
      millrace.call(
        'POST',
        '/service-api/ingestion',
        { document: { id, semantic_identifier: id, sections: [{ text }] }, cc_pair_id },
        { key },
      );
    const remove = (key: string, id: string) =>
      millrace.call('DELETE', `/service-api/ingestion/${id}`, undefined, { key });
    const { member, ingest } = keys;
    expect((await post(member, 'm', others, 'No.')).status).toBe(403);
    expect((await post(member, 'm', own, 'Yes.')).status).toBe(200);
    expect((await post(member, 'm', null, 'Yes again.')).status).toBe(200);
    expect((await post(ingest, 'theirs', others, 'Yes.')).status).toBe(200);
    expect((await post(member, 'theirs', null, 'No.')).status).toBe(403);
    expect((await post(member, 'theirs', 2 ** 40, 'No.')).status).toBe(403);
    expect((await remove(member, 'theirs')).status).toBe(403);
    const batch = await millrace.call(
      'POST',
      '/service-api/ingestion/batch',
      {
        documents: [others, own].map((cc_pair_id, n) => ({
          document: { id: `n${n}`, semantic_identifier: 'n', sections: [{ text: 'n' }] },
          cc_pair_id,
        })),
      },
      { key: member },
    );
    expect(batch.body.results).toMatchObject([
      { error_code: 'UNAUTHORIZED' },
      { document_id: 'n1' },
    ]);
    expect((await remove(member, 'm')).status).toBe(200);
    expect((await remove(ingest, 'theirs')).status).toBe(200);
  });
});
