import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '#src/accounts/api-keys.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { describeApi } from '#src/api/openapi.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { setPlan } from '#src/billing/set-plan.ts';
import type { Database } from '#src/platform/database.ts';
import { type PlanTier, PLAN_TIERS } from '#src/tables/accounts.ts';
import { call, openTestApi, openTestDatabase, post, type TestApi } from './harness.ts';

/** Longer than an authenticator caches a key. */
const CACHE_MS = 3_000;

const gated = (plan: PlanTier): Route =>
  defineRoute({
    method: 'POST',
    path: `/needs/${plan}`,
    summary: 'Behind the gate',
    description: 'Some words.',
    tag: 'Test',
    family: 'reference',
    scope: 'member',
    plan,
    body: z.object({ name: z.string() }),
    reply: z.object({ passed: z.literal(true) }),
    handle: () => ({ passed: true as const }),
  });
const open = defineRoute({
  method: 'GET',
  path: '/open',
  summary: 'Without a gate',
  tag: 'Test',
  family: 'reference',
  scope: 'any',
  reply: z.object({}),
  handle: () => ({}),
});
const routes = [...PLAN_TIERS.map(gated), open];

let database: Database;
let api: TestApi;
let now = Date.now();

beforeAll(async () => {
  database = await openTestDatabase();
  api = await openTestApi(routes, {
    database,
    overrides: { clock: () => new Date(now) },
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.destroy();
});

const workspaceOn = (planTier: PlanTier) => createWorkspace(database, { name: planTier, planTier });

describe('a route that requires a plan', () => {
  it.each(PLAN_TIERS)('admits a workspace on %s only where the plan suffices', async (tier) => {
    const { apiKey } = await workspaceOn(tier);
    for (const needed of PLAN_TIERS) {
      const { status, json } = await post(api, `/needs/${needed}`, { name: 'x' }, apiKey);
      if (PLAN_TIERS.indexOf(tier) >= PLAN_TIERS.indexOf(needed)) {
        expect([status, json], needed).toEqual([200, { passed: true }]);
        continue;
      }
      expect([status, json['error_code']], needed).toEqual([403, 'UNAUTHORIZED']);
      expect(json['detail']).toContain(`needs the ${needed} plan`);
      expect(json['detail']).toContain(`this workspace is on ${tier}`);
    }
    expect((await call(api, '/open', { key: apiKey })).status).toBe(200);
  });

  it('checks the key before the plan, and the plan before the body', async () => {
    const { apiKey, ...ids } = await workspaceOn('Free');
    const reading = await createApiKey(database, {
      ...ids,
      name: 'r',
      role: 'read',
      expiresInDays: null,
    });
    expect((await post(api, '/needs/Pro', {}, 'no such key')).status).toBe(401);
    const refused = await post(api, '/needs/Pro', {}, reading.key);
    expect(refused.json['detail']).toContain('role');
    const wrongBody = await post(api, '/needs/Pro', {}, apiKey);
    expect([wrongBody.status, wrongBody.json['error_code']]).toEqual([403, 'UNAUTHORIZED']);
    expect((await post(api, '/needs/Free', {}, apiKey)).status).toBe(400);
  });

  it('follows an upgrade and a downgrade within 3 seconds', async () => {
    const { apiKey, workspaceId } = await workspaceOn('Free');
    const knock = async () => (await post(api, '/needs/Pro', { name: 'x' }, apiKey)).status;
    const change = async (planTier: PlanTier) => {
      await setPlan(database, { workspaceId, planTier, now: new Date(now), graceDays: 7 });
      now += CACHE_MS;
    };
    expect(await knock()).toBe(403);
    await change('Pro');
    expect(await knock()).toBe(200);
    await change('Personal');
    expect(await knock()).toBe(403);
  });

  it('shows its plan in the API description, unlike a route without one', async () => {
    // describeApi returns plain JSON
    const { paths } = (await describeApi(routes, { version: '1', serverUrl: '/' })) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    const personal = paths['/needs/Personal']?.['post'];
    expect(personal?.['x-plan']).toBe('Personal');
    expect(personal?.['description']).toBe(
      'Some words.\n\nAn API key with the role admin or member.\n\nThe workspace needs the Personal plan or higher.',
    );
    expect(paths['/needs/Enterprise']?.['post']?.['description']).toContain(
      'needs the Enterprise plan.',
    );
    expect(JSON.stringify(paths['/open'])).not.toContain('plan');
  });
});
