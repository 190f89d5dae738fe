import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reconcileMessages } from '#src/email/reconcile-messages.ts';
import type { EmailAccountId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { type EmailTenant, messageRows, PASSWORD } from '#test/support/email-stage.ts';
import { emittedEvents } from '#test/support/emitted-events.ts';
import type { ScriptedSmtp } from '#test/support/scripted-smtp.ts';
import { type SmtpServer, type SmtpStage, startSmtpStage } from '#test/support/smtp-stage.ts';
import { until } from '#test/support/until.ts';

const RECIPIENT = 'me@inbox.test';
const MESSAGE = { to: 'lead@firm.test', subject: 'Hello', text: 'How are you?' };

let stage: SmtpStage;
let tenant: EmailTenant;
beforeAll(async () => {
  stage = await startSmtpStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await stage.openTenant();
});

const newAccount = async ({ settings }: SmtpServer, more: object = {}): Promise<Answer['body']> =>
  tenant.createAccount({ ...settings, ...more });
const readyAccount = ({ settings }: SmtpServer, more: object = {}): Promise<EmailAccountId> =>
  tenant.verifiedAccount({ ...settings, ...more });
const verify = (id: string): Promise<Answer> =>
  tenant.call('POST', `/email-accounts/${id}/verify`, { test_recipient: RECIPIENT });
const send = (id: string, fields: object = {}, headers: Record<string, string> = {}) =>
  tenant.call('POST', `/email-accounts/${id}/send`, { ...MESSAGE, ...fields }, headers);

async function onlyMail({ messages }: ScriptedSmtp): Promise<Email> {
  expect(messages).toHaveLength(1);
  return PostalMime.parse(messages[0]?.raw ?? '');
}

const headerOf = (mail: Email, name: string): string | undefined =>
  mail.headers.find(({ key }) => key === name)?.value;

/** How often the server received content. */
const contentsOf = ({ sessions }: ScriptedSmtp): number =>
  sessions.filter(({ contentBytes }) => contentBytes > 0).length;

describe('a verification that fails', () => {
  it.each<[string, Parameters<SmtpStage['serve']>[0], string, RegExp]>([
    [
      'because of its password',
      { script: { auth: '535 5.7.8 no such user at 10.1.2.3' } },
      'auth_failed',
      /did not accept the user name and password.*app password/,
    ],
    [
      'because of an untrusted certificate',
      { certificate: 'localhost' },
      'tls_untrusted',
      /self-signed.*valid certificate/,
    ],
    [
      'because of an expired certificate, with TLS from the start',
      { certificate: 'smtp-expired', port: 2465 },
      'tls_untrusted',
      /expired/,
    ],
    [
      'because STARTTLS is missing',
      {
        script: {
          plainEhlo: '250-smtp.acme.example\n250 AUTH PLAIN LOGIN',
          starttls: '502 5.5.1 not here',
        },
      },
      'starttls_unavailable',
      /offers no STARTTLS.*port 465/,
    ],
    [
      'because of its recipient',
      { script: { rcpt: '550 5.1.1 unknown' } },
      'recipient_rejected',
      /recipient's address/,
    ],
  ])(
    '%s gives the reason and the remedy, and sends the password only to a trusted server',
    async (_, options, errorClass, remedy) => {
      await using server = await stage.serve(options);
      const { id } = await newAccount(server);
      const { status, body, text } = await verify(id);
      expect([status, body.verified, body.error_class]).toEqual([200, false, errorClass]);
      expect(body.message).toMatch(remedy);
      expect(body.message).toContain(server.settings.smtp_host);
      expect(text).not.toMatch(/10\.1\.2\.3|no such user|127\.\d/);
      const isTrusted = errorClass === 'auth_failed' || errorClass === 'recipient_rejected';
      const passwords = server.smtp.sessions.flatMap(({ password }) => password ?? []);
      expect(passwords).toEqual(isTrusted ? [PASSWORD] : []);
      expect(server.smtp.sessions.some(({ sentPasswordInClear: clear }) => clear)).toBe(false);
      expect(contentsOf(server.smtp)).toBe(0);
      expect(await tenant.account(id)).toMatchObject({ verified: false, daily_sent: 0 });
      const events = await emittedEvents(stage.millrace.services.db, tenant.workspaceId);
      expect(events).toEqual([]);
    },
  );

  it('because no server listens does not reveal the address', async () => {
    const server = await stage.serve();
    const { id } = await newAccount(server);
    await server[Symbol.asyncDispose]();
    const { body, text } = await verify(id);
    expect([body.verified, body.error_class]).toEqual([false, 'connection_refused']);
    expect(body.message).toContain('Check the host and the port');
    expect(text).not.toMatch(/127\.\d/);
  });
});

/** Waits until the account's only message is queued again after that many attempts. */
async function putOff(accountId: string, attempts: number) {
  const rows = () => messageRows(stage.millrace, accountId);
  await until(async () => {
    const [row] = await rows();
    return row?.status === 'queued' && row.attempts === attempts;
  });
  const [row] = await rows();
  if (!row) throw new Error('The account has no message.');
  return [row] as const;
}

describe('a verification', () => {
  it.each([2525, 2587, 2465])('through port %i reaches the recipient', async (port) => {
    await using server = await stage.serve({ port });
    const account = await newAccount(server, { from_name: 'Jane Döe, Acme', smtp_user: 'jane' });
    const before = Date.now();
    const { status, body } = await verify(account.id);
    expect([status, body.verified, body.error_class]).toEqual([200, true, null]);
    const mail = await onlyMail(server.smtp);
    expect(mail.from).toMatchObject({ name: 'Jane Döe, Acme', address: 'sender@acme.example' });
    expect(mail.to).toEqual([{ name: '', address: RECIPIENT }]);
    expect(mail.messageId).toBe(`<${body.verification_id}@acme.example>`);
    expect(Math.abs(Date.parse(mail.date ?? '') - before)).toBeLessThan(60_000);
    expect(mail.text).toContain(account.verification_token);
    expect(mail.html).toContain(account.verification_token);
    expect(headerOf(mail, 'list-unsubscribe')).toBeUndefined();
    const [received] = server.smtp.messages;
    expect(received).toMatchObject({ from: 'sender@acme.example', to: [RECIPIENT] });
    expect(received?.session).toMatchObject({
      user: 'jane',
      password: PASSWORD,
      sentPasswordInClear: false,
      isSecure: true,
      servername: server.settings.smtp_host,
    });
    expect(await tenant.account(account.id)).toMatchObject({ verified: true, daily_sent: 1 });
    const events = await emittedEvents(stage.millrace.services.db, tenant.workspaceId);
    expect(events.map(({ type, data }) => [type, data.email_account_id])).toEqual([
      ['email_account.verified', account.id],
    ]);
  });

  it('that is greylisted twice is sent at the third attempt, while its request waits', async () => {
    let asked = 0;
    const rcpt = () => {
      asked += 1;
      return asked < 3 ? '451 4.7.1 Greylisted, come back later' : '250 welcome';
    };
    await using server = await stage.serve({ script: { rcpt } });
    const { id } = await newAccount(server);
    const answer = verify(id);
    for (const attempt of [1, 2]) {
      const [row] = await putOff(id, attempt);
      expect(row).toMatchObject({ error_class: 'greylisted', data_started_at: null });
      await stage.hurry(row.id);
    }
    const { status, body } = await answer;
    expect([status, body.verified, body.error_class]).toEqual([200, true, null]);
    expect([server.smtp.sessions.length, server.smtp.messages.length]).toEqual([3, 1]);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
  });

  it('is one message for fifty concurrent requests', async () => {
    await using server = await stage.serve();
    const { id } = await newAccount(server);
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(id)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body.verified).toBe(true);
    expect([server.smtp.sessions.length, server.smtp.messages.length]).toEqual([1, 1]);
  });

  it('whose connection breaks after the content verifies nothing and is not repeated', async () => {
    await using server = await stage.serve({ script: { content: { kind: 'drop' } } });
    const { id } = await newAccount(server);
    const { status, body } = await verify(id);
    expect([status, body.verified, body.status]).toEqual([200, false, 'unknown']);
    await stage.hurry(body.verification_id);
    await reconcileMessages(stage.millrace.services);
    server.smtp.script = {};
    expect((await verify(id)).body.verified).toBe(true);
    const mail = await onlyMail(server.smtp);
    expect(mail.messageId).not.toContain(body.verification_id);
    expect(contentsOf(server.smtp)).toBe(2);
  });
});

