// @module-tag peers
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api-client.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { mailPeer } from '#test/support/mail-peer.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

const ADA = 'ada@exim.example';
const READER = 'reader@exim.example';

let millrace: TestMillrace;
let key: string;

describe.skipIf(!process.env['TEST_EXIM_URL'])('SMTP at Exim (needs TEST_EXIM_URL)', () => {
  beforeAll(async () => {
    // This is the production mailer; only DNS lookups are replaced.
    millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,::1/128' });
    Object.assign(millrace.services, { dns: silentDns });
  });
  afterAll(() => millrace[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ key } = await millrace.createWorkspace());
  });

  const call = (method: string, route: string, body?: object, headers = {}): Promise<Answer> =>
    millrace.call(method, route, body, { key, headers });
  const newAccount = async (fields: object = {}): Promise<string> => {
    const { host, port, password } = mailPeer('TEST_EXIM_URL');
    const { status, body } = await call('POST', '/email-accounts', {
      email: ADA,
      smtp_host: host,
      smtp_port: port,
      smtp_password: password,
      ...fields,
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.id;
  };
  const verify = async (id: string, recipient = READER) =>
    (await call('POST', `/email-accounts/${id}/verify`, { test_recipient: recipient })).body;
  const send = (id: string, fields: object, headers = {}): Promise<Answer> =>
    call(
      'POST',
      `/email-accounts/${id}/send`,
      { to: READER, subject: 'Hello', text: 'Good day.', ...fields },
      headers,
    );

  it('verifies an account and sends through it, and the message reaches the mailbox', async () => {
    const id = await newAccount({ from_name: 'Ada Müller' });
    expect(await verify(id)).toMatchObject({ verified: true, error_class: null });
    const { body: message } = await send(id, { text: 'Größe\n.hidden\n.\nend' });
    expect(message).toMatchObject({ status: 'sent', error_class: null });
    const folder = path.join(mailPeer('TEST_EXIM_URL').more.get('mail') ?? '', 'reader', 'new');
    await until(() =>
      Promise.resolve(
        readdirSync(folder).some((name) =>
          readFileSync(path.join(folder, name), 'utf8').includes(`Message-ID: <${message.id}@`),
        ),
      ),
    );
  });

  it('reports a wrong password', async () => {
    const outcome = await verify(await newAccount({ smtp_password: 'not this one' }));
    expect(outcome).toMatchObject({ verified: false, error_class: 'auth_failed' });
  });

  it('blames the sender that Exim cannot verify, although Exim refuses at RCPT', async () => {
    const id = await newAccount({ email: 'nobody@exim.example', smtp_user: ADA });
    const outcome = await verify(id);
    expect(outcome).toMatchObject({ verified: false, error_class: 'sender_rejected' });
    expect(outcome.message).toContain('does not let this account send as nobody@exim.example.');
  });

  it.each([
    ['takes no mail for other domains', 'bob@elsewhere.example', 'relay_denied'],
    ['does not know the recipient', 'nobody@exim.example', 'recipient_rejected'],
    ['has no room in the mailbox', 'full@exim.example', 'mailbox_full'],
  ])('reports that the server %s', async (_, recipient, errorClass) => {
    const outcome = await verify(await newAccount(), recipient);
    expect(outcome).toMatchObject({ verified: false, error_class: errorClass });
    if (errorClass !== 'recipient_rejected') {
      expect(outcome.message).not.toContain("Check the recipient's address");
    }
  });

  it('does not blame the recipient when the server has suspended the account', async () => {
    const suspended = 'suspended@exim.example';
    const outcome = await verify(await newAccount({ email: suspended }));
    expect(outcome).toMatchObject({ verified: false, error_class: 'blocked_by_server' });
  });

  it('retries after greylisting, and the server then accepts the message', async () => {
    const id = await newAccount();
    const asked = await verify(id, `greylisted-${randomUUID()}@exim.example`);
    expect(asked).toMatchObject({ verified: true, error_class: null });
    const { body } = await call('GET', `/email-messages?email_account_id=${id}`);
    expect(body.messages[0].attempts).toBeGreaterThanOrEqual(2);
  });

  it('retries later when the server cannot check the recipient', async () => {
    const id = await newAccount();
    expect(await verify(id)).toMatchObject({ verified: true });
    const asked = await send(id, { to: 'undecided@exim.example' }, { Prefer: 'respond-async' });
    const message = async () => (await call('GET', asked.body.status_url)).body;
    await until(async () => (await message()).error_class !== null);
    expect(await message()).toMatchObject({
      status: 'queued',
      error_class: 'temporarily_rejected',
      attempts: 1,
    });
  });

  it('holds a message that the server permanently refuses because of its hourly limit', async () => {
    const busy = 'busy@exim.example';
    const id = await newAccount({ email: busy });
    // Without a test message, because Exim counts what this user sent in earlier runs.
    await sql`update email_account set verified = true where id = ${id}`.execute(
      millrace.services.db,
    );
    const asked: Answer[] = [];
    for (let n = 0; n < 4; n += 1) {
      asked.push(await send(id, {}, { Prefer: 'respond-async' }));
    }
    const message = async () => (await call('GET', asked.at(-1)?.body.status_url as string)).body; // asked above
    await until(async () => (await message()).error_class !== null);
    expect(await message()).toMatchObject({
      status: 'queued',
      error_class: 'rate_limited_by_provider',
      attempts: 0,
    });
    const { body } = await call('GET', `/email-accounts/${id}`);
    expect(body.sending_pace).toMatchObject({ provider: null, paused: true });
  });

  it('reports content that is rejected or too large', async () => {
    const id = await newAccount();
    expect(await verify(id)).toMatchObject({ verified: true });
    const limit = Number(mailPeer('TEST_EXIM_URL').more.get('limit'));
    for (const content of [
      { subject: 'forbidden' },
      { html: `<p>${'large '.repeat(limit / 5)}</p>` },
    ]) {
      const answer = await send(id, content);
      expect(answer).toMatchObject({ status: 502, body: { error_code: 'BAD_GATEWAY' } });
      expect(answer.body.detail).toContain('localhost has rejected the message itself.');
    }
  });
});
