// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmailStage,
  type EmailTenant,
  PASSWORD,
  SMTP_HOST,
  startEmailStage,
} from '#test/support/email-stage.ts';

const PATH = '/email-accounts';
const GOOD = { email: 'sender@acme.example', smtp_host: SMTP_HOST, smtp_password: PASSWORD };

let stage: EmailStage;
let owner: EmailTenant;
let stranger: EmailTenant;
beforeAll(async () => {
  stage = await startEmailStage();
  owner = await stage.openTenant();
  stranger = await stage.openTenant();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Stored {
  smtp_password: string;
  settings_revision: number;
}

async function stored(id: string): Promise<Stored> {
  const { rows } = await sql<Stored>`
    select smtp_password, settings_revision from email_account
    where id = ${id}`.execute(stage.millrace.services.db);
  const [row] = rows;
  if (!row) throw new Error(`Account ${id} does not exist.`);
  return row;
}

const unsealed = async (id: string): Promise<string> =>
  stage.millrace.services.secrets.open((await stored(id)).smtp_password, `email_account:${id}`);

describe('a request for a sender account', () => {
  it.each<[string, object, string]>([
    ['no address', { email: undefined }, 'body.email'],
    ['an address with a name', { email: 'Jane <jane@acme.example>' }, 'body.email'],
    ['two addresses', { email: 'a@acme.example,b@acme.example' }, 'body.email'],
    ['a command in the address', { email: 'a@acme.example>\r\nRCPT TO:<b@x.test' }, 'body.email'],
    ['no password', { smtp_password: undefined }, 'body.smtp_password'],
    ['an empty password', { smtp_password: '' }, 'body.smtp_password'],
    ['a password of two lines', { smtp_password: 'a\r\nb' }, 'body.smtp_password'],
    ['a password of 1,001 characters', { smtp_password: 'x'.repeat(1_001) }, 'smtp_password'],
    ['no host and an unknown provider', { smtp_host: undefined }, 'body.smtp_host: is required'],
    ['a loopback address', { smtp_host: '127.0.0.1' }, 'cannot be reached'],
    ['a private address in disguise', { smtp_host: '0x0a.1' }, 'cannot be reached'],
    ['a private IPv6 address', { smtp_host: '[fd00::1]' }, 'cannot be reached'],
    ['a mapped loopback address', { smtp_host: '::ffff:127.0.0.1' }, 'cannot be reached'],
    ['a name for this machine', { smtp_host: 'localhost' }, 'cannot be reached'],
    ['a URL as host', { smtp_host: 'smtp://mail.acme.example' }, 'body.smtp_host'],
    ['a host with a port', { smtp_host: `${SMTP_HOST}:587` }, 'body.smtp_host'],
    ['a host with a line break', { smtp_host: 'a\r\nb' }, 'body.smtp_host'],
    ['port 25', { smtp_port: 25 }, 'body.smtp_port'],
    ['the port of SSH', { smtp_port: 22 }, 'body.smtp_port'],
    ['an invalid port', { smtp_port: 65_536 }, 'body.smtp_port'],
    ['a name of two lines', { from_name: 'a\nBcc: b@x.test' }, 'body.from_name'],
    ['a name of 201 characters', { from_name: 'x'.repeat(201) }, 'body.from_name'],
    ['a limit of 0', { daily_limit: 0 }, 'body.daily_limit'],
    ["a limit above the plan's", { daily_limit: 2_001 }, 'allows 2000 messages'],
    ['an unknown time zone', { time_zone: 'Mars/Olympus' }, 'body.time_zone'],
    ['an offset as time zone', { time_zone: '+02:00' }, 'body.time_zone'],
    ['an unknown key', { verified: true }, '"verified"'],
    ['half a surrogate pair', { from_name: '\uD800' }, 'body.from_name'],
  ])('with %s is refused and creates nothing', async (_, fields, words) => {
    const refused = await stranger.call('POST', PATH, { ...GOOD, ...fields });
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect(refused.text).not.toContain(PASSWORD);
    expect((await stranger.call('GET', PATH)).body).toEqual({ accounts: [], total: 0 });
  });

  it('gets the same error for every forbidden host', async () => {
    const hosts = ['10.0.0.1', '127.0.0.1', '169.254.169.254', '[::1]'];
    const details = await Promise.all(
      hosts.map(async (host) => {
        const { body } = await stranger.call('POST', PATH, { ...GOOD, smtp_host: host });
        return body.detail.replace(host.replaceAll(/[[\]]/g, ''), 'HOST');
      }),
    );
    expect(new Set(details).size).toBe(1);
  });

  it('accepts a name that does not resolve yet', async () => {
    const tenant = await stage.openTenant();
    const made = await tenant.createAccount({ smtp_host: 'SMTP.nobody.invalid.' });
    expect(made.smtp_host).toBe('smtp.nobody.invalid');
  });

  it('needs no host when the provider of the address is known', async () => {
    const tenant = await stage.openTenant();
    const made = await tenant.createAccount({ email: 'jane@gmail.com', smtp_host: undefined });
    expect([made.smtp_host, made.smtp_user]).toEqual(['smtp.gmail.com', 'jane@gmail.com']);
    expect([465, 587]).toContain(made.smtp_port);
  });

  it('is shown with the limits of its provider, in every answer', async () => {
    const tenant = await stage.openTenant();
    const { id, sending_pace: pace } = await tenant.createAccount({
      email: 'jane@gmail.com',
      smtp_host: undefined,
    });
    expect(pace).toEqual({
      provider: 'Gmail',
      per_minute: null,
      per_hour: null,
      per_day: 500,
      sent_24h: null,
      next_send_at: null,
      paused: false,
    });
    const listed = (await tenant.call('GET', PATH)).body.accounts;
    const changed = await tenant.call('PATCH', `${PATH}/${id}`, { from_name: 'Jane' });
    for (const shown of [listed[0], changed.body, await tenant.account(id)]) {
      expect(shown.sending_pace).toEqual(pace);
    }
    const other = await tenant.createAccount();
    expect(other.sending_pace).toMatchObject({ provider: null, per_day: null });
  });

  it('needs the Personal plan, which has room for three', async () => {
    const free = await stage.openTenant('Free');
    expect((await free.call('GET', PATH)).status).toBe(403);
    const personal = await stage.openTenant('Personal');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => personal.call('POST', PATH, GOOD)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body.error_code).toBe('UNAUTHORIZED');
    expect(refused?.body.detail).toContain('change to Pro, which has 10 sender accounts');
    expect((await personal.call('GET', PATH)).body.total).toBe(3);
  });
});

describe('a sender account', () => {
  it('is created unverified, and its password is stored encrypted and never shown', async () => {
    const made = await owner.createAccount({ from_name: 'Jane', daily_limit: 7 });
    expect(made).toMatchObject({
      email: GOOD.email,
      verified: false,
      verified_at: null,
      daily_limit: 7,
      daily_sent: 0,
      from_name: 'Jane',
      smtp_host: SMTP_HOST,
      smtp_port: 587,
      smtp_user: GOOD.email,
      time_zone: 'UTC',
    });
    expect(made.verification_token.length).toBeGreaterThan(20);
    expect((await stored(made.id)).smtp_password).not.toContain(PASSWORD);
    expect(await unsealed(made.id)).toBe(PASSWORD);
    const { verification_token: _token, ...shown } = made;
    expect(await owner.account(made.id)).toEqual(shown);
    const list = await owner.call('GET', PATH);
    expect(list.body.accounts.at(-1)).toEqual(shown);
    for (const answer of [JSON.stringify(made), list.text]) {
      expect(answer).not.toMatch(/password/i);
      expect(answer).not.toContain(PASSWORD);
    }
  });

  it('uses the time zone of the user who created it', async () => {
    const tenant = await stage.openTenant();
    await tenant.call('PATCH', '/account', { time_zone: 'Asia/Tokyo' });
    const made = await tenant.createAccount();
    expect(made.time_zone).toBe('Asia/Tokyo');
    expect(made.daily_resets_at).toMatch(/T15:00:00\.000Z$/);
  });

  it('is limited by a smaller plan, and gets its own limit back when the plan grows', async () => {
    const tenant = await stage.openTenant();
    const { id } = await tenant.createAccount({ daily_limit: 900 });
    const { db } = stage.millrace.services;
    await sql`update workspace set plan_tier = 'Personal' where id = ${tenant.workspaceId}`.execute(
      db,
    );
    expect((await tenant.account(id)).daily_limit).toBe(200);
    await sql`update workspace set plan_tier = 'Agency' where id = ${tenant.workspaceId}`.execute(
      db,
    );
    expect((await tenant.account(id)).daily_limit).toBe(900);
  });

  it.each(['GET', 'PATCH', 'DELETE'])(
    'of another workspace does not exist for %s',
    async (method) => {
      const { id } = await owner.createAccount();
      const body = method === 'PATCH' ? { from_name: 'Mine' } : undefined;
      const answer = await stranger.call(method, `${PATH}/${id}`, body);
      expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
      const unknown = await stranger.call(method, `${PATH}/nonsense`, body);
      expect(unknown.status).toBe(404);
      expect((await owner.account(id)).from_name).toBe('');
    },
  );

  it('is gone once deleted', async () => {
    const tenant = await stage.openTenant();
    await tenant.createAccount();
    const { id } = await tenant.createAccount();
    const deleted = await tenant.call('DELETE', `${PATH}/${id}`);
    expect(deleted.body).toEqual({ status: 'deleted', email: GOOD.email, default_deleted: false });
    expect((await tenant.call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect((await tenant.call('GET', PATH)).body.total).toBe(1);
  });
});

describe('a change to a sender account', () => {
  it.each<[string, object]>([
    ['host', { smtp_host: '93.184.216.35' }],
    ['port', { smtp_port: 465 }],
  ])('that sets the %s must include the password', async (_, fields) => {
    const id = await owner.verifiedAccount();
    const refused = await owner.call('PATCH', `${PATH}/${id}`, fields);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('body.smtp_password: is required');
    expect((await owner.account(id)).verified).toBe(true);
    const taken = await owner.call('PATCH', `${PATH}/${id}`, { ...fields, smtp_password: 'new' });
    expect(taken.body).toMatchObject({ ...fields, verified: false, verified_at: null });
    expect([await unsealed(id), (await stored(id)).settings_revision]).toEqual(['new', 2]);
  });

  it.each<[string, object]>([
    ['user', { smtp_user: 'other' }],
    ['password', { smtp_password: 'other' }],
  ])('that sets the %s makes it unverified', async (_, fields) => {
    const id = await owner.verifiedAccount();
    const { body } = await owner.call('PATCH', `${PATH}/${id}`, fields);
    expect(body.verified).toBe(false);
  });

  it('that sets other fields, or sets the same values, leaves it verified', async () => {
    const id = await owner.verifiedAccount();
    const fields = { from_name: 'Jane', daily_limit: 3, time_zone: 'Europe/Berlin' };
    const same = { smtp_host: SMTP_HOST, smtp_port: 587, smtp_user: GOOD.email };
    const { body } = await owner.call('PATCH', `${PATH}/${id}`, { ...fields, ...same });
    expect(body).toMatchObject({ ...fields, ...same, verified: true });
    const back = await owner.call('PATCH', `${PATH}/${id}`, { daily_limit: null });
    expect(back.body).toMatchObject({ ...fields, daily_limit: 2_000 });
    expect((await stored(id)).settings_revision).toBe(1);
  });

  it.each<[string, object, string]>([
    ['another address', { email: 'other@acme.example' }, '"email"'],
    ['a private host', { smtp_host: '10.0.0.1', smtp_password: 'x' }, 'cannot be reached'],
    ['an unsupported port', { smtp_port: 6379, smtp_password: 'x' }, 'body.smtp_port'],
    ["a limit above the plan's", { daily_limit: 2_001 }, 'body.daily_limit'],
  ])('that sets %s is refused', async (_, fields, words) => {
    const id = await owner.verifiedAccount();
    const refused = await owner.call('PATCH', `${PATH}/${id}`, fields);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(words);
    expect((await owner.account(id)).verified).toBe(true);
  });
});
