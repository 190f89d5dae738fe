import { expect, test } from 'vitest';
import type { SmtpErrorClass } from '#src/email/smtp-error-classes.ts';
import {
  openTestMailer,
  outgoingMessage,
  sendThrough,
  SMTP_HOST,
} from '#test/support/smtp-mailer.ts';
import { randomLoopback, type SmtpScript, startScriptedSmtp } from '#test/support/scripted-smtp.ts';

type Row = [what: string, script: SmtpScript, errorClass: SmtpErrorClass, isTemporary: boolean];

const BANNER = 'host 10.1.2.3 says <secret banner>';
const answer = (code: string) => `${code} ${BANNER}`;

test.each<Row>([
  ['closes before it greets', { greeting: { kind: 'drop' } }, 'connection_closed', true],
  ['is a web server', { greeting: 'HTTP/1.1 400 Bad Request\n\n' }, 'not_smtp', false],
  ['speaks SSH', { greeting: 'SSH-2.0-OpenSSH_9.9' }, 'not_smtp', false],
  ['is a POP server', { greeting: '+OK ready' }, 'not_smtp', false],
  ['blocks at the greeting', { greeting: answer('554') }, 'blocked_by_server', false],
  ['is busy at the greeting', { greeting: answer('421') }, 'server_busy', true],
  ['is busy at EHLO', { plainEhlo: answer('421') }, 'server_busy', true],
  ['blocks at EHLO', { plainEhlo: answer('550') }, 'blocked_by_server', false],
  ['does not support EHLO', { plainEhlo: answer('502') }, 'starttls_unavailable', false],
  [
    'offers no STARTTLS',
    { plainEhlo: '250-x\n250 AUTH PLAIN', starttls: answer('502') },
    'starttls_unavailable',
    false,
  ],
  ['refuses STARTTLS', { starttls: answer('554') }, 'starttls_unavailable', false],
  ['has no TLS at the moment', { starttls: answer('454') }, 'starttls_unavailable', true],
  [
    'hangs up instead of TLS',
    { starttls: { kind: 'drop', say: '220 go\r\n' } },
    'connection_closed',
    true,
  ],
  [
    'sends plain text instead of TLS',
    { starttls: { kind: 'flood', bytes: '220 go\r\n' } },
    'tls_failed',
    false,
  ],
  ['offers no AUTH', { ehlo: '250-x\n250 SIZE 1000' }, 'auth_unavailable', false],
  [
    'mentions AUTH only in passing',
    { ehlo: '250-no AUTH here\n250 HELP' },
    'auth_unavailable',
    false,
  ],
  ['accepts only tokens', { ehlo: '250-x\n250 AUTH XOAUTH2 GSSAPI' }, 'auth_unavailable', false],
  ['rejects AUTH as unknown', { auth: answer('504') }, 'auth_unavailable', false],
  ['refuses the password', { auth: answer('535 5.7.8') }, 'auth_failed', false],
  ['wants an app password', { auth: answer('534-5.7.9 a\n534 5.7.9') }, 'auth_failed', false],
  ['cannot check the password', { auth: answer('454 4.7.0') }, 'auth_temporarily_failed', true],
  ['closes at AUTH', { auth: answer('421') }, 'server_busy', true],
  ['refuses the sender', { mail: answer('553') }, 'sender_rejected', false],
  ['defers the sender', { mail: answer('451') }, 'temporarily_rejected', true],
  ['closes at MAIL', { mail: answer('421') }, 'server_busy', true],
  ['reports flooding at MAIL', { mail: answer('421 4.7.28') }, 'rate_limited_by_provider', true],
  ['refuses the recipient', { rcpt: answer('550 5.1.1') }, 'recipient_rejected', false],
  ['greylists', { rcpt: answer('450 4.2.0') }, 'greylisted', true],
  ['greylists with 451', { rcpt: answer('451 4.7.1') }, 'greylisted', true],
  ['is full', { rcpt: answer('452') }, 'temporarily_rejected', true],
  ['closes at RCPT', { rcpt: answer('421') }, 'server_busy', true],
  ['refuses DATA', { data: answer('554') }, 'message_rejected', false],
  ['defers DATA', { data: answer('451') }, 'temporarily_rejected', true],
  ['reports a limit at DATA', { data: answer('421') }, 'rate_limited_by_provider', true],
  ['refuses the message', { content: answer('554 5.7.1') }, 'message_rejected', false],
  ['defers the message', { content: answer('451') }, 'temporarily_rejected', true],
  ['reports a limit for the message', { content: answer('421') }, 'rate_limited_by_provider', true],
  [
    'refuses the message and hangs up',
    { content: { kind: 'drop', say: '554 no' } },
    'blocked_by_server',
    false,
  ],
  [
    'closes after sign-in',
    { auth: { kind: 'drop', say: '235 ok\r\n' } },
    'connection_closed',
    true,
  ],
  ['closes at EHLO', { plainEhlo: { kind: 'drop' } }, 'connection_closed', true],
])('a server that %s', async (_, script, errorClass, isTemporary) => {
  await using server = await startScriptedSmtp({ script });
  const outcome = await sendThrough(server);
  expect(outcome).toMatchObject({ kind: 'failed', errorClass, isTemporary });
  const message = outcome.kind === 'failed' ? outcome.message : '';
  expect(message).toMatch(/smtp\.acme\.example/);
  expect(message).not.toMatch(/banner|10\.1\.2\.3|127\.|s3cret/);
  expect(server.messages).toHaveLength(0);
  expect(server.sessions.some((session) => session.sentPasswordInClear)).toBe(false);
});

