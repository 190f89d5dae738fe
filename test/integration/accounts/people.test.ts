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

let millrace: TestMillrace;
let home: { workspaceId: string; key: string };
let other: { workspaceId: string; key: string };
let person: SeededPerson;
let browser: Browser;

beforeAll(async () => {
  millrace = await startTestMillrace({ SIGN_UP: 'open', DEFAULT_PLAN: 'Free' });
});
afterAll(() => millrace[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from sign_in_attempt`.execute(millrace.services.db);
  [home, other] = [await millrace.createWorkspace(), await millrace.createWorkspace()];
  person = await insertPerson(millrace.services, home.workspaceId, 'member');
  browser = await signIn(millrace, person.personEmail);
});

const join = (workspaceId: string) =>
  insertMembership(millrace.services.db, {
    id: randomUUID(),
    workspaceId,
    personId: person.personId,
    role: 'read',
    name: 'Somebody',
  });
const invite = (key: string, body: object) =>
  millrace.call('POST', '/account/invitations', body, { key });
const tokenOf = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? '';
const accept = (by: Browser, body: object) => by.call('POST', '/session/invitation/accept', body);

describe('a session', () => {
  it('acts in the chosen workspace, in the role that its person has there', async () => {
    await join(other.workspaceId);
    expect((await browser.call('GET', '/account')).body).toMatchObject({
      workspace_id: home.workspaceId,
      role: 'member',
    });
    const chosen = await browser.call('PUT', '/session/workspace', {
      workspace_id: other.workspaceId,
    });
    expect(chosen.body).toMatchObject({
      person: { id: person.personId, has_password: true },
      workspace: { id: other.workspaceId, role: 'read', is_operator: false },
      workspaces: [{ id: home.workspaceId }, { id: other.workspaceId }],
    });
    expect((await browser.call('GET', '/account')).body.role).toBe('read');
    const refused = await browser.call('POST', '/user/projects/create', { name: 'Mine' });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This needs the role admin or member; your role in this workspace is read.',
    ]);
    // The next session begins where this one is.
    const next = await signIn(millrace, person.personEmail);
    expect((await next.call('GET', '/session')).body.workspace.id).toBe(other.workspaceId);
  });

  it('cannot choose a workspace of others', async () => {
    for (const id of [other.workspaceId, randomUUID(), 'nonsense']) {
      const answer = await browser.call('PUT', '/session/workspace', { workspace_id: id });
      expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await browser.call('GET', '/account')).body.workspace_id).toBe(home.workspaceId);
  });

  it('of an administrator of another workspace has no operator rights', async () => {
    const admin = await insertPerson(millrace.services, home.workspaceId, 'admin');
    const session = await signIn(millrace, admin.personEmail);
    expect((await session.call('GET', '/manage/admin/workspaces')).status).toBe(403);
    expect((await session.call('POST', '/manage/admin/owner-link')).status).toBe(403);
    expect((await session.call('GET', '/admin/queues')).status).toBe(403);
  });

  it('is listed without its token, and ended at once by its person alone', async () => {
    const second = await signIn(millrace, person.personEmail);
    const { body, text } = await browser.call('GET', '/session/sessions');
    expect(body.sessions.map((one: { is_current: boolean }) => one.is_current)).toEqual([
      false,
      true,
    ]);
    for (const { cookies } of [browser, second]) {
      expect(text).not.toContain(/=([^.]+)/.exec(cookies)?.[1]);
    }
    const id = body.sessions[0].id;
    const stranger = await insertPerson(millrace.services, home.workspaceId, 'admin');
    const strange = await signIn(millrace, stranger.personEmail);
    expect((await strange.call('DELETE', `/session/sessions/${id}`)).status).toBe(404);
    expect((await second.call('GET', '/account')).status).toBe(200);
    expect((await browser.call('DELETE', `/session/sessions/${id}`)).status).toBe(200);
    expect((await second.call('GET', '/account')).status).toBe(401);
    await signIn(millrace, person.personEmail);
    expect((await browser.call('DELETE', '/session/sessions')).body.count).toBe(1);
    expect((await browser.call('GET', '/account')).status).toBe(200);
    expect((await strange.call('GET', '/account')).status).toBe(200);
  });

  it('ends when its person signs out, and when it expires', async () => {
    const stolen = openBrowser(millrace, browser.cookies);
    await browser.call('POST', '/auth/sign-out');
    expect((await stolen.call('GET', '/account')).status).toBe(401);
    const late = await signIn(millrace, person.personEmail);
    await sql`update person_session set expires_at = now()`.execute(millrace.services.db);
    expect((await late.call('GET', '/account')).status).toBe(401);
  });

  it('is prolonged while it is used', async () => {
    const { db } = millrace.services;
    await sql`update person_session set expires_at = expires_at - interval '2 days'
      where person_id = ${person.personId}`.execute(db);
    const left = async () =>
      (await browser.call('GET', '/session/sessions')).body.sessions[0].expires_at;
    const before = await left();
    const answer = await browser.call('GET', '/session');
    expect(answer.headers.getSetCookie()[0]).toContain('HttpOnly');
    expect(new Date(await left()).getTime() - new Date(before).getTime()).toBeGreaterThan(
      86_400_000,
    );
  });
});

describe('a member who signs in', () => {
  const path = () => `/account/members/${person.personMemberId}`;

  it('has the new role at once', async () => {
    const change = await millrace.call('PATCH', path(), { role: 'read' }, { key: home.key });
    expect(change.body).toEqual({ user_id: person.personMemberId, role: 'read' });
    expect((await browser.call('GET', '/account')).body.role).toBe('read');
    const strange = await millrace.call('PATCH', path(), { role: 'admin' }, { key: other.key });
    expect(strange.status).toBe(404);
  });

  it('is out at once when removed, here only, and forgotten with the last workspace', async () => {
    await join(other.workspaceId);
    const elsewhere = await signIn(millrace, person.personEmail);
    await elsewhere.call('PUT', '/session/workspace', { workspace_id: other.workspaceId });
    await millrace.call('DELETE', path(), undefined, { key: home.key });
    expect((await browser.call('GET', '/account')).status).toBe(401);
    expect((await elsewhere.call('GET', '/account')).body.workspace_id).toBe(other.workspaceId);
    const back = await elsewhere.call('PUT', '/session/workspace', {
      workspace_id: home.workspaceId,
    });
    expect(back.status).toBe(404);
    const { body } = await millrace.call('GET', '/account/members', undefined, { key: other.key });
    const id = body.members.find((one: { email: string }) => one.email === person.personEmail);
    await millrace.call('DELETE', `/account/members/${id.user_id}`, undefined, { key: other.key });
    const { rows } = await sql`select from person where id = ${person.personId}`.execute(
      millrace.services.db,
    );
    expect(rows).toEqual([]);
  });

  it('deletes themselves with the password only, and not while they own a workspace', async () => {
    const remove = (by: Browser, password?: string) =>
      by.call('DELETE', '/session/person', { password });
    expect((await remove(browser)).status).toBe(401);
    expect((await remove(browser, 'wrong')).status).toBe(401);
    expect((await remove(browser, PASSWORD)).body).toEqual({ status: 'deleted' });
    expect((await browser.call('GET', '/session')).status).toBe(401);
    const owner = openBrowser(millrace);
    const email = `${randomUUID()}@example.com`;
    const founder = { name: 'Founder', email, password: PASSWORD, workspace_name: 'Own' };
    const made = await owner.call('POST', '/session/sign-up', founder);
    expect(made.body.workspace).toMatchObject({ name: 'Own', role: 'admin', is_operator: false });
    expect((await remove(owner, PASSWORD)).status).toBe(409);
    expect((await openBrowser(millrace).call('POST', '/session/sign-up', founder)).status).toBe(
      409,
    );
  });
});

describe('an invitation', () => {
  it('makes a member once, with a seat, and shows its token to nobody else', async () => {
    const email = `Guest-${randomUUID()}@Example.com`;
    const made = await invite(home.key, { email, role: 'read' });
    expect(made.body).toMatchObject({ email: email.toLowerCase(), mailed: false });
    const token = tokenOf(made.body.link);
    const listed = await millrace.call('GET', '/account/invitations', undefined, { key: home.key });
    expect(listed.body.total).toBe(1);
    expect(listed.text).not.toContain(token);
    const guest = openBrowser(millrace);
    const offer = await guest.call('POST', '/session/invitation', { token });
    expect(offer.body).toMatchObject({
      email: email.toLowerCase(),
      role: 'read',
      has_account: false,
    });
    expect((await accept(guest, { token })).status).toBe(400); // a name and a password are missing
    const joined = await accept(guest, { token, name: 'Guest', password: PASSWORD });
    expect(joined.body.workspace).toMatchObject({ id: home.workspaceId, role: 'read' });
    expect(
      (await accept(openBrowser(millrace), { token, name: 'B', password: PASSWORD })).status,
    ).toBe(400);
  });

  it('gives nobody the account that its address has elsewhere', async () => {
    const { body } = await invite(other.key, { email: person.personEmail, role: 'admin' });
    const stolen = { token: tokenOf(body.link), name: 'Thief', password: 'password of a thief' };
    expect((await accept(openBrowser(millrace), stolen)).status).toBe(401);
    const thief = await insertPerson(millrace.services, other.workspaceId, 'admin');
    expect((await accept(await signIn(millrace, thief.personEmail), stolen)).status).toBe(403);
    await expect(signIn(millrace, person.personEmail, stolen.password)).rejects.toThrow('wrong');
    const joined = await accept(browser, { token: stolen.token });
    expect(joined.body.workspace).toMatchObject({ id: other.workspaceId, role: 'admin' });
    expect(joined.body.workspaces).toHaveLength(2);
  });

  it('is dead once withdrawn or expired, and withdrawn by its own workspace only', async () => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await invite(home.key, { email });
    const path = `/account/invitations/${body.id}`;
    expect((await millrace.call('DELETE', path, undefined, { key: other.key })).status).toBe(404);
    const offer = () =>
      openBrowser(millrace).call('POST', '/session/invitation', { token: tokenOf(body.link) });
    expect((await offer()).status).toBe(200);
    const { db } = millrace.services;
    await sql`update invitation set expires_at = now() where id = ${body.id}`.execute(db);
    expect((await offer()).status).toBe(400);
    await sql`update invitation set expires_at = now() + interval '1 day'`.execute(db);
    expect((await millrace.call('DELETE', path, undefined, { key: home.key })).status).toBe(200);
    expect((await offer()).status).toBe(400);
  });

  it('takes a seat while it is open, and none without one', async () => {
    const { key } = await millrace.createWorkspace('Personal'); // three seats
    const emails = [1, 2, 3].map(() => `${randomUUID()}@example.com`);
    expect((await invite(key, { email: emails[0] })).status).toBe(200);
    const { body } = await invite(key, { email: emails[1] });
    expect((await invite(key, { email: emails[2] })).status).toBe(403);
    for (const name of ['A', 'B']) {
      await sql`update workspace set plan_tier = 'Free' where id = (
        select workspace_id from invitation where id = ${body.id})`.execute(millrace.services.db);
      const joining = { token: tokenOf(body.link), name, password: PASSWORD };
      expect((await accept(openBrowser(millrace), joining)).status).toBe(403);
    }
  });
});
