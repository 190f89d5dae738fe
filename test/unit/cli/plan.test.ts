import { describe, expect, test } from 'vitest';
import { runCommand, startFakeService } from '#test/support/fake-service.ts';

const changed = (some: Record<string, unknown> = {}) => ({
  workspace_id: 'w1',
  plan_tier: 'Pro',
  base_plan_tier: 'Pro',
  previous_plan_tier: 'Free',
  ...some,
});
const status = {
  plan_tier: 'Enterprise',
  status: 'active',
  renewal_date: '2026-03-31T10:00:00.000Z',
  amount_monthly: 14_900,
  currency: 'usd',
  trial_active: false,
  features: {
    users: 2_147_483_647,
    storage_gb: 250,
    email_accounts: 50,
    custom_domain: true,
    api_access: true,
  },
};

describe('plan set', () => {
  test('without a workspace changes the workspace of the key, in any spelling of the plan', async () => {
    await using service = await startFakeService(({ url }) => ({
      json: url === '/account' ? { workspace_id: 'w/1', role: 'admin' } : changed(),
    }));
    const run = await runCommand(['plan', 'set', 'pRO'], { url: service.url });
    expect(run).toMatchObject({
      code: 0,
      stdout: 'Workspace w1 was on Free and is on Pro now.\n',
      stderr: '',
    });
    expect(service.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/account', null],
      ['PUT', '/manage/admin/workspaces/w%2F1/plan', { plan_tier: 'Pro' }],
    ]);
  });

  test('with a workspace makes no other request', async () => {
    await using service = await startFakeService(() => ({ json: changed() }));
    const words = ['plan', 'set', 'Pro', '--workspace', 'w1', '--json'];
    const run = await runCommand(words, { url: service.url });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual(changed());
    expect(service.requests.map(({ url }) => url)).toEqual(['/manage/admin/workspaces/w1/plan']);
  });

  test('reports when a subscription keeps a higher plan in force', async () => {
    await using service = await startFakeService(() => ({
      json: changed({ base_plan_tier: 'Free', previous_plan_tier: 'Pro' }),
    }));
    const run = await runCommand(['plan', 'set', 'free', '--workspace', 'w1'], {
      url: service.url,
    });
    expect(run.stdout).toBe('Workspace w1 is on Pro as before.\n');
    expect(run.stderr).toContain('subscription grants Pro; Free applies once that ends');
  });

  test('sends nothing for an unknown plan', async () => {
    await using service = await startFakeService(() => ({ json: changed() }));
    const run = await runCommand(['plan', 'set', 'Gold'], { url: service.url });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('The plans are Free, Personal, Pro, Agency, Enterprise.');
    expect(service.requests).toEqual([]);
  });

  test.each([
    [403, 'UNAUTHORIZED', 'This needs an admin key of the bootstrap workspace.'],
    [404, 'NOT_FOUND', 'There is no workspace with the id "w9".'],
  ])('fails with the error of the service: %d', async (code, error_code, detail) => {
    await using service = await startFakeService(() => ({
      status: code,
      json: { error_code, detail, request_id: 'r1' },
    }));
    const run = await runCommand(['plan', 'set', 'Pro', '--workspace', 'w9'], {
      url: service.url,
    });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain(detail);
  });
});

describe('plan show', () => {
  test('prints one line per fact, without terminal control characters', async () => {
    await using service = await startFakeService(() => ({
      json: { ...status, status: 'active\u001b[31m' },
    }));
    const run = await runCommand(['plan', 'show'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe(`Plan            Enterprise
Status          active
Renews          2026-03-31T10:00:00.000Z
A month         149.00 USD
Users           unlimited
Storage         250 GB
Email accounts  50
`);
  });

  test('supports currencies without minor units', async () => {
    await using service = await startFakeService(() => ({
      json: { ...status, amount_monthly: 4_500, currency: 'jpy' },
    }));
    const run = await runCommand(['plan', 'show'], { url: service.url });
    expect(run.stdout).toContain('4500 JPY');
  });

  test('--json prints the whole response', async () => {
    await using service = await startFakeService(() => ({ json: status }));
    const run = await runCommand(['plan', 'show', '--json'], { url: service.url });
    expect(JSON.parse(run.stdout)).toEqual(status);
  });
});
