import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeOwnerToken } from '#src/accounts/people/owner-link.ts';
import { insertPerson, openBrowser, PASSWORD, signIn } from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let workspaceId: string;
let email: string;

beforeAll(async () => {
  millrace = await startTestMillrace();
  workspaceId = (await millrace.createWorkspace()).workspaceId;
});
afterAll(() => millrace[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from sign_in_attempt`.execute(millrace.services.db);
  email = (await insertPerson(millrace.services, workspaceId, 'admin')).personEmail;
});

const attempt = (password: string, address = email, headers: Record<string, string> = {}) =>
  openBrowser(millrace).call('POST', '/auth/sign-in/email', { email: address, password }, headers);

describe('the owner link', () => {
  const use = (token: string, address: string) =>
    openBrowser(millrace).call('POST', '/session/owner', {
      token,
      name: 'Owner',
      email: address,
      password: PASSWORD,
    });

  it('makes one operator, however many use it at once', async () => {
    const { token } = await makeOwnerToken(millrace.services.db);
    const answers = await Promise.all([1, 2, 3].map((n) => use(token, `owner-${n}@example.com`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const used = answers.find(({ status }) => status === 200);
    expect(used?.body.workspace).toMatchObject({ role: 'admin', is_operator: true });
    const { rows } = await sql`select from person where email like 'owner-%'`.execute(
      millrace.services.db,
    );
    expect(rows).toHaveLength(1);
  });

  it('ends all others once it was used, and after a day', async () => {
    const { db } = millrace.services;
    const [first, second] = [await makeOwnerToken(db), await makeOwnerToken(db)];
    expect((await use(first.token, 'first@example.com')).status).toBe(200);
    expect((await use(second.token, 'second@example.com')).status).toBe(400);
    const late = await makeOwnerToken(db);
    await sql`update invitation set expires_at = now() where email is null`.execute(db);
    expect((await use(late.token, 'late@example.com')).status).toBe(400);
  });

  it('gives an operator a new password and ends their sessions, but takes over nobody else', async () => {
    const { db } = millrace.services;
    const address = 'forgetful@example.com';
    expect((await use((await makeOwnerToken(db)).token, address)).status).toBe(200);
    const earlier = await signIn(millrace, address);
    expect((await use((await makeOwnerToken(db)).token, address)).status).toBe(200);
    expect((await earlier.call('GET', '/session')).status).toBe(401);
    const refused = await use((await makeOwnerToken(db)).token, email);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect((await attempt(PASSWORD)).status).toBe(200);
  });
});

describe('the cookie', () => {
  it('is hidden from scripts and from other sites', async () => {
    const [cookie = ''] = (await attempt(PASSWORD)).headers.getSetCookie();
    expect(cookie).toMatch(/^millrace_session=[^;]+; /);
    expect(cookie.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
    ]);
  });

  it('ends with the browser when it shall not be remembered', async () => {
    const body = { email, password: PASSWORD, rememberMe: false };
    const answer = await openBrowser(millrace).call('POST', '/auth/sign-in/email', body);
    expect(answer.headers.getSetCookie()[0]).not.toContain('Max-Age');
  });

  it('is worth nothing with another signature, another token or none', async () => {
    const { cookies } = await signIn(millrace, email);
    const [, token = '', signature = ''] = /=([^.]+)\.(.+)/.exec(cookies) ?? [];
    const other = (await signIn(millrace, email)).cookies;
    const [, otherToken = ''] = /=([^.]+)\./.exec(other) ?? [];
    for (const forged of [
      token,
      `${token}.`,
      `${token}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      `${otherToken}.${signature}`,
      `${'x'.repeat(32)}.${signature}`,
      '%00',
      '%',
      'null',
    ]) {
      const browser = openBrowser(millrace, `millrace_session=${forged}`);
      for (const path of ['/session', '/account', '/admin/queues']) {
        expect((await browser.call('GET', path)).status, `${path} ${forged}`).toBe(401);
      }
    }
    expect((await openBrowser(millrace, cookies).call('GET', '/account')).status).toBe(200);
  });

  it('that was planted before does not become a session, and an earlier session ends', async () => {
    const planted = openBrowser(millrace, 'millrace_session=planted.c2lnbmVk');
    const body = { email, password: PASSWORD };
    expect((await planted.call('POST', '/auth/sign-in/email', body)).status).toBe(200);
    expect(planted.cookies).not.toContain('planted');
    const before = planted.cookies;
    expect((await planted.call('POST', '/auth/sign-in/email', body)).status).toBe(200);
    expect(planted.cookies).not.toBe(before);
    expect((await openBrowser(millrace, before).call('GET', '/session')).status).toBe(401);
  });

  it('loses to a key, even to a wrong one', async () => {
    const { cookies } = await signIn(millrace, email);
    const both = (key: string) =>
      millrace.call('GET', '/account', undefined, { key, headers: { Cookie: cookies } });
    expect((await both('wrong')).status).toBe(401);
    expect((await both(millrace.adminKey)).body.workspace_id).not.toBe(workspaceId);
  });
});

