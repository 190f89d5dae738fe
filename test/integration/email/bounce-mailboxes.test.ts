import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmailStage, type EmailTenant, startEmailStage } from '#test/support/email-stage.ts';
import { createFakeInboxes, type FakeInboxes } from '#test/support/fake-inboxes.ts';
import { sampleReport } from '#test/support/returned-mail.ts';
import { until } from '#test/support/until.ts';

const HOST = '93.184.216.34';
const PASSWORD = 'the password of a mailbox';
const BOB = 'bob@firm.example';
const IMAP = { kind: 'imap', host: HOST, username: 'ada', password: PASSWORD };

let stage: EmailStage;
let inboxes: FakeInboxes;
let tenant: EmailTenant;

beforeAll(async () => {
  stage = await startEmailStage({ PUBLIC_URL: 'https://millrace.example.com' });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  inboxes = createFakeInboxes();
  Object.assign(stage.millrace.services, { inboxes });
  tenant = await stage.openTenant('Pro');
});

const add = async (fields: object) => {
  const { status, body } = await tenant.call('POST', '/bounce-mailboxes', fields);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const mailbox = async (id: string) => (await tenant.call('GET', `/bounce-mailboxes/${id}`)).body;
const message = async (id: string) => (await tenant.call('GET', `/email-messages/${id}`)).body;
const sendTo = async (to: string): Promise<string> => {
  const account = await tenant.verifiedAccount();
  const { body } = await tenant.call('POST', `/email-accounts/${account}/send`, {
    to,
    subject: 'Hello',
    text: 'Hello.',
  });
  expect(body).toMatchObject({ status: 'sent' });
  return body.id;
};

describe('a bounce mailbox', () => {
  it('is polled as soon as it is created, and its password is never shown', async () => {
    const sent = await sendTo(BOB);
    inboxes.mail.push(sampleReport('exim-unknown-user', { messageId: `${sent}@acme.example` }));
    const made = await add(IMAP);
    expect(made).toMatchObject({ port: 993, use_tls: true, folder: null, report_url: null });
    await until(async () => (await message(sent)).status === 'bounced');
    await until(async () => (await mailbox(made.id)).status === 'ok');
    const { body: listed } = await tenant.call('GET', '/bounce-mailboxes');
    expect(listed).toMatchObject({ total: 1, bounce_mailboxes: [{ id: made.id }] });
    expect(JSON.stringify([made, listed])).not.toContain(PASSWORD);
    const { rows } = await sql<{ password: string }>`
      select password from bounce_mailbox where id = ${made.id}`.execute(
      stage.millrace.services.db,
    );
    expect(rows[0]?.password).toMatch(/^v1\./);
  });

  it.each([
    [
      { kind: 'imap', use_tls: false },
      { port: 143, use_tls: false },
    ],
    [
      { kind: 'imap', port: 143 },
      { port: 143, use_tls: false },
    ],
    [{ kind: 'pop3' }, { port: 995, use_tls: true }],
    [
      { kind: 'pop3', port: 110 },
      { port: 110, use_tls: false },
    ],
  ])('with %j is polled at %j', async (fields, expected) => {
    expect(await add({ ...IMAP, ...fields })).toMatchObject(expected);
  });

  it.each([
    [{ host: '10.0.0.7' }, 'body.host: 10.0.0.7 cannot be reached from here'],
    [{ host: '0x7f.1' }, 'body.host: 127.0.0.1 cannot be reached from here'],
    [{ host: 'https://imap.example.com' }, 'body.host: must be a host name'],
    [{ port: 25 }, 'body.port: Port 25 is not a standard port of IMAP'],
    [{ username: 'a\r\nDELE 1' }, 'control characters'],
    [{ email_account_id: '5f1c3b1e-0000-4000-8000-000000000000' }, 'There is no email account'],
    [{ kind: 'pop3', folder: 'Returns' }, 'folder'],
  ])('is refused with %j', async (fields, sentence) => {
    const { status, body } = await tenant.call('POST', '/bounce-mailboxes', { ...IMAP, ...fields });
    expect([400, 404]).toContain(status);
    expect(body.detail).toContain(sentence);
  });

  it('does not send its password to a server that someone else sets', async () => {
    const { id } = await add(IMAP);
    const moved = await tenant.call('PATCH', `/bounce-mailboxes/${id}`, { host: '93.184.216.35' });
    expect(moved.body.detail).toContain('body.password: is required when host or port changes');
    const both = { host: '93.184.216.35', password: 'another' };
    expect((await tenant.call('PATCH', `/bounce-mailboxes/${id}`, both)).body).toMatchObject({
      host: '93.184.216.35',
    });
    const folder = await tenant.call('PATCH', `/bounce-mailboxes/${id}`, { folder: 'Returns' });
    expect(folder.body).toMatchObject({ folder: 'Returns', username: 'ada' });
    await until(() => Promise.resolve(inboxes.opened.at(-1)?.folder === 'Returns'));
    expect(inboxes.opened.at(-1)).toMatchObject({ host: '93.184.216.35', password: 'another' });
  });

  it('can be polled on request, and deleted', async () => {
    const { id } = await add(IMAP);
    await until(async () => (await mailbox(id)).last_polled_at !== null);
    const before = inboxes.opened.length;
    await sql`update bounce_mailbox set last_polled_at = null where id = ${id}`.execute(
      stage.millrace.services.db,
    );
    expect(await tenant.call('POST', `/bounce-mailboxes/${id}/poll`)).toMatchObject({
      status: 202,
    });
    await until(() => Promise.resolve(inboxes.opened.length > before));
    expect((await tenant.call('DELETE', `/bounce-mailboxes/${id}`)).body).toEqual({
      status: 'deleted',
      id,
    });
    expect((await tenant.call('GET', `/bounce-mailboxes/${id}`)).status).toBe(404);
  });

  it('is refused beyond fifty, and below the Personal plan', async () => {
    for (let count = 0; count < 50; count += 1) await add({ kind: 'webhook' });
    const more = await tenant.call('POST', '/bounce-mailboxes', { kind: 'webhook' });
    expect(more).toMatchObject({ status: 409 });
    const free = await stage.openTenant('Free');
    expect((await free.call('POST', '/bounce-mailboxes', { kind: 'webhook' })).status).toBe(403);
  });
});
