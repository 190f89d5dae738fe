import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_ID, type FakeOidc, startFakeOidc } from '#test/support/fake-oidc.ts';
import {
  type Browser,
  insertPerson,
  openBrowser,
  PASSWORD,
  signIn,
} from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const PUBLIC_URL = 'https://console.test';

let oidc: FakeOidc;
let millrace: TestMillrace;
let home: { workspaceId: string; key: string };

beforeAll(async () => {
  oidc = await startFakeOidc();
  millrace = await startTestMillrace({
    PUBLIC_URL,
    OIDC_ISSUER: oidc.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Company login',
  });
  home = await millrace.createWorkspace();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await oidc[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`delete from sign_in_attempt`.execute(millrace.services.db);
  const email = `${randomUUID()}@example.com`;
  oidc.identity = { sub: randomUUID(), email, email_verified: true, name: 'Ada' };
});

const begin = (browser: Browser, callbackURL?: string) =>
  browser.call('POST', '/auth/sign-in/social', { provider: 'oidc', callbackURL });

/** Comes back from the provider. */
async function comeBack(browser: Browser, url: string, cookies = browser.cookies) {
  const asked = new URL(url).searchParams;
  oidc.nonce = asked.get('nonce') ?? '';
  const query = new URLSearchParams({ code: 'code', state: asked.get('state') ?? '' });
  const response = await fetch(`${millrace.url}/auth/callback/oidc?${query.toString()}`, {
    redirect: 'manual',
    headers: { Cookie: cookies },
  });
  const set = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return {
    location: response.headers.get('location') ?? '',
    after: openBrowser(millrace, set.join('; ')),
  };
}

async function enter() {
  const browser = openBrowser(millrace);
  return comeBack(browser, (await begin(browser)).body.url);
}

const invite = (key: string) =>
  millrace.call('POST', '/account/invitations', { email: oidc.identity.email }, { key });

describe('signing in at a provider', () => {
  it('is offered, with the address to come back to', async () => {
    const options = await millrace.call('GET', '/session/sign-in-options');
    expect(options.body.oidc).toEqual({ name: 'Company login' });
    const asked = new URL((await begin(openBrowser(millrace))).body.url).searchParams;
    expect(asked.get('redirect_uri')).toBe(`${PUBLIC_URL}/auth/callback/oidc`);
    expect(asked.get('code_challenge_method')).toBe('S256');
  });

  it('lets in who was invited, and keeps no token of the provider', async () => {
    expect((await enter()).location).toContain(`${PUBLIC_URL}/console/sign-in?error=not_invited`);
    await invite(home.key);
    const { location, after } = await enter();
    expect(location).toBe(`${PUBLIC_URL}/console/`);
    const session = await after.call('GET', '/session');
    expect(session.body).toMatchObject({
      person: { email: oidc.identity.email, has_password: false },
      workspace: { id: home.workspaceId, role: 'member' },
    });
    expect((await (await enter()).after.call('GET', '/account')).status).toBe(200);
    const { rows } = await sql<{ row: string }>`
      select concat(l::text, v::text) as row
      from person_login l left join person_verification v on true`.execute(millrace.services.db);
    expect(JSON.stringify(rows)).not.toMatch(/secret-of-the-provider|eyJ[\w-]*\.[\w-]/);
  });

  it('lets in nobody whose address the provider does not vouch for', async () => {
    await invite(home.key);
    oidc.identity.email_verified = false;
    expect((await enter()).location).toContain('error=');
    const { rows } = await sql`select from person where email = ${oidc.identity.email}`.execute(
      millrace.services.db,
    );
    expect(rows).toEqual([]);
  });

  it('does not join the account of one who never showed to read mail there', async () => {
    const { db } = millrace.services;
    const known = await insertPerson(millrace.services, home.workspaceId, 'admin');
    oidc.identity.email = known.personEmail;
    const refused = await enter();
    expect(refused.location).toContain('error=account_not_linked');
    expect((await refused.after.call('GET', '/session')).status).toBe(401);
    await sql`update person set email_verified = true where id = ${known.personId}`.execute(db);
    const { after } = await enter();
    expect((await after.call('GET', '/session')).body.person.id).toBe(known.personId);
  });

  it('needs the browser that began it', async () => {
    await invite(home.key);
    const browser = openBrowser(millrace);
    const { url } = (await begin(browser)).body;
    const { after } = await comeBack(browser, url, '');
    expect((await after.call('GET', '/session')).status).toBe(401);
  });

  it.each([
    'https://stolen.test/',
    '//stolen.test/',
    '/\\stolen.test/',
    '/console/../../stolen',
    '/console/%2e%2e/%2e%2e/auth',
    'javascript:alert(1)',
    '/consolelike',
    '/account',
    '@stolen.test/console/',
    '.stolen.test/console/',
  ])('never leads to %s', async (page) => {
    const answer = await begin(openBrowser(millrace), page);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('leads to the page of the console that was asked for', async () => {
    await invite(home.key);
    const browser = openBrowser(millrace);
    const page = '/console/documents?state=failed';
    const { location } = await comeBack(browser, (await begin(browser, page)).body.url);
    expect(location).toBe(PUBLIC_URL + page);
  });
});

describe('behind https', () => {
  it('cookies are for this host and https alone', async () => {
    const { personEmail } = await insertPerson(millrace.services, home.workspaceId, 'admin');
    const answer = await openBrowser(millrace).call('POST', '/auth/sign-in/email', {
      email: personEmail,
      password: PASSWORD,
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-millrace_session=/);
    expect(cookie.split('; ')).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'Path=/']));
    expect(cookie).not.toContain('Domain');
    const begun = await begin(openBrowser(millrace));
    for (const one of begun.headers.getSetCookie()) {
      expect(one).toMatch(/^__Host-/);
      expect(one).toContain('; Secure');
      expect(one).toContain('; HttpOnly');
    }
  });

  it.each([
    [PUBLIC_URL, 200],
    ['http://console.test', 403],
    ['https://console.test:8443', 403],
    ['https://other.console.test', 403],
  ])('a page of %s gets %i', async (origin, status) => {
    const { personEmail } = await insertPerson(millrace.services, home.workspaceId, 'admin');
    const browser = await signIn(millrace, personEmail);
    const answer = await browser.call(
      'PATCH',
      '/session/person',
      { name: 'A' },
      { Origin: origin },
    );
    expect(answer.status).toBe(status);
  });
});