describe('a message', () => {
  it('can be unsubscribed from with the link in its headers, and the next one is refused', async () => {
    await using server = await stage.serve();
    const id = await readyAccount(server);
    const sent = await send(id, { html: '<p>How are you?</p>', reply_to: 'desk@acme.example' });
    expect([sent.status, sent.body.status]).toEqual([200, 'sent']);
    const mail = await onlyMail(server.smtp);
    expect(mail).toMatchObject({
      subject: 'Hello',
      to: [{ address: 'lead@firm.test' }],
      replyTo: [{ address: 'desk@acme.example' }],
      messageId: `<${sent.body.id}@acme.example>`,
    });
    expect([mail.text?.trim(), mail.html?.trim()]).toEqual([MESSAGE.text, '<p>How are you?</p>']);
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const [, link = ''] = /^<(http:[^>]+)>$/.exec(headerOf(mail, 'list-unsubscribe') ?? '') ?? [];
    expect(link.startsWith(`${stage.millrace.url}/unsubscribe/`)).toBe(true);
    // A scanner that opens the link changes nothing.
    expect((await fetch(link)).status).toBe(200);
    expect((await send(id, { subject: 'Second' })).status).toBe(200);
    // RFC 8058 §3.1.
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(link, { method: 'POST', body: form })).status).toBe(200);
    const refused = await send(id, { to: 'Lead@Firm.test', subject: 'Third' });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.detail).toContain('do-not-contact');
    expect(server.smtp.messages).toHaveLength(2);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 2 });
  });

  it('to an internationalized domain goes to its ASCII form, and both forms can be unsubscribed', async () => {
    await using server = await stage.serve();
    const id = await readyAccount(server);
    expect((await send(id, { to: 'Info@BÜCHER.example' })).status).toBe(200);
    const [received] = server.smtp.messages;
    expect(received?.to).toEqual(['Info@xn--bcher-kva.example']);
    expect(received?.session.commands).toContain('RCPT TO:<Info@xn--bcher-kva.example>');
    const mail = await onlyMail(server.smtp);
    expect(['Info@xn--bcher-kva.example', 'Info@bücher.example']).toContain(mail.to?.[0]?.address);
    const [, link = ''] = /^<(.+)>$/.exec(headerOf(mail, 'list-unsubscribe') ?? '') ?? [];
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(link, { method: 'POST', body: form })).status).toBe(200);
    for (const to of ['info@xn--bcher-kva.example', 'info@bücher.example']) {
      expect((await send(id, { to })).status).toBe(409);
    }
    expect(server.smtp.messages).toHaveLength(1);
  });

  it('sent two hundred times at once goes out twenty times under a daily limit of twenty', async () => {
    await using server = await stage.serve();
    const id = await readyAccount(server, { daily_limit: 20 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => send(id, { to: `lead-${n}@firm.test` })),
    );
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([taken.length, refused.length]).toEqual([20, 180]);
    const recipients = server.smtp.messages.map(({ to }) => to.join());
    expect(recipients).toHaveLength(20);
    expect(new Set(recipients)).toEqual(new Set(taken.map(({ body }) => body.to)));
    expect(contentsOf(server.smtp)).toBe(20);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 20 });
  });

  it('lost with its connection is unknown and never sent again', async () => {
    await using server = await stage.serve({ script: { content: { kind: 'drop' } } });
    const id = await readyAccount(server);
    const headers = { 'Idempotency-Key': 'lost' };
    const first = await send(id, {}, headers);
    expect([first.status, first.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(first.body.detail).toContain('may have been sent');
    server.smtp.script = {};
    const [row] = await messageRows(stage.millrace, id);
    expect(row).toMatchObject({ status: 'unknown', text_body: null, claim_token: null });
    await stage.hurry(row?.id ?? '');
    await reconcileMessages(stage.millrace.services);
    expect((await send(id, {}, headers)).body.detail).toBe(first.body.detail);
    // A later message is sent, so the lost one would have had its turn too.
    expect((await send(id, { to: 'other@firm.test' })).status).toBe(200);
    expect(server.smtp.messages.map(({ to }) => to)).toEqual([['other@firm.test']]);
    expect(contentsOf(server.smtp)).toBe(2);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 2 });
  });
});
