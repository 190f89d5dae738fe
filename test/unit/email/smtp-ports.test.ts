import { expect, test } from 'vitest';
import { vetSmtpServer } from '#src/email/administration/vet-smtp-server.ts';
import { createMailer } from '#src/email/smtp.ts';
import { createOutboundGuard } from '#src/platform/outbound-guard.ts';
import { readPem, startScriptedSmtp } from '#test/support/scripted-smtp.ts';
import { outgoingMessage, SMTP_HOST } from '#test/support/smtp-mailer.ts';

const signal = new AbortController().signal;

/** A guard for a relay inside an opened range, or for a name that resolves to a public address. */
function guardFor(address: string, allowCidrs: string[]) {
  return createOutboundGuard({ allowCidrs, resolve: async () => [{ address, family: 4 }] });
}

test('a relay inside an opened range is used at any port', async () => {
  await using server = await startScriptedSmtp({ port: 3025 });
  const mailer = createMailer({
    guard: guardFor(server.address, ['127.0.0.0/8']),
    allowPort25: false,
    ca: readPem('smtp-cert'),
  });
  const settings = { host: SMTP_HOST, port: 3025, user: 'u', password: 'p' };
  const hooks = { beforeData: () => Promise.resolve(), signal };
  expect(await mailer.send(settings, outgoingMessage(), hooks)).toEqual({ kind: 'sent' });
});

test.each([0, -1, 65_536, 587.5])('port %d is always invalid', async (port) => {
  const guard = guardFor('127.0.0.1', ['127.0.0.0/8']);
  const mailer = createMailer({ guard, allowPort25: true });
  const settings = { host: SMTP_HOST, port, user: 'u', password: 'p' };
  const hooks = { beforeData: () => Promise.resolve(), signal };
  expect(await mailer.send(settings, outgoingMessage(), hooks)).toMatchObject({
    errorClass: 'port_not_allowed',
  });
});

test('the same port of a public host is not contacted', async () => {
  const guard = guardFor('203.0.114.7', ['127.0.0.0/8']);
  const mailer = createMailer({ guard, allowPort25: false });
  const settings = { host: SMTP_HOST, port: 3025, user: 'u', password: 'p' };
  const hooks = { beforeData: () => Promise.resolve(), signal };
  expect(await mailer.send(settings, outgoingMessage(), hooks)).toMatchObject({
    kind: 'failed',
    errorClass: 'port_not_allowed',
    isTemporary: false,
  });
});

test('settings are validated by the same rules', async () => {
  const server = { host: SMTP_HOST, port: 25 };
  const options = { allowPort25: false, signal };
  const inside = guardFor('10.1.2.3', ['10.1.0.0/16']);
  expect(await vetSmtpServer(inside, server, options)).toEqual(server);
  for (const outside of [guardFor('203.0.114.7', ['10.1.0.0/16']), guardFor('10.2.2.3', [])]) {
    await expect(vetSmtpServer(outside, server, options)).rejects.toThrow(
      /body\.smtp_port: Port 25.*OUTBOUND_ALLOW_CIDRS/,
    );
  }
});
