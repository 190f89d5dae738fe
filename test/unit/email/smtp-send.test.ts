import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import {
  openTestMailer,
  outgoingMessage,
  sendThrough,
  SMTP_HOST,
} from '#test/support/smtp-mailer.ts';
import { startScriptedSmtp } from '#test/support/scripted-smtp.ts';

test.each([2525, 2587, 2465])('a message arrives unchanged through port %i', async (port) => {
  await using server = await startScriptedSmtp({ port });
  const message = outgoingMessage({
    from: { name: 'Ada Müller, Acme', address: 'ada@acme.example' },
    replyTo: 'desk@acme.example',
    subject:
      'Grüße — and a long subject that has to be folded over more than one line of the header',
    text: 'Größe\n.hidden\n..twice\n.\nend',
    html: '<p>Größe</p>',
    headers: {
      'List-Unsubscribe': `<https://acme.example/unsubscribe/${'t'.repeat(300)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  });
  await expect(sendThrough(server, { message })).resolves.toEqual({ kind: 'sent' });
  expect(server.messages).toHaveLength(1);
  const [received] = server.messages;
  expect(received).toMatchObject({ from: 'ada@acme.example', to: ['bob@other.example'] });
  expect(received?.session).toMatchObject({
    user: 'ada@acme.example',
    password: 's3cret',
    sentPasswordInClear: false,
    servername: SMTP_HOST,
  });
  const mail = await PostalMime.parse(received?.raw ?? '');
  expect(mail).toMatchObject({
    from: { name: 'Ada Müller, Acme', address: 'ada@acme.example' },
    to: [{ name: '', address: 'bob@other.example' }],
    replyTo: [{ address: 'desk@acme.example' }],
    subject: message.subject,
    messageId: '<m-1@acme.example>',
    date: '2026-05-04T03:02:01.000Z',
  });
  expect(mail.text?.trimEnd()).toBe(message.text);
  expect(mail.html?.trimEnd()).toBe(message.html);
  const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
  expect(headers['list-unsubscribe']).toBe(message.headers['List-Unsubscribe']);
  expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
});

test('line breaks in names, subjects and headers cannot inject headers', async () => {
  await using server = await startScriptedSmtp();
  const evil = 'x\r\nBcc: eve@evil.example\r\n\r\nBody: of hers\n.\r\nQUIT';
  const message = outgoingMessage({
    from: { name: evil, address: 'ada@acme.example' },
    subject: evil,
    messageId: `<m@acme.example>${evil}`,
    headers: { 'X-Campaign': evil },
  });
  await expect(sendThrough(server, { message })).resolves.toEqual({ kind: 'sent' });
  const { raw = '', to } = server.messages[0] ?? {};
  expect(to).toEqual(['bob@other.example']);
  const mail = await PostalMime.parse(raw);
  expect(mail.bcc ?? []).toEqual([]);
  expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
  expect(mail.headers.map(({ key }) => key)).not.toContain('body');
  expect(mail.text?.trimEnd()).toBe('Good day.');
});

test.each([
  'bob@other.example>\r\nRCPT TO:<eve@evil.example',
  'bob@other.example, eve@evil.example',
  'Bob <bob@other.example>',
  '"bob@other.example"@evil.example',
  'bob@other.example> SIZE=1',
  'bob@other.example\0',
  '',
])('%j is not a valid recipient, and no server is contacted', async (to) => {
  await using server = await startScriptedSmtp();
  await expect(sendThrough(server, { message: outgoingMessage({ to }) })).resolves.toMatchObject({
    kind: 'failed',
    errorClass: 'recipient_rejected',
    isTemporary: false,
  });
  const from = { name: '', address: to };
  await expect(sendThrough(server, { message: outgoingMessage({ from }) })).resolves.toMatchObject({
    errorClass: 'sender_rejected',
  });
  expect(server.sessions).toHaveLength(0);
});

test('the content follows 354 and the permission to send, and QUIT comes last', async () => {
  await using server = await startScriptedSmtp();
  let seen = { commands: [] as string[], contentBytes: -1 };
  const leave = Promise.withResolvers<void>();
  const sending = sendThrough(server, {
    async beforeData() {
      await leave.promise;
      const { commands = [], contentBytes = -1 } = server.sessions[0] ?? {};
      seen = { commands: [...commands], contentBytes };
    },
  });
  await expect.poll(() => server.sessions[0]?.commands.at(-1)).toBe('DATA');
  leave.resolve();
  await expect(sending).resolves.toEqual({ kind: 'sent' });
  expect(seen.contentBytes).toBe(0);
  expect(seen.commands.at(-1)).toBe('DATA');
  await server.untilIdle();
  expect(server.sessions[0]?.commands.at(-1)).toBe('QUIT');
});

test('nothing is sent without permission, and its reason is returned', async () => {
  await using server = await startScriptedSmtp();
  const reason = new Error('The claim is lost.');
  await expect(sendThrough(server, { beforeData: () => Promise.reject(reason) })).rejects.toBe(
    reason,
  );
  await server.untilIdle();
  expect(server.messages).toHaveLength(0);
  expect(server.sessions[0]?.contentBytes).toBe(0);
});

test.each([
  ['refuses the sender', { mail: '550 no' }],
  ['refuses the recipient', { rcpt: '550 no' }],
  ['refuses DATA', { data: '554 no' }],
  ['says 250 where 354 belongs', { data: '250 ok' }],
])('no permission is requested when the server %s', async (_, script) => {
  await using server = await startScriptedSmtp({ script });
  let asked = 0;
  const beforeData = async () => {
    asked += 1;
  };
  await expect(sendThrough(server, { beforeData })).resolves.toMatchObject({ kind: 'failed' });
  expect(asked).toBe(0);
});

test.each([
  ['hangs up', { kind: 'drop' } as const],
  ['says nothing', null],
  ['talks nonsense', 'HTTP/1.1 200 OK'],
  ['asks for more', '354 more'],
])('the outcome is unknown when the server %s after the message', async (_, content) => {
  await using server = await startScriptedSmtp({ script: { content } });
  const timeouts = content === null ? { exchangeMs: 5_000 } : {};
  const mailer = openTestMailer({ [SMTP_HOST]: [server.address] }, { timeouts });
  const outcome = await sendThrough(server, { mailer });
  expect(outcome).toMatchObject({ kind: 'unknown' });
  expect(outcome.kind === 'unknown' && outcome.message).toContain(SMTP_HOST);
});

test('the outcome is unknown when the connection breaks during the message', async () => {
  await using server = await startScriptedSmtp({
    script: { onContent: (_, socket) => void socket.destroy() },
  });
  const message = outgoingMessage({ text: 'x'.repeat(500_000) });
  await expect(sendThrough(server, { message })).resolves.toMatchObject({ kind: 'unknown' });
});

test('an acceptance sent before the message does not count', async () => {
  await using server = await startScriptedSmtp({ script: { data: '354 go\n250 taken' } });
  const late = Promise.withResolvers<void>();
  await expect(
    sendThrough(server, {
      beforeData: () => {
        setTimeout(late.resolve, 100);
        return late.promise;
      },
    }),
  ).resolves.toMatchObject({ kind: 'failed', errorClass: 'not_smtp' });
  expect(server.messages).toHaveLength(0);
});

test('a failed QUIT changes nothing', async () => {
  for (const quit of [null, '500 no', { kind: 'drop' } as const]) {
    await using server = await startScriptedSmtp({ script: { quit } });
    await expect(sendThrough(server)).resolves.toEqual({ kind: 'sent' });
  }
});

test.each([
  ['greeting', { greeting: null }],
  ['sign-in', { auth: null }],
  ['data', { data: null }],
])('an abort during the %s ends it at once with its reason', async (_, script) => {
  await using server = await startScriptedSmtp({ script });
  const controller = new AbortController();
  const timeouts = { connectMs: 20_000, greetingMs: 20_000, exchangeMs: 20_000 };
  const mailer = openTestMailer({ [SMTP_HOST]: [server.address] }, { timeouts });
  const sending = sendThrough(server, { mailer, signal: controller.signal });
  await expect.poll(() => server.sessions.length).toBe(1);
  const reason = new Error('The worker stops.');
  controller.abort(reason);
  await expect(sending).rejects.toBe(reason);
  await server.untilIdle();
});

test('the outcome is unknown after an abort once the message was transmitted', async () => {
  await using server = await startScriptedSmtp({ script: { content: null } });
  const controller = new AbortController();
  const timeouts = { exchangeMs: 20_000 };
  const mailer = openTestMailer({ [SMTP_HOST]: [server.address] }, { timeouts });
  const sending = sendThrough(server, { mailer, signal: controller.signal });
  await expect.poll(() => server.sessions[0]?.contentBytes ?? 0).toBeGreaterThan(0);
  controller.abort(new Error('The worker stops.'));
  await expect(sending).resolves.toMatchObject({ kind: 'unknown' });
  await server.untilIdle();
});
