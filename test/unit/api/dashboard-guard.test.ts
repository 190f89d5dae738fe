import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { bearer, BOOTSTRAP_KEY, openTestApi, type TestApi } from './harness.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi([], { settings: { PUBLIC_URL: 'https://millrace.example' } });
});
afterAll(() => api[Symbol.asyncDispose]());

const basic = (key: string) => ({ authorization: `Basic ${btoa(`anyone:${key}`)}` });
const call = (headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${api.url}/admin/queues`, { headers, ...init });

describe('the queue dashboard', () => {
  it('asks a browser for the key', async () => {
    const response = await call({});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic realm="Millrace"');
    expect(await response.json()).toMatchObject({ error_code: 'UNAUTHENTICATED' });
  });

  it('opens for an admin of the bootstrap workspace, without CORS', async () => {
    for (const headers of [basic(BOOTSTRAP_KEY), bearer(BOOTSTRAP_KEY)]) {
      const response = await call(headers);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<html');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('stays closed to other roles, other workspaces and wrong keys', async () => {
    expect((await call(basic(await api.keyFor('member')))).status).toBe(403);
    const other = await createWorkspace(api.db, { name: 'Other', planTier: 'Pro' });
    expect((await call(basic(other.apiKey))).status).toBe(403);
    expect((await call(basic('wrong'))).status).toBe(401);
    expect((await fetch(`${api.url}/admin/queues/api/queues`)).status).toBe(401);
  });

  it.each([
    [{ ...basic(BOOTSTRAP_KEY), origin: 'https://evil.example' }, 403],
    [{ ...basic(BOOTSTRAP_KEY), 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...basic(BOOTSTRAP_KEY), origin: 'null' }, 403],
    [basic(BOOTSTRAP_KEY), 403],
    [{ ...basic(BOOTSTRAP_KEY), origin: 'SELF', 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...basic(BOOTSTRAP_KEY), origin: 'SELF', 'sec-fetch-site': 'same-origin' }, 404],
    [{ ...basic(BOOTSTRAP_KEY), origin: 'https://millrace.example' }, 404],
    [bearer(BOOTSTRAP_KEY), 404],
  ] as [Record<string, string>, number][])(
    'answers a change with headers %j with %i',
    async (sent, status) => {
      const headers = { ...sent, ...(sent.origin === 'SELF' ? { origin: api.url } : {}) };
      const response = await fetch(`${api.url}/admin/queues/api/queues/none/pause`, {
        method: 'PUT',
        headers,
      });
      expect(response.status).toBe(status);
    },
  );
});
