import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmailStage, type EmailTenant, startEmailStage } from '#test/support/email-stage.ts';

let stage: EmailStage;
beforeAll(async () => {
  stage = await startEmailStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function defaultsOf(tenant: EmailTenant): Promise<string[]> {
  const { body } = await tenant.call('GET', '/email-accounts');
  const accounts: { id: string; default: boolean }[] = body.accounts;
  return accounts.filter((account) => account.default).map(({ id }) => id);
}

it('the first account is the default, later ones are not', async () => {
  const tenant = await stage.openTenant();
  const first = await tenant.createAccount();
  const second = await tenant.createAccount();
  expect([first.default, second.default]).toEqual([true, false]);
  expect(await defaultsOf(tenant)).toEqual([first.id]);
});

it('twenty first accounts created at once leave one default', async () => {
  const tenant = await stage.openTenant();
  const made = await Promise.all(Array.from({ length: 20 }, () => tenant.createAccount()));
  expect(made.filter((account) => account.default)).toHaveLength(1);
  expect(await defaultsOf(tenant)).toHaveLength(1);
});

it('another account can become the default', async () => {
  const tenant = await stage.openTenant();
  await tenant.createAccount();
  const { id, email } = await tenant.createAccount();
  const set = await tenant.call('POST', `/email-accounts/${id}/set-default`);
  expect([set.status, set.body]).toEqual([200, { id, email, default: true }]);
  expect((await tenant.call('POST', `/email-accounts/${id}/set-default`)).body.default).toBe(true);
  expect(await defaultsOf(tenant)).toEqual([id]);
});

it('sixty concurrent changes of the default with a deletion leave at most one default and no error', async () => {
  const tenant = await stage.openTenant();
  const accounts = await Promise.all(Array.from({ length: 6 }, () => tenant.createAccount()));
  const [doomed, ...others] = accounts;
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n === 30
        ? tenant.call('DELETE', `/email-accounts/${doomed.id}`)
        : tenant.call('POST', `/email-accounts/${accounts[n % 6].id}/set-default`),
    ),
  );
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 404])).size).toBe(0);
  expect((await defaultsOf(tenant)).length).toBeLessThanOrEqual(1);
  await tenant.call('POST', `/email-accounts/${others[0].id}/set-default`);
  expect(await defaultsOf(tenant)).toEqual([others[0].id]);
});

it('deleting the default leaves none, and the answer says so', async () => {
  const tenant = await stage.openTenant();
  const { id } = await tenant.createAccount();
  const { id: other } = await tenant.createAccount();
  const { body } = await tenant.call('DELETE', `/email-accounts/${id}`);
  expect(body).toMatchObject({ status: 'deleted', default_deleted: true });
  expect(body.message).toContain('No account is the default now.');
  expect(body.message).toContain('/set-default');
  expect(await defaultsOf(tenant)).toEqual([]);
  expect((await tenant.createAccount()).default).toBe(false);
  expect((await tenant.account(other)).default).toBe(false);
});

it('an account of another workspace cannot be made the default', async () => {
  const [tenant, stranger] = [await stage.openTenant(), await stage.openTenant()];
  await tenant.createAccount();
  const { id } = await tenant.createAccount();
  const before = await defaultsOf(tenant);
  const answer = await stranger.call('POST', `/email-accounts/${id}/set-default`);
  expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
  expect(await defaultsOf(tenant)).toEqual(before);
});

it('the database rejects two defaults', async () => {
  const tenant = await stage.openTenant();
  await Promise.all([tenant.createAccount(), tenant.createAccount()]);
  const both = sql`update email_account set is_default = true
    where workspace_id = ${tenant.workspaceId}`.execute(stage.millrace.services.db);
  await expect(both).rejects.toThrow('email_account_default');
});
