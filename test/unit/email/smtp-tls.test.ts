import { expect, test } from 'vitest';
import { createMailer } from '#src/email/smtp.ts';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import {
  openTestMailer,
  outgoingMessage,
  sendThrough,
  SMTP_HOST,
} from '#test/support/smtp-mailer.ts';
import {
  readPem,
  type ScriptedSmtpOptions,
  type SmtpScript,
  startScriptedSmtp,
} from '#test/support/scripted-smtp.ts';

const OLD: ScriptedSmtpOptions['tls'] = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT@SECLEVEL=0',
};

test.each([2525, 2465])('port %i rejects TLS 1.1', async (port) => {
  await using server = await startScriptedSmtp({ port, tls: OLD });
  await expect(sendThrough(server)).resolves.toMatchObject({
    kind: 'failed',
    errorClass: 'tls_failed',
    isTemporary: false,
  });
  expect(server.sessions.some((session) => session.user !== null)).toBe(false);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is accepted', async (version) => {
  await using server = await startScriptedSmtp({
    port: 2465,
    tls: { minVersion: version, maxVersion: version },
  });
  await expect(sendThrough(server)).resolves.toEqual({ kind: 'sent' });
  expect(server.sessions[0]?.tlsVersion).toBe(version);
});

test.each([2525, 2465])('port %i rejects an untrusted certificate', async (port) => {
  await using server = await startScriptedSmtp({ port });
  const mailer = createMailer({
    guard: createOutboundGuard({
      allowCidrs: ['127.0.0.0/8'],
      resolve: async () => [{ address: server.address, family: 4 }],
    }),
    allowPort25: false,
  });
  await expect(sendThrough(server, { mailer })).resolves.toMatchObject({
    kind: 'failed',
    errorClass: 'tls_untrusted',
    isTemporary: false,
  });
  expect(server.sessions.some((session) => session.user !== null)).toBe(false);
});

test.each([2525, 2465])('port %i rejects an expired certificate', async (port) => {
  await using server = await startScriptedSmtp({ port, certificate: 'smtp-expired' });
  const mailer = openTestMailer(
    { [SMTP_HOST]: [server.address] },
    { ca: readPem('smtp-expired-cert') },
  );
  await expect(sendThrough(server, { mailer })).resolves.toMatchObject({
    errorClass: 'tls_untrusted',
  });
});

test.each([2525, 2465])('port %i rejects a certificate for another name', async (port) => {
  await using server = await startScriptedSmtp({ port });
  await expect(sendThrough(server, { host: 'smtp.other.example' })).resolves.toMatchObject({
    errorClass: 'tls_hostname_mismatch',
    isTemporary: false,
  });
  await expect(sendThrough(server, { host: 'eu.mail.example' })).resolves.toEqual({ kind: 'sent' });
});

test('server names are sent and compared in ASCII without the trailing dot', async () => {
  await using server = await startScriptedSmtp({ port: 2465 });
  for (const host of ['bücher.mail.example', 'eu.mail.example.']) {
    const mailer = openTestMailer({
      'xn--bcher-kva.mail.example': [server.address],
      'eu.mail.example.': [server.address],
    });
    await expect(sendThrough(server, { host, mailer })).resolves.toEqual({ kind: 'sent' });
  }
  expect(server.sessions.map(({ servername }) => servername)).toEqual([
    'xn--bcher-kva.mail.example',
    'eu.mail.example',
  ]);
});

test('implicit TLS fails at a server that starts in plain text', async () => {
  await using server = await startScriptedSmtp({ port: 2465, isImplicit: false });
  await expect(sendThrough(server)).resolves.toMatchObject({
    errorClass: 'tls_mode_mismatch',
    isTemporary: false,
  });
});

test('plain text times out at a server that starts with TLS', async () => {
  await using server = await startScriptedSmtp({ port: 2525, isImplicit: true });
  const timeouts = { greetingMs: 400 };
  const mailer = openTestMailer({ [SMTP_HOST]: [server.address] }, { timeouts });
  const outcome = await sendThrough(server, { mailer });
  expect(outcome).toMatchObject({ kind: 'failed', errorClass: 'timeout', isTemporary: true });
  expect(outcome.kind === 'failed' && outcome.message).toContain('465');
});

const drip = (say: string) => ({ kind: 'drip', say, everyMs: 100 }) as const;
const flood = (bytes: string) => ({ kind: 'flood', bytes }) as const;
const LONG = 'x'.repeat(64_000);

type Row = [what: string, script: SmtpScript, errorClass: string];
const ENDLESS: Row[] = [
  ['that never speaks', { greeting: null }, 'timeout'],
  ['that never answers EHLO', { ehlo: null, plainEhlo: null }, 'timeout'],
  ['that never answers AUTH', { auth: null }, 'timeout'],
  ['that never answers MAIL', { mail: null }, 'timeout'],
  ['that greets byte by byte', { greeting: drip(`220 ${'slow '.repeat(30)}`) }, 'timeout'],
  ['that answers byte by byte', { auth: drip(`235 ${'slow '.repeat(30)}`) }, 'timeout'],
  ['whose greeting is an endless line', { greeting: flood(LONG) }, 'not_smtp'],
  ['whose greeting is 10 MB', { greeting: '220 '.padEnd(10_000_000, 'x') }, 'not_smtp'],
  ['whose greeting has endless lines', { greeting: flood('220-more\r\n') }, 'not_smtp'],
  ['that sends endless empty lines', { greeting: flood('\r\n'.repeat(5_000)) }, 'not_smtp'],
  ['whose capabilities never end', { ehlo: flood(`250-${LONG}\r\n`) }, 'not_smtp'],
  ['that accepts endlessly', { auth: flood('235 ok\r\n'.repeat(1_000)) }, 'not_smtp'],
  ['that floods after the data', { data: flood('250-x\r\n'.repeat(1_000)) }, 'not_smtp'],
];

test.each(ENDLESS.flatMap((row) => [2525, 2465].map((port) => [port, ...row] as const)))(
  'port %i: a server %s does not block the sender',
  async (port, _, script, errorClass) => {
    const plain = port === 2465 && script.plainEhlo !== undefined ? { ehlo: null } : {};
    await using server = await startScriptedSmtp({ port, script: { ...script, ...plain } });
    // Floods are detected by size, which on a busy machine may take longer than a short deadline.
    const timeouts = errorClass === 'timeout' ? { greetingMs: 400, exchangeMs: 800 } : {};
    const mailer = openTestMailer({ [SMTP_HOST]: [server.address] }, { timeouts });
    const outcome = await sendThrough(server, { mailer });
    expect(outcome).toMatchObject({ kind: 'failed', errorClass });
    expect(outcome).toMatchObject({ isTemporary: errorClass === 'timeout' });
    await server.untilIdle();
  },
);

test('a slow but steady server is accepted', async () => {
  await using server = await startScriptedSmtp({
    script: { greeting: { kind: 'drip', say: '220 slow', everyMs: 20 } },
  });
  await expect(sendThrough(server)).resolves.toEqual({ kind: 'sent' });
});

test('unresponsive name servers time out', async () => {
  const mailer = createMailer({
    guard: { addressesOf: () => new Promise(() => undefined) },
    allowPort25: false,
    timeouts: { connectMs: 100 },
  });
  const settings = { host: SMTP_HOST, port: 465, user: 'u', password: 'p' };
  await expect(
    mailer.send(settings, outgoingMessage(), {
      beforeData: () => Promise.resolve(),
      signal: new AbortController().signal,
    }),
  ).resolves.toMatchObject({ errorClass: 'dns_error', isTemporary: true });
});