describe('a request with a session from another site', () => {
  const key = { name: 'Stolen', role: 'admin' };
  it.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'https://stolen.test' }],
    ['the same host over another port', { Origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a cross-site page', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a subdomain', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a form of text', { 'Content-Type': 'text/plain' }],
    ['text that calls itself JSON', { 'Content-Type': 'text/plain; application/json' }],
  ])('is refused: %s', async (_, headers) => {
    const browser = await signIn(millrace, email);
    for (const [method, path, body] of [
      ['POST', '/account/api-keys', key],
      ['POST', '/api/account/api-keys', key],
      ['PUT', '/session/workspace', { workspace_id: workspaceId }],
      ['POST', '/auth/sign-in/email', { email, password: PASSWORD }],
    ] as const) {
      const answer = await browser.call(method, path, body, headers);
      expect([answer.status, answer.body.error_code], path).toEqual([403, 'UNAUTHORIZED']);
      expect(answer.headers.getSetCookie(), path).toEqual([]);
    }
    expect((await browser.call('GET', '/account/api-keys')).body.total).toBe(1);
  });

  it('is refused without a word about where it comes from, and accepted from our own page', async () => {
    const { cookies } = await signIn(millrace, email);
    const send = (headers: Record<string, string>) =>
      millrace.call('POST', '/account/api-keys', key, {
        key: null,
        headers: { Cookie: cookies, ...headers },
      });
    expect((await send({})).status).toBe(403);
    const own = await send({ 'Sec-Fetch-Site': 'same-origin' });
    expect(own.status).toBe(200);
    const path = `/account/api-keys/${own.body.id}`;
    expect((await openBrowser(millrace, cookies).call('DELETE', path)).status).toBe(200);
  });

  it('cannot sign a browser in to an account of the attacker', async () => {
    const answer = await attempt(PASSWORD, email, { Origin: 'https://stolen.test' });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });

  it('does not matter with a key', async () => {
    const headers = { Origin: 'https://client.test' };
    expect(
      (await millrace.call('PATCH', '/account', { display_name: 'A' }, { headers })).status,
    ).toBe(200);
  });
});

describe('an answer', () => {
  it.each(['/session', '/', '/docs', '/health', '/nowhere', '/admin/queues'])(
    'may not be shown in a frame: %s',
    async (path) => {
      const { headers } = await (await signIn(millrace, email)).call('GET', path);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    },
  );
});

describe('guessing a password', () => {
  it('ends after five attempts, also for the right one, and begins again after a while', async () => {
    for (let n = 0; n < 5; n += 1) expect((await attempt(`wrong ${n}`)).status).toBe(401);
    const refused = await attempt(PASSWORD);
    expect([refused.status, refused.body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    await sql`update sign_in_attempt set ends_at = now()`.execute(millrace.services.db);
    expect((await attempt(PASSWORD)).status).toBe(200);
  });

  it('is counted for all that guess at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it('is not helped by invented addresses or other spellings', async () => {
    const spellings = [email, email.toUpperCase(), email.replace(/^p/, 'P')];
    for (let n = 0; n < 5; n += 1) {
      await attempt('wrong', spellings[n % 3], { 'X-Forwarded-For': `192.0.2.${n}` });
    }
    expect((await attempt('wrong', email, { 'X-Forwarded-For': '192.0.2.9' })).status).toBe(429);
  });

  it('tells nothing about who has an account', async () => {
    const [known, unknown] = [await attempt('wrong'), await attempt('wrong', 'nobody@example.com')];
    expect(unknown.status).toBe(known.status);
    expect(unknown.body.detail).toBe(known.body.detail);
    for (let n = 0; n < 4; n += 1) await attempt('wrong', 'nobody@example.com');
    expect((await attempt('wrong', 'nobody@example.com')).status).toBe(429);
  });

  it('starts afresh for a client that knows the password', async () => {
    for (let n = 0; n < 12; n += 1) expect((await attempt(PASSWORD)).status).toBe(200);
  });
});
