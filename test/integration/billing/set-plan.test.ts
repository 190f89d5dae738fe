import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const statusOf = (key: string) => millrace.call('GET', '/subscription/status', undefined, { key });
const putPlan = (id: string, plan_tier: unknown, key = millrace.adminKey) =>
  millrace.call('PUT', `/manage/admin/workspaces/${id}/plan`, { plan_tier }, { key });

describe('an operator', () => {
  it.each([
    ['no plan', undefined],
    ['an unknown plan', 'Gold'],
    ['a plan in the wrong case', 'pro'],
    ['null', null],
  ])('is refused %s, and the error names the field', async (_, plan) => {
    const { workspaceId: id, key } = await millrace.createWorkspace('Personal');
    const { status, body } = await putPlan(id, plan);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain('body.plan_tier');
    expect((await statusOf(key)).body.plan_tier).toBe('Personal');
  });

  it.each([NOBODY, 'x', '%00'.repeat(3), `${NOBODY}' or true--`])(
    'is told that the workspace %s does not exist',
    async (id) => {
      const { status, body } = await putPlan(encodeURIComponent(id), 'Pro');
      expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  it('sets a plan, and a subscription that grants more overrides it', async () => {
    const { workspaceId: id, key } = await millrace.createWorkspace('Free');
    const set = await putPlan(id.toUpperCase(), 'Agency');
    expect([set.status, set.body]).toEqual([
      200,
      {
        workspace_id: id,
        plan_tier: 'Agency',
        base_plan_tier: 'Agency',
        previous_plan_tier: 'Free',
      },
    ]);
    expect((await statusOf(key)).body).toMatchObject({ plan_tier: 'Agency', status: 'active' });
    await sql`insert into stripe_subscription (id, workspace_id, status, plan_tier)
      values ('sub_1', ${id}, 'active', 'Pro')`.execute(millrace.services.db);
    const lowered = await putPlan(id, 'Free');
    expect(lowered.body).toMatchObject({
      plan_tier: 'Pro',
      base_plan_tier: 'Free',
      previous_plan_tier: 'Agency',
    });
  });

  it('lists the workspaces, page by page', async () => {
    const { workspaceId: id } = await millrace.createWorkspace('Personal');
    const list = (query: string) => millrace.call('GET', `/manage/admin/workspaces${query}`);
    const { body: all } = await list('');
    expect(all.workspaces[0]).toMatchObject({ is_bootstrap: true, plan_tier: 'Enterprise' });
    expect(all.total).toBe(all.workspaces.length);
    expect(all.workspaces.at(-1)).toEqual({
      id,
      name: 'Another',
      plan_tier: 'Personal',
      base_plan_tier: 'Personal',
      is_bootstrap: false,
      members: 1,
      created_at: expect.any(String),
    });
    const { body: page } = await list(`?limit=1&offset=${all.total - 1}`);
    expect(page).toEqual({ workspaces: [all.workspaces.at(-1)], total: all.total });
    expect((await list('?limit=0')).body.detail).toContain('query.limit');
  });
});

describe("the owner of a workspace other than the operator's", () => {
  it('cannot change the plan of any workspace, not even of their own', async () => {
    const { workspaceId: ownId, key } = await millrace.createWorkspace('Free');
    const other = await millrace.createWorkspace('Free');
    const answers = [
      await putPlan(ownId, 'Enterprise', key),
      await putPlan(other.workspaceId, 'Enterprise', key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect((await statusOf(key)).body.plan_tier).toBe('Free');
    expect((await statusOf(other.key)).body.plan_tier).toBe('Free');
  });
});
