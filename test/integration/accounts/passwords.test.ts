import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Browser,
  insertMembership,
  insertPerson,
  openBrowser,
  PASSWORD,
  type SeededPerson,
  signIn,
} from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let person: SeededPerson;
let browser: Browser;
/** Mails of the service; null while none can be sent. */
let mails: { to: string; text: string }[] | null = null;

beforeAll(async () => {
  millrace = await startTestMillrace();
  Object.assign(millrace.services.signIn.mail, {
    canSend: async () => mails !== null,
    send: async (mail: { to: string; text: string }) => mails !== null && mails.push(mail) > 0,
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());
beforeEach(async () => {
  mails = null;
  await sql`delete from sign_in_attempt`.execute(millrace.services.db);
  const { workspaceId } = await millrace.createWorkspace();
  person = await insertPerson(millrace.services, workspaceId, 'member');
  browser = await signIn(millrace, person.personEmail);
});

const tokenOf = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? '';

describe('a forgotten password', () => {
  const ask = (email: string) =>
    openBrowser(millrace).call('POST', '/auth/request-password-reset', { email });
  const reset = (token: string, newPassword = 'a new password') =>
    openBrowser(millrace).call('POST', '/auth/reset-password', { token, newPassword });

  it('is replaced by a mailed link, once, and all sessions end', async () => {
    expect((await ask(person.personEmail)).status).toBe(409); // no sender account
    mails = [];
    for (let n = 0; n < 5; n += 1)
      await browser.call('POST', '/auth/sign-in/email', {
        email: person.personEmail,
        password: 'wrong',
      });
    const [known, unknown] = [await ask(person.personEmail), await ask('nobody@example.com')];
    expect(known.body).toEqual(unknown.body);
    await until(() => Promise.resolve(mails?.length === 1));
    expect(mails[0]?.to).toBe(person.personEmail);
    const token = tokenOf(mails[0]?.text ?? '');
    const { rows } = await sql<{ row: string }>`
      select v::text as row from person_verification v`.execute(millrace.services.db);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await reset('guess')).status).toBe(400);
    expect((await reset(token, 'short')).status).toBe(400);
    expect((await reset(token)).body).toEqual({ status: true });
    expect((await reset(token)).status).toBe(400);
    expect((await browser.call('GET', '/session')).status).toBe(401);
    // The attempts before do not count for the new password.
    await signIn(millrace, person.personEmail, 'a new password');
  });

  it('is mailed three times an hour at most', async () => {
    mails = [];
    for (let n = 0; n < 5; n += 1) expect((await ask(person.personEmail)).status).toBe(200);
    await until(() => Promise.resolve(mails?.length === 3));
  });
});

it('a changed password ends the other sessions and keeps the workspace', async () => {
  const other = (await millrace.createWorkspace()).workspaceId;
  await insertMembership(millrace.services.db, {
    id: randomUUID(),
    workspaceId: other,
    personId: person.personId,
    role: 'read',
    name: 'Somebody',
  });
  const second = await signIn(millrace, person.personEmail);
  await browser.call('PUT', '/session/workspace', { workspace_id: other });
  const change = (currentPassword: string) =>
    browser.call('POST', '/auth/change-password', {
      currentPassword,
      newPassword: 'a new password',
    });
  expect((await change('wrong')).status).toBe(400);
  expect((await change(PASSWORD)).body).toEqual({ status: true });
  expect((await second.call('GET', '/session')).status).toBe(401);
  expect((await browser.call('GET', '/session')).body.workspace.id).toBe(other);
});

describe('an invitation that is mailed', () => {
  it('is not shown to the admin, and its person has shown to read mail at the address', async () => {
    mails = [];
    const email = `${randomUUID()}@example.com`;
    const made = await millrace.call('POST', '/account/invitations', { email, role: 'read' });
    expect(made.body).toMatchObject({ link: null, mailed: true });
    expect(mails[0]?.to).toBe(email);
    const joined = await openBrowser(millrace).call('POST', '/session/invitation/accept', {
      token: tokenOf(mails[0]?.text ?? ''),
      name: 'Guest',
      password: PASSWORD,
    });
    expect(joined.status).toBe(200);
    const { rows } = await sql<{ email_verified: boolean }>`
      select email_verified from person where email = ${email}`.execute(millrace.services.db);
    expect(rows).toEqual([{ email_verified: true }]);
  });
});