test('the classes are the same without pipelining', async () => {
  const ehlo = '250-x\n250 AUTH LOGIN';
  for (const [script, errorClass] of [
    [{ mail: '421 bye' }, 'server_busy'],
    [{ mail: '553 no' }, 'sender_rejected'],
    [{ rcpt: '450 later' }, 'greylisted'],
    [{ rcpt: '421 bye' }, 'server_busy'],
    [{ data: '421 bye' }, 'rate_limited_by_provider'],
    [{ auth: '535 no' }, 'auth_failed'],
  ] as const) {
    await using server = await startScriptedSmtp({ script: { ehlo, ...script } });
    await expect(sendThrough(server)).resolves.toMatchObject({ kind: 'failed', errorClass });
  }
});

test('replies sent before TLS are discarded', async () => {
  const injected = '220 go\r\n250-x\r\n250 AUTH PLAIN\r\n235 ok\r\n';
  await using server = await startScriptedSmtp({
    script: { starttls: { kind: 'raw', bytes: injected }, ehlo: '250 x' },
  });
  const outcome = await sendThrough(server);
  expect(outcome).toMatchObject({ kind: 'failed', errorClass: 'auth_unavailable' });
  expect(server.sessions[0]?.commands.filter((command) => command.startsWith('AUTH'))).toEqual([]);
});

test('a message larger than the server accepts is not sent', async () => {
  await using server = await startScriptedSmtp({
    script: { ehlo: '250-x\n250-SIZE 1000\n250 AUTH PLAIN' },
  });
  const message = outgoingMessage({ text: 'x '.repeat(2_000) });
  await expect(sendThrough(server, { message })).resolves.toMatchObject({
    errorClass: 'message_rejected',
    isTemporary: false,
  });
  expect(server.sessions[0]?.commands).not.toContain('DATA');
});

test('a missing password is reported without signing in', async () => {
  await using server = await startScriptedSmtp();
  await expect(sendThrough(server, { password: '' })).resolves.toMatchObject({
    errorClass: 'auth_failed',
  });
  expect(server.sessions[0]?.user).toBeNull();
});

test.each([25, 80, 143, 466, 993, 2526, 22, 0, -1, 65_536])(
  'port %i of a public host is not contacted',
  async (port) => {
    await using server = await startScriptedSmtp();
    const mailer = openTestMailer({ [SMTP_HOST]: ['203.0.114.7'] });
    await expect(sendThrough(server, { port, mailer })).resolves.toMatchObject({
      kind: 'failed',
      errorClass: 'port_not_allowed',
      isTemporary: false,
    });
    expect(server.sessions).toHaveLength(0);
  },
);

test('unknown, private and forbidden hosts get the same error', async () => {
  const mailer = openTestMailer({
    'private.example': ['10.0.0.1'],
    'mixed.example': ['127.0.0.1', '192.168.0.1'],
    'empty.example': [],
  });
  const hosts = ['unknown.example', 'private.example', 'mixed.example', 'empty.example'];
  await using server = await startScriptedSmtp();
  for (const host of [...hosts, '10.0.0.1', '[::1]', '169.254.169.254', 'a b', '']) {
    const outcome = await sendThrough(server, { host, mailer });
    expect(outcome).toEqual({
      kind: 'failed',
      errorClass: 'dns_error',
      isTemporary: false,
      limit: null,
      message: `${host} does not resolve to a mail server that can be reached from here. Check the name of the SMTP server.`,
    });
  }
});

test('a port without a listener refuses the connection', async () => {
  await using server = await startScriptedSmtp();
  const mailer = openTestMailer({ [SMTP_HOST]: [randomLoopback()] });
  await expect(sendThrough(server, { mailer })).resolves.toMatchObject({
    errorClass: 'connection_refused',
    isTemporary: true,
  });
});

test('the first of several addresses that accepts the connection is used', async () => {
  await using server = await startScriptedSmtp();
  const mailer = openTestMailer({
    [SMTP_HOST]: [randomLoopback(), randomLoopback(), server.address],
  });
  await expect(sendThrough(server, { mailer })).resolves.toEqual({ kind: 'sent' });
});

test('an IP address must be covered by the certificate', async () => {
  await using covered = await startScriptedSmtp({ address: '127.77.77.77', port: 2465 });
  await expect(sendThrough(covered, { host: covered.address })).resolves.toEqual({ kind: 'sent' });
  expect(covered.sessions[0]?.servername).toBeNull();
  await using other = await startScriptedSmtp({ port: 2465 });
  await expect(sendThrough(other, { host: other.address })).resolves.toMatchObject({
    errorClass: 'tls_hostname_mismatch',
  });
});
