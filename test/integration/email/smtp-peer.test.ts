// @module-tag peers
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imap } from '#src/connectors/kinds/imap/imap.ts';
import type { Answer } from '#test/support/api-client.ts';
import { drivePeer } from '#test/support/drive-peer.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { mailPeer } from '#test/support/mail-peer.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

/** An account on Postfix, and the one it delivers to. */
const SENDER = 'ada@peer.example';

let millrace: TestMillrace;
let opened: AsyncDisposableStack;
let key: string;

describe.skipIf(!process.env['TEST_SMTP_URL'])('SMTP at Postfix (needs TEST_SMTP_URL)', () => {
  beforeAll(async () => {
    // This is the production mailer; only DNS lookups are replaced.
    millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,::1/128' });
    Object.assign(millrace.services, { dns: silentDns });
  });
  afterAll(() => millrace[Symbol.asyncDispose]());
  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    ({ key } = await millrace.createWorkspace());
  });
  afterEach(() => opened.disposeAsync());

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    millrace.call(method, path, body, { key });
  const newAccount = async (fields: object = {}): Promise<string> => {
    const { host, port, password } = mailPeer('TEST_SMTP_URL');
    const { status, body } = await call('POST', '/email-accounts', {
      email: SENDER,
      smtp_host: host,
      smtp_port: port,
      smtp_password: password,
      ...fields,
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.id;
  };
  const verify = async (id: string, recipient = mailPeer('TEST_SMTP_URL').user) =>
    (await call('POST', `/email-accounts/${id}/verify`, { test_recipient: recipient })).body;
  const verifiedAccount = async (fields: object = {}): Promise<string> => {
    const id = await newAccount(fields);
    expect(await verify(id)).toMatchObject({ verified: true, error_class: null });
    return id;
  };
  const send = (id: string, fields: object): Promise<Answer> =>
    call('POST', `/email-accounts/${id}/send`, {
      to: mailPeer('TEST_SMTP_URL').user,
      subject: 'Hello',
      text: 'Good day.',
      ...fields,
    });

  it('mails an invitation through the sender account of the operator, and its link lets its reader in', async () => {
    key = millrace.adminKey;
    await verifiedAccount();
    const { host, port, user, password } = mailPeer('TEST_IMAP_URL');
    const invited = await call('POST', '/account/invitations', { email: user, role: 'read' });
    expect(invited.body).toMatchObject({ mailed: true, link: null });
    const reader = opened.use(
      drivePeer(imap, {
        settings: { host, port },
        credential: { imap_username: user, imap_password: password },
      }),
    );
    let joined: Answer | null = null;
    await until(async () => {
      const text = JSON.stringify((await reader.poll()).documents);
      for (const [, token] of text.matchAll(/\/console\/invitation#token=3?D?([\w-]{43})/g)) {
        const accepting = { token, name: 'Reader', password: 'a password for tests' };
        const headers = { Origin: millrace.url };
        const answer = await millrace.call('POST', '/session/invitation/accept', accepting, {
          key: null,
          headers,
        });
        if (answer.status === 200) joined = answer;
      }
      return joined !== null;
    });
    expect(joined).toMatchObject({
      body: { person: { email: user }, workspace: { role: 'read' } },
    });
  });

  it('verifies an account and sends through it, and the IMAP connector reads what arrives', async () => {
    const id = await verifiedAccount({ from_name: 'Ada Müller' });
    const text = 'Größe\n.hidden\n.\nend';
    const subject = 'Grüße — and a subject that is long enough to be folded over several lines';
    const { body: message } = await send(id, { subject, text, html: '<p>Größe</p>' });
    expect(message).toMatchObject({ status: 'sent', error_class: null });
    const { host, port, user, password } = mailPeer('TEST_IMAP_URL');
    const reader = opened.use(
      drivePeer(imap, {
        settings: { host, port },
        credential: { imap_username: user, imap_password: password },
      }),
    );
    const ours = async () =>
      (await reader.poll()).documents.find(({ metadata }) =>
        String(metadata['message_id']).includes(message.id),
      );
    let arrived: Awaited<ReturnType<typeof ours>>;
    await until(async () => (arrived = await ours()) !== undefined);
    expect(arrived).toMatchObject({
      title: subject,
      primaryOwners: [{ display_name: 'Ada Müller', email: SENDER }],
      metadata: { mailbox: 'INBOX', to: [user] },
    });
    expect(arrived?.sections[0]?.text).toContain(text);
  });

  it('signs in over TLS from the start', async () => {
    const [host, port] = (mailPeer('TEST_SMTP_URL').more.get('tls') ?? '').split(':');
    await verifiedAccount({ smtp_host: host, smtp_port: Number(port) });
  });

  it('reports a wrong password', async () => {
    const outcome = await verify(await newAccount({ smtp_password: 'not this one' }));
    expect(outcome).toMatchObject({ verified: false, error_class: 'auth_failed' });
    expect(outcome.message).toContain('localhost did not accept the user name and password.');
  });

  it.each(['nobody@peer.example', 'somebody@elsewhere.example'])(
    'reports that the server takes no mail for %s',
    async (to) => {
      const id = await newAccount();
      const outcome = await verify(id, to);
      expect(outcome).toMatchObject({ verified: false, error_class: 'recipient_rejected' });
      expect(outcome.message).toContain('localhost does not accept mail for the recipient.');
    },
  );

  it('blames the sender for a sender that the user does not own, although the server tells it of the recipient', async () => {
    const id = await newAccount({ email: 'colleague@peer.example', smtp_user: SENDER });
    const outcome = await verify(id);
    expect(outcome).toMatchObject({ verified: false, error_class: 'sender_rejected' });
    expect(outcome.message).toContain(
      'localhost does not let this account send as colleague@peer.example.',
    );
  });

  it('reports that a message is too large', async () => {
    const id = await verifiedAccount();
    const limit = Number(mailPeer('TEST_SMTP_URL').more.get('limit'));
    const answer = await send(id, { html: `<p>${'large '.repeat(limit / 5)}</p>` });
    expect(answer).toMatchObject({ status: 502, body: { error_code: 'BAD_GATEWAY' } });
    expect(answer.body.detail).toContain(
      'localhost has rejected the message itself. Check its content, its size',
    );
  });
});
