// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeOwnerToken } from '#src/accounts/people/owner-link.ts';
import { insertPerson, openBrowser, PASSWORD, signIn } from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace({ SIGN_UP: 'open' });
});
afterAll(() => millrace[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from sign_in_attempt`.execute(millrace.services.db);
});

const tokenOf = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? '';
const newEmail = () => `${randomUUID()}@example.com`;
const post = (path: string, body: object) => openBrowser(millrace).call('POST', path, body);
const sorted = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

it('several who sign up with one address at once make one person with one workspace', async () => {
  const email = newEmail();
  const body = { name: 'Ada', email, password: PASSWORD, workspace_name: 'Of Ada' };
  const answers = await Promise.all([1, 2, 3, 4].map(() => post('/session/sign-up', body)));
  expect(sorted(answers)).toEqual([200, 409, 409, 409]);
  const { rows } = await sql`select from user_account where email = ${email}`.execute(
    millrace.services.db,
  );
  expect(rows).toHaveLength(1);
});

it('invitations of two workspaces that a new person accepts at once make one person, and the other stays', async () => {
  const email = newEmail();
  const invite = async () => {
    const { key } = await millrace.createWorkspace();
    return millrace.call('POST', '/account/invitations', { email }, { key });
  };
  const tokens = [await invite(), await invite()].map(({ body }) => tokenOf(body.link));
  const accept = (token: string) =>
    post('/session/invitation/accept', { token, name: 'Ada', password: PASSWORD });
  const answers = await Promise.all(tokens.map(accept));
  const [accepted, other] = sorted(answers);
  expect(accepted).toBe(200);
  expect([401, 409]).toContain(other);
  const left = tokens.find((_, index) => answers[index]?.status !== 200) ?? '';
  const browser = await signIn(millrace, email);
  const joined = await browser.call('POST', '/session/invitation/accept', { token: left });
  expect(joined.body.workspaces).toHaveLength(2);
});

it('of several owner links that are used at once, one works', async () => {
  const { db } = millrace.services;
  const tokens = await Promise.all([1, 2, 3, 4].map(async () => (await makeOwnerToken(db)).token));
  const use = (token: string) =>
    post('/session/owner', { token, name: 'Owner', email: newEmail(), password: PASSWORD });
  expect(sorted(await Promise.all(tokens.map(use)))).toEqual([200, 400, 400, 400]);
});

it.each(['removed', 'demoted'])(
  'an owner link ends when an operator is %s, who could come back by it',
  async (how) => {
    const { db } = millrace.services;
    const { rows } = await sql<{ id: string }>`
      select id from workspace where is_bootstrap`.execute(db);
    const leaving = await insertPerson(millrace.services, rows[0]?.id ?? '', 'admin');
    const browser = await signIn(millrace, leaving.personEmail);
    const made = await browser.call('POST', '/manage/admin/owner-link');
    const member = `/account/members/${leaving.personMemberId}`;
    if (how === 'removed') await millrace.call('DELETE', member);
    else await millrace.call('PATCH', member, { role: 'observer' });
    const back = await post('/session/owner', {
      token: tokenOf(made.body.link),
      name: 'Back',
      email: newEmail(),
      password: PASSWORD,
    });
    expect([back.status, back.body.error_code]).toEqual([400, 'BAD_REQUEST']);
  },
);

it('a session alone does not help to guess its password', async () => {
  const { workspaceId } = await millrace.createWorkspace();
  const { personEmail } = await insertPerson(millrace.services, workspaceId, 'member');
  const browser = await signIn(millrace, personEmail);
  const change = (currentPassword: string) =>
    browser.call('POST', '/auth/change-password', {
      currentPassword,
      newPassword: 'a new password',
    });
  for (let n = 0; n < 5; n += 1) expect((await change(`wrong ${n}`)).status).toBe(400);
  expect((await change(PASSWORD)).status).toBe(429);
  await sql`update sign_in_attempt set ends_at = now()`.execute(millrace.services.db);
  expect((await change(PASSWORD)).status).toBe(200);
});
