import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { accountRoutes } from '#src/api/routes/accounts.ts';
import { healthRoutes } from '#src/api/routes/health.ts';
import { workspaceRoutes } from '#src/api/routes/workspaces.ts';
import { anyString, BOOTSTRAP_KEY, call, openTestApi, post, type TestApi } from './harness.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi([...healthRoutes, ...accountRoutes, ...workspaceRoutes]);
});
afterAll(() => api[Symbol.asyncDispose]());

describe('keys', () => {
  it.each([
    [{}, 401],
    [{ authorization: 'Bearer' }, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: `Basic ${btoa(`x:${BOOTSTRAP_KEY}`)}` }, 401],
    [{ authorization: `bearer  ${BOOTSTRAP_KEY}` }, 200],
    [{ authorization: BOOTSTRAP_KEY }, 401],
    [{ 'x-onyx-authorization': BOOTSTRAP_KEY }, 200],
    [{ authorization: 'Bearer wrong', 'x-onyx-authorization': `Bearer ${BOOTSTRAP_KEY}` }, 200],
    [{ authorization: `Bearer ${BOOTSTRAP_KEY}`, 'x-onyx-authorization': 'Bearer wrong' }, 401],
  ])('sent as %j get %i', async (headers, status) => {
    const answer = await call(api, '/auth/verify', {
      key: '',
      headers: headers as Record<string, string>,
    });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.json.error_code).toBe('UNAUTHENTICATED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('can be created, listed without their text, and revoked', async () => {
    const made = await post(api, '/account/api-keys', {
      name: ' CI ',
      role: 'ingest',
      expires_in_days: 30,
    });
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(made.json).toMatchObject({ name: 'CI', role: 'ingest', key: anyString });
    expect(made.json.key).toMatch(/^mr_/);
    const listed = await call(api, '/account/api-keys');
    expect(listed.text).not.toContain(made.json.key);
    expect(listed.text).toContain(String(made.json.id));
    const path = `/account/api-keys/${String(made.json.id)}`;
    expect((await call(api, path, { method: 'DELETE' })).json).toEqual({
      status: 'deleted',
      id: made.json.id,
    });
    expect((await call(api, path, { method: 'DELETE' })).status).toBe(404);
    expect((await call(api, '/account/api-keys/nope', { method: 'DELETE' })).status).toBe(404);
  });

  it.each([
    { name: '', role: 'read' },
    { name: 'a\0b', role: 'read' },
    { name: 'a', role: 'owner' },
    { name: 'a', role: 'read', expires_in_days: 0 },
  ])('cannot be created from %j', async (body) =>
    expect((await post(api, '/account/api-keys', body)).status).toBe(400),
  );

  it('without the required role are refused, naming that role', async () => {
    const key = await api.keyFor('member');
    const { status, json } = await call(api, '/account/api-keys', { key });
    expect([status, json.error_code]).toEqual([403, 'UNAUTHORIZED']);
    expect(json.detail).toContain('role admin');
  });

  it('of other workspaces cannot create workspaces', async () => {
    const made = await post(api, '/manage/admin/workspaces', { name: 'Other' });
    const key = String(made.json.api_key);
    expect((await call(api, '/auth/verify', { key })).json).toMatchObject({
      valid: true,
      plan: 'Free',
      rate_limit: 60,
      requests_used: 1,
    });
    expect((await post(api, '/manage/admin/workspaces', { name: 'More' }, key)).status).toBe(403);
  });
});

describe('the rate limit', () => {
  it('counts per user account and reports its state in every response', async () => {
    const { apiKey: key } = await createWorkspace(api.db, { name: 'Busy', planTier: 'Free' });
    const answers = await Promise.all(
      Array.from({ length: 65 }, () => call(api, '/auth/verify', { key })),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    // A new minute may begin in between; then slightly more than the limit passes.
    expect(passed.length).toBeGreaterThanOrEqual(60);
    const refused = answers.find((answer) => answer.status === 429);
    if (!refused) return;
    expect(refused.json.error_code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    expect((await call(api, '/health', { key })).headers.get('x-ratelimit-limit')).toBeNull();
  });
});
